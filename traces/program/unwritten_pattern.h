#pragma once
// What memory holds that nobody has written: bytes that hardly any program writes, so that one sees which of it are left.
#include <array>
#include <cstddef>
#include <cstdint>

namespace warpscope {

constexpr std::size_t kPatternBytes = 4096;  ///< it repeats

/// The pattern of an allocation; byte i is at its offset i. SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, doi:10.1145/2660193.2660195),
/// with the bits 5 and 7 of each byte set and bit 0 clear: no byte is 0, 1, 128 or 255, no number is NaN or small.
inline std::array<std::uint8_t, kPatternBytes> unwritten_pattern(std::uint64_t allocation) {
  std::array<std::uint8_t, kPatternBytes> pattern{};
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    std::uint64_t z = (allocation << 16) + (at / 8 + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    pattern[at] = static_cast<std::uint8_t>((((z ^ (z >> 31)) >> (8 * (at % 8))) & 0x5eu) | 0xa0u);
  }
  return pattern;
}

}  // namespace warpscope
