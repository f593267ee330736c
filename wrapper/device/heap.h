#pragma once
// malloc() and free() of device code, in memory that the host gives.
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace warpscope::device {

/// Thread-safe. What it knows about its memory is not in that memory: kernels may overwrite all of it.
class Heap {
 public:
  static Heap& get();

  /// Once, before the first kernel that allocates.
  void give(std::uint64_t base, std::uint64_t bytes);
  [[nodiscard]] bool has_memory() const;
  /// The lowest place where `bytes` fit, a multiple of 16; 0 = there is none, or no bytes are asked for.
  std::uint64_t allocate(std::uint64_t bytes);
  /// Of allocate(); 0 is ignored. False for any other address, and nothing happens.
  bool release(std::uint64_t address);

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> free_, used_;  ///< address → bytes
  bool has_memory_ = false;
};

}  // namespace warpscope::device
