#pragma once
// A value for every line: arrays of neighbouring lines, which a hash table finds.
//
// A kernel's lines are in buffers, so an array for thousands of neighbours is hardly ever empty, and the hash
// table has so few entries that it stays in the host's nearest caches and translation buffers, where one
// entry per line would miss both every time. Where lines are scattered so that most of a large table would be
// empty, neighbourhoods become smaller, in the end single lines.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "cachesim/classes/huge_pages.h"
#include "cachesim/transactions/transaction.h"
#include "traces/base/error.h"

namespace warpscope {

struct LineTableOptions {
  int neighbour_bits = 12;  ///< neighbourhoods of 2^12 lines at first
  /// So many entries may be without a line; of a larger table every eighth has one, or its neighbourhoods
  /// become smaller and places change.
  std::size_t free_entries = std::size_t{1} << 20;
};

/// `Value{}` is what a line has that nobody gave another one.
template <class Value>
class LineTable {
 public:
  explicit LineTable(const LineTableOptions& options = {}) : options_(options) { clear(); }

  /// Writes, for each of the `referenced`, where in all() the value of its line is: of `line_of(reference)`,
  /// a LineAddr. Places stay the same until neighbourhoods become smaller, which only find() does. Throws
  /// InputError beyond 2^32 entries.
  template <class Reference, class LineOf>
  void find(std::span<const Reference> referenced, std::uint32_t* places, LineOf&& line_of) {
    for (std::size_t done = 0; done < referenced.size();) {
      done += find_known(referenced.subspan(done), places + done, line_of);
      if (done < referenced.size() && add(line_of(referenced[done]).value() >> neighbour_bits_)) done = 0;
    }
  }
  void find(std::span<const Transaction> transactions, std::uint32_t* places) {
    find(transactions, places, [](Transaction transaction) { return transaction.line(); });
  }
  /// The values by place. Valid until the next find().
  std::span<Value> all() { return values_; }
  void clear() {
    values_.clear();
    neighbourhoods_ = 0;
    use_slots(options_.neighbour_bits, kInitialSlotBits);
    next_check_ = options_.free_entries;
  }

 private:
  static constexpr int kInitialSlotBits = 6;
  static constexpr std::size_t kSmallSlots =
      4096;  ///< below this, tables are sparse: that prevents collisions and costs little
  static constexpr std::size_t kMostPerLine = 8;  ///< entries of a large table
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t neighbourhood = kNone;
    std::uint32_t first = 0;  ///< place of its first line
  };

  void use_slots(int neighbour_bits, int slot_bits) {
    neighbour_bits_ = neighbour_bits;
    shift_ = 64 - slot_bits;
    slots_.assign(std::size_t{1} << slot_bits, Slot{});
  }
  [[nodiscard]] std::size_t home(std::uint64_t neighbourhood, int shift) const {
    return (neighbourhood * 0x9E3779B97F4A7C15ull) >> shift;
  }
  /// Slot of a neighbourhood, or the free one that it would get.
  [[nodiscard]] Slot& slot_of(std::uint64_t neighbourhood) {
    std::size_t at = home(neighbourhood, shift_);
    while (slots_[at].neighbourhood != neighbourhood && slots_[at].neighbourhood != kNone)
      at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  // Members are copied because the compiler has to assume that writing to `places` changes them.
  template <class Reference, class LineOf>
  std::size_t find_known(std::span<const Reference> referenced, std::uint32_t* places, LineOf&& line_of) {
    const Slot* const slots = slots_.data();
    const Value* const values = values_.data();
    const int bits = neighbour_bits_, shift = shift_;
    const auto among = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
    for (std::size_t i = 0; i < referenced.size(); ++i) {
      const std::uint64_t line = line_of(referenced[i]).value(), neighbourhood = line >> bits;
      const Slot* slot = &slots[home(neighbourhood, shift)];
      if (slot->neighbourhood != neighbourhood) [[unlikely]] {
        slot = &slot_of(neighbourhood);
        if (slot->neighbourhood == kNone) return i;
      }
      places[i] = slot->first | (static_cast<std::uint32_t>(line) & among);
      __builtin_prefetch(values + places[i], 1);
    }
    return referenced.size();
  }

  /// A new neighbourhood. True when places have changed.
  bool add(std::uint64_t neighbourhood) {
    if (values_.size() >= next_check_ && neighbour_bits_ > 0) {
      if (values_.size() > kMostPerLine * used_entries()) {
        use_smaller_neighbourhoods();
        return true;
      }
      next_check_ = values_.size() * 2;
    }
    const std::size_t size = std::size_t{1} << neighbour_bits_;
    if (values_.size() > std::numeric_limits<std::uint32_t>::max() - size)
      throw InputError(
          "more than 4 billion lines in one launch, expected fewer; --no-classes needs no table of them");
    slot_of(neighbourhood) = {neighbourhood, static_cast<std::uint32_t>(values_.size())};
    values_.resize(values_.size() + size);
    const bool small = slots_.size() < kSmallSlots;
    if (++neighbourhoods_ * (small ? 4 : 2) > slots_.size()) grow_slots();
    return false;
  }
  void grow_slots() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    --shift_;
    for (const Slot& slot : old)
      if (slot.neighbourhood != kNone) slot_of(slot.neighbourhood) = slot;
  }
  [[nodiscard]] std::size_t used_entries() const {
    return values_.size() - static_cast<std::size_t>(std::count(values_.begin(), values_.end(), Value{}));
  }
  void use_smaller_neighbourhoods() {
    const int before = neighbour_bits_;
    const std::vector<Slot> slots = std::exchange(slots_, {});
    const auto values = std::exchange(values_, {});
    neighbourhoods_ = 0;
    next_check_ = options_.free_entries;
    use_slots(before > 6 ? 6 : 0, kInitialSlotBits);
    for (const Slot& slot : slots) {
      for (std::size_t i = 0; slot.neighbourhood != kNone && i < std::size_t{1} << before; ++i) {
        if (values[slot.first + i] == Value{}) continue;
        const LineAddr line(slot.neighbourhood << before | i);
        std::uint32_t place = 0;
        find(std::span<const LineAddr>(&line, 1), &place, [](LineAddr one) { return one; });
        values_[place] = values[slot.first + i];
      }
    }
  }

  LineTableOptions options_;
  std::size_t next_check_ = 0;  ///< entries from which on their use is looked at
  int neighbour_bits_ = 0;
  int shift_ = 0;  ///< 64 minus log2 of the number of slots
  std::size_t neighbourhoods_ = 0;
  std::vector<Slot> slots_;
  std::vector<Value, HugePageAllocator<Value>> values_;
};

}  // namespace warpscope
