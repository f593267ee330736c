#pragma once
// When lines were last used, in a table whose size does not depend on how many lines there are: it forgets the one
// of four that was used first, so a line that it does not have may seem to have been used later than it was, and
// never earlier. One table serves every list of a core: the time of the last use does not depend on the cache.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cachesim/classes/huge_pages.h"
#include "traces/base/simd.h"

namespace warpscope {

class LastUses {
 public:
  /// Times are of so many references each.
  static constexpr int kUnitBits = 2;
  /// Of lines that were never used, and of those that may have been used before this table was there.
  static constexpr std::uint32_t kNever = 0, kBefore = 1;
  /// Has places for 2^place_bits lines, at least four. Lines are numbers below 2^32 - 1 without their lowest
  /// `line_shift` bits. `others`: the time of lines that have not been used since.
  LastUses(int place_bits, int line_shift, std::uint32_t others)
      : row_bits_(place_bits - 2), line_shift_(line_shift), rows_(std::size_t{1} << row_bits_, Row(others)) {}
  static std::uint64_t bytes(int place_bits) { return sizeof(Row) << (place_bits - 2); }

  /// Of the reference with this number, counted from 0. Beyond 2^34 references all have the same time.
  static std::uint32_t time_of(std::uint64_t reference) {
    constexpr std::uint64_t kLatest = std::numeric_limits<std::uint32_t>::max() - 1;
    return static_cast<std::uint32_t>(std::min((reference >> kUnitBits) + kBefore, kLatest)) + 1;
  }
  /// Writes to `before` the time of the last use before that of each of the `numbers`, or a later one.
  void use(std::span<const std::uint32_t> numbers, std::uint32_t* before) {
    constexpr std::size_t kAhead = 16;
    Row* const rows = rows_.data();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i + kAhead < numbers.size())
        __builtin_prefetch(rows + row_of(numbers[i + kAhead] >> line_shift_), 1);
      const std::uint32_t line = numbers[i] >> line_shift_;
      before[i] = rows[row_of(line)].use(line, time_of(references_ + i));
    }
    references_ += numbers.size();
  }
  /// How many there were.
  [[nodiscard]] std::uint64_t references() const { return references_; }

 private:
  /// Four lines, the one that was used last first. What is not among them was last used no later than the last one.
  struct alignas(32) Row {
    explicit Row(std::uint32_t others) { times.fill(others); }
    std::uint32_t use(std::uint32_t line, std::uint32_t time) {
      const simd::Vector all = simd::load_aligned(lines.data());
      const simd::Vector equal = simd::equal_words(all, simd::words_of(line));
      const unsigned hit = simd::word_bits(equal);
      const std::uint32_t before = times[static_cast<std::size_t>(std::countr_zero(hit | 8u))];
      simd::store_aligned(lines.data(), simd::bring_to_front(all, equal, hit, simd::first_word(line)));
      simd::store_aligned(times.data(), simd::bring_to_front(simd::load_aligned(times.data()), equal, hit,
                                                             simd::first_word(time)));
      return before;
    }
    std::array<std::uint32_t, 4> lines{kNone, kNone, kNone, kNone}, times;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Neighbours are in the same row or in neighbouring ones. Buffers whose addresses differ by a power of two do not
  /// share them.
  [[nodiscard]] std::size_t row_of(std::uint32_t line) const {
    return ((line >> 2) + (line >> row_bits_ >> 2) * 0x9E3779B1u) & ((std::uint32_t{1} << row_bits_) - 1);
  }

  int row_bits_, line_shift_;
  std::uint64_t references_ = 0;
  std::vector<Row, HugePageAllocator<Row>> rows_;
};

}  // namespace warpscope
