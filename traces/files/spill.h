#pragma once
// Byte strings one after another, which go to a temporary file once they are many.
#include <cstdint>
#include <span>
#include <vector>

#include "traces/files/file_io.h"

namespace warpscope {

/// Memory is bounded but for 8 bytes per string.
class Spill {
 public:
  /// Throws InputError when the temporary file cannot be written.
  void add(std::span<const std::uint8_t> bytes);
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  /// Replaces the content of `bytes`. Not thread-safe.
  void read(std::size_t number, std::vector<std::uint8_t>& bytes) const;

 private:
  static constexpr std::size_t kKept = 1u << 20;  ///< bytes that wait before they are written
  std::vector<std::uint64_t> ends_;               ///< end of each string, from the begin of the first one
  std::uint64_t written_ = 0;                     ///< bytes in the file
  std::vector<std::uint8_t> waiting_;
  Descriptor file_;
};

}  // namespace warpscope
