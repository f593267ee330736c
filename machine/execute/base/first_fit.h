#pragma once
// Where a heap's blocks lie.
#include <cstdint>
#include <map>

namespace warpscope::machine {

/// Knows addresses only: what code writes into the heap harms nothing here.
class FirstFit {
 public:
  /// Once, before allocate(): the heap's memory.
  void give(std::uint64_t base, std::uint64_t bytes) { free_.emplace(base, bytes); }
  /// The lowest place where `bytes` fit, a multiple of 16; 0 = there is none, or no bytes are asked for.
  std::uint64_t allocate(std::uint64_t bytes);
  /// Of allocate(); 0 is ignored. False for any other address, and nothing happens.
  bool release(std::uint64_t address);

 private:
  std::map<std::uint64_t, std::uint64_t> free_, used_;  ///< address → bytes
};

}  // namespace warpscope::machine
