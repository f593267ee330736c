#pragma once
// When lines were last used, in a table whose size does not depend on how many lines there are: several share
// a place, so a line may seem to have been used later than it was, and never earlier. One table serves every
// list of a core: the time of the last use does not depend on the cache.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "cachesim/classes/huge_pages.h"

namespace warpscope {

class LastUses {
 public:
  /// Times are of so many references each, counted from 1. 0 is before all.
  static constexpr int kUnitBits = 6;
  /// Of 2^place_bits places. Lines are numbers without their lowest `line_shift` bits.
  LastUses(int place_bits, int line_shift)
      : place_bits_(place_bits), line_shift_(line_shift), times_(std::size_t{1} << place_bits) {}
  static std::uint64_t bytes(int place_bits) { return sizeof(std::uint32_t) << place_bits; }

  /// Of the reference with this number, counted from 0. Beyond 2^38 references all have the same time.
  static std::uint32_t time_of(std::uint64_t reference) {
    constexpr std::uint64_t kLatest = std::numeric_limits<std::uint32_t>::max() - 1;
    return static_cast<std::uint32_t>(std::min(reference >> kUnitBits, kLatest)) + 1;
  }
  /// Writes to `before` the time of the last use before that of each of the `numbers`, or a later one.
  void use(std::span<const std::uint32_t> numbers, std::uint32_t* before) {
    constexpr std::size_t kAhead = 16;
    std::uint32_t* const times = times_.data();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i + kAhead < numbers.size()) __builtin_prefetch(times + place(numbers[i + kAhead]), 1);
      before[i] = std::exchange(times[place(numbers[i])], time_of(references_ + i));
    }
    references_ += numbers.size();
  }
  /// How many there were.
  [[nodiscard]] std::uint64_t references() const { return references_; }

 private:
  /// Neighbours have neighbouring places. Buffers whose addresses differ by a power of two do not share them.
  [[nodiscard]] std::size_t place(std::uint32_t number) const {
    const std::uint32_t line = number >> line_shift_;
    return (line + (line >> place_bits_) * 0x9E3779B1u) & ((std::uint32_t{1} << place_bits_) - 1);
  }

  int place_bits_, line_shift_;
  std::uint64_t references_ = 0;
  std::vector<std::uint32_t, HugePageAllocator<std::uint32_t>> times_;
};

}  // namespace warpscope
