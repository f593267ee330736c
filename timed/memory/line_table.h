#pragma once
// A hash table from line number to a small number, without allocation after construction.
#include <bit>
#include <cstdint>
#include <vector>

namespace warpscope::timed {

class LineTable {
 public:
  static constexpr std::uint32_t kNone = ~0u;
  /// Room for `most` lines at once, at half load; grows if there are more.
  explicit LineTable(std::size_t most) { resize(std::bit_ceil(most * 2 + 2)); }

  [[nodiscard]] std::uint32_t find(std::uint64_t line) const {
    for (std::size_t at = home(line);; at = (at + 1) & mask_) {
      if (slots_[at].value == kNone) return kNone;
      if (slots_[at].line == line) return slots_[at].value;
    }
  }
  /// The host fetches what find() will read.
  void prefetch(std::uint64_t line) const { __builtin_prefetch(&slots_[home(line)]); }
  /// `line` is not in the table.
  void insert(std::uint64_t line, std::uint32_t value) {
    if (++used_ * 2 > slots_.size()) grow();
    std::size_t at = home(line);
    while (slots_[at].value != kNone) at = (at + 1) & mask_;
    slots_[at] = {line, value};
  }
  /// `line` is in the table. Later entries of its run move up, so that no tombstones are left.
  void erase(std::uint64_t line) {
    std::size_t hole = home(line);
    while (slots_[hole].line != line || slots_[hole].value == kNone) hole = (hole + 1) & mask_;
    for (std::size_t at = (hole + 1) & mask_; slots_[at].value != kNone; at = (at + 1) & mask_) {
      const std::size_t wanted = home(slots_[at].line);
      if (((at - wanted) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].value = kNone;
    --used_;
  }
  void clear() {
    for (Slot& slot : slots_) slot.value = kNone;
    used_ = 0;
  }
  [[nodiscard]] std::size_t size() const { return used_; }

 private:
  struct Slot {
    std::uint64_t line = 0;
    std::uint32_t value = kNone;
  };
  [[nodiscard]] std::size_t home(std::uint64_t line) const { return (line * 0x9E3779B97F4A7C15u) >> shift_; }
  void resize(std::size_t size) {
    slots_.assign(size, {});
    mask_ = size - 1;
    shift_ = 64 - std::countr_zero(size);
  }
  void grow() {
    std::vector<Slot> old;
    old.swap(slots_);
    resize(old.size() * 2);
    for (const Slot& slot : old) {
      if (slot.value == kNone) continue;
      std::size_t at = home(slot.line);
      while (slots_[at].value != kNone) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0, used_ = 0;
  int shift_ = 0;
};

}  // namespace warpscope::timed
