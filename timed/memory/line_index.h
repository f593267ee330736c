#pragma once
// Which way of an L1 has a line. Unlike a LineTable it keeps no line numbers, which the ways have: the tables of all cores take turns
// in the host's caches.
#include <bit>
#include <cstdint>
#include <vector>

namespace warpscope::timed {

/// `Way` has a member `line`. The ways outlive this, and one keeps its line from insert() to erase().
template <class Way>
class LineIndex {
 public:
  static constexpr std::uint32_t kNone = ~0u;
  /// At half load when every way has a line.
  explicit LineIndex(const std::vector<Way>& ways)
      : ways_(ways.data()),
        slots_(std::bit_ceil(ways.size() * 2 + 2), kNone),
        mask_(slots_.size() - 1),
        shift_(64 - std::countr_zero(slots_.size())) {}

  [[nodiscard]] std::uint32_t find(std::uint64_t line) const {
    for (std::size_t at = home(line);; at = (at + 1) & mask_) {
      const std::uint32_t way = slots_[at];
      if (way == kNone || ways_[way].line == line) return way;
    }
  }
  /// The host fetches what find() will read first.
  void prefetch(std::uint64_t line) const { __builtin_prefetch(&slots_[home(line)]); }
  /// The way that find() will look at first, or kNone.
  [[nodiscard]] std::uint32_t first(std::uint64_t line) const { return slots_[home(line)]; }
  /// The line of `way` has no way yet.
  void insert(std::uint32_t way) {
    std::size_t at = home(ways_[way].line);
    while (slots_[at] != kNone) at = (at + 1) & mask_;
    slots_[at] = way;
    ++used_;
  }
  /// `way` has been inserted. Later entries of its run move up, so that no tombstones are left.
  void erase(std::uint32_t way) {
    std::size_t hole = home(ways_[way].line);
    while (slots_[hole] != way) hole = (hole + 1) & mask_;
    for (std::size_t at = (hole + 1) & mask_; slots_[at] != kNone; at = (at + 1) & mask_) {
      const std::size_t wanted = home(ways_[slots_[at]].line);
      if (((at - wanted) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = kNone;
    --used_;
  }
  void clear() {
    slots_.assign(slots_.size(), kNone);
    used_ = 0;
  }
  [[nodiscard]] std::size_t size() const { return used_; }

 private:
  [[nodiscard]] std::size_t home(std::uint64_t line) const { return (line * 0x9E3779B97F4A7C15u) >> shift_; }

  const Way* ways_;
  std::vector<std::uint32_t> slots_;
  std::size_t mask_, used_ = 0;
  int shift_;
};

}  // namespace warpscope::timed
