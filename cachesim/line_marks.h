#pragma once
// Two bits per line, for any line numbers: has it been referenced, and did a store remove it. Bits live in
// pages of 256 neighbouring lines (one cache line of the host) that a hash table finds, so memory follows the
// lines touched: 1/4 byte per line of a dense buffer, at most about 100 bytes for a line without neighbours.
#include <array>
#include <cstdint>
#include <vector>

#include "traces/types.h"

namespace warpscope {

class LineMarks {
  struct alignas(64) Page {
    std::array<std::uint64_t, 4> seen{};
    std::array<std::uint64_t, 4> removed{};
  };

 public:
  class Mark {
   public:
    Mark(Page& page, std::uint64_t line)
        : page_(page), word_((line >> 6) & 3), bit_(std::uint64_t{1} << (line & 63)) {}
    bool test_and_set_seen() {
      const bool was = (page_.seen[word_] & bit_) != 0;
      page_.seen[word_] |= bit_;
      return was;
    }
    bool test_and_clear_removed() {
      const bool was = (page_.removed[word_] & bit_) != 0;
      page_.removed[word_] &= ~bit_;
      return was;
    }
    void set_removed() { page_.removed[word_] |= bit_; }

   private:
    Page& page_;
    std::size_t word_;
    std::uint64_t bit_;
  };

  LineMarks() { clear(); }
  /// Number of the page that holds the line's marks; stays the same until clear().
  std::uint32_t page_of(LineAddr line) {
    const std::uint64_t number = line.value() >> kPageBits;
    std::size_t slot = home(number);
    while (slots_[slot].number != number) {
      if (slots_[slot].number == kNoNumber) return add(number, slot);
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slots_[slot].page;
  }
  /// `page` is page_of(line). Valid until the next call of page_of().
  Mark mark(std::uint32_t page, LineAddr line) { return {pages_[page], line.value()}; }
  void clear();

 private:
  static constexpr int kPageBits = 8;
  static constexpr std::uint64_t kNoNumber = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t number = kNoNumber;
    std::uint32_t page = 0;
  };
  [[nodiscard]] std::size_t home(std::uint64_t number) const {
    return (number * 0x9E3779B97F4A7C15ull) >> shift_;
  }
  std::uint32_t add(std::uint64_t number, std::size_t slot);
  void grow();

  std::vector<Page> pages_;
  std::vector<Slot> slots_;
  int shift_ = 0;
};

}  // namespace warpscope
