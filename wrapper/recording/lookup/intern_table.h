#pragma once
// Numbers distinct values in the order they are first seen. The values themselves stay with the caller; the
// table only holds hashes and numbers, so the numbering never depends on the hash.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpscope {

class InternTable {
 public:
  void clear() {
    std::fill(cells_.begin(), cells_.end(), Cell{});
    size_ = 0;
  }

  /// The number of the value with this hash for which `equals(number)` is true; if there is none, the next
  /// free number, which the caller then gives to the value. Second: whether it is new.
  template <class Equals>
  std::pair<std::uint32_t, bool> find_or_add(std::uint64_t hash, const Equals& equals) {
    if (size_ >= cells_.size() / 2) grow();
    const std::size_t mask = cells_.size() - 1;
    std::size_t at = hash & mask;
    while (cells_[at].number != kFree) {
      if (cells_[at].hash == hash && equals(cells_[at].number)) return {cells_[at].number, false};
      at = (at + 1) & mask;
    }
    cells_[at] = {hash, size_};
    return {size_++, true};
  }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  struct Cell {
    std::uint64_t hash = 0;
    std::uint32_t number = kFree;
  };

  void grow() {
    std::vector<Cell> old(cells_.empty() ? 64 : 2 * cells_.size());
    old.swap(cells_);
    const std::size_t mask = cells_.size() - 1;
    for (const Cell& cell : old) {
      if (cell.number == kFree) continue;
      std::size_t at = cell.hash & mask;
      while (cells_[at].number != kFree) at = (at + 1) & mask;
      cells_[at] = cell;
    }
  }

  std::vector<Cell> cells_;
  std::uint32_t size_ = 0;
};

}  // namespace warpscope
