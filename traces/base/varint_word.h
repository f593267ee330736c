#pragma once
// The inner step of reading varints (traces/FORMAT.md), eight bytes at a time.
#include <bit>
#include <cstdint>
#include <cstring>

namespace warpscope {

/// Reads a varint of at most 8 bytes at `at` and moves `at` behind it; false, and nothing moved, if it is
/// longer. Eight bytes must be readable. Without a branch per byte: lengths change from one number to the
/// next, and every change would be mispredicted.
inline bool read_short_varint(const std::uint8_t*& at, std::uint64_t& value) {
  std::uint64_t bytes = 0;
  static_assert(std::endian::native == std::endian::little, "the first byte holds the lowest bits");
  std::memcpy(&bytes, at, sizeof bytes);
  const std::uint64_t last = ~bytes & 0x8080808080808080u;
  if (last == 0) return false;
  const int end_bit = std::countr_zero(last);
  at += (end_bit + 1) / 8;
  bytes &= (std::uint64_t{1} << end_bit) - 1;
  bytes = (bytes & 0x007f007f007f007fu) | (bytes & 0x7f007f007f007f00u) >> 1;
  bytes = (bytes & 0x00003fff00003fffu) | (bytes & 0x3fff00003fff0000u) >> 2;
  value = (bytes & 0x000000000fffffffu) | (bytes & 0x0fffffff00000000u) >> 4;
  return true;
}

}  // namespace warpscope
