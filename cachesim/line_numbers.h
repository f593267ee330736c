#pragma once
// Numbers lines in the order in which their neighbourhoods are met, so that tables over lines are plain
// arrays.
//
// Lines with neighbouring addresses share one entry of a hash table and get numbers in a row. A kernel's
// lines lie in buffers, so such a table has hardly more numbers than lines, and the hash table stays in the
// host's nearest caches, where one entry per line would miss them, and the host's translation buffers, every
// time.
#include <cstdint>
#include <utility>
#include <vector>

#include "traces/types.h"

namespace warpscope {

class LineNumbers {
 public:
  /// Neighbourhoods of 2^neighbour_bits lines each.
  explicit LineNumbers(int neighbour_bits) : neighbour_bits_(neighbour_bits) {}

  /// Number of a line; new neighbourhoods get the next ones.
  std::size_t number(LineAddr line) {
    const std::uint64_t neighbourhood = line.value() >> neighbour_bits_;
    const std::uint64_t among = line.value() & ((std::uint64_t{1} << neighbour_bits_) - 1);
    std::size_t at = home(neighbourhood);
    for (; slots_[at].key != neighbourhood + 1; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == 0) return add(at, neighbourhood) << neighbour_bits_ | among;
    }
    return slots_[at].first | among;
  }
  /// All numbers given so far are below.
  [[nodiscard]] std::size_t size() const { return neighbourhoods_ << neighbour_bits_; }
  [[nodiscard]] int neighbour_bits() const { return neighbour_bits_; }
  /// Calls visit(line, number) for every line of every neighbourhood that was met.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Slot& slot : slots_) {
      for (std::uint64_t i = 0; slot.key != 0 && i < std::uint64_t{1} << neighbour_bits_; ++i)
        visit(LineAddr((slot.key - 1) << neighbour_bits_ | i), slot.first | i);
    }
  }

 private:
  static constexpr int kInitialSlotBits = 8;
  struct Slot {
    std::uint64_t key = 0;    ///< neighbourhood plus one; 0 = free
    std::uint64_t first = 0;  ///< number of its first line
  };
  [[nodiscard]] std::size_t home(std::uint64_t neighbourhood) const {
    return (neighbourhood * 0x9E3779B97F4A7C15ull) >> shift_;
  }
  std::uint64_t add(std::size_t at, std::uint64_t neighbourhood) {
    slots_[at] = {neighbourhood + 1, neighbourhoods_ << neighbour_bits_};
    if (++neighbourhoods_ * 2 > slots_.size()) grow();
    return neighbourhoods_ - 1;
  }
  void grow() {
    const auto old = std::exchange(slots_, decltype(slots_)(slots_.size() * 2));
    --shift_;
    for (const Slot& slot : old) {
      if (slot.key == 0) continue;
      std::size_t at = home(slot.key - 1);
      while (slots_[at].key != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  int neighbour_bits_;
  int shift_ = 64 - kInitialSlotBits;
  std::uint64_t neighbourhoods_ = 0;
  std::vector<Slot> slots_ = std::vector<Slot>(std::size_t{1} << kInitialSlotBits);
};

}  // namespace warpscope
