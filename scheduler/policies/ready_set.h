#pragma once
// Which warps of a core can issue: constant-time lookup of the next one in visiting order and of any one by
// number.
#include <bit>
#include <cstdint>
#include <vector>

#include "scheduler/policies/warp_scheduler.h"

namespace warpscope {

class ReadySet final : public ReadyWarps {
 public:
  /// Indices 0 .. size - 1; none is ready.
  explicit ReadySet(std::uint32_t size);
  ReadySet(const ReadySet&) = delete;  // lowest_ points into levels_
  ReadySet& operator=(const ReadySet&) = delete;
  void insert(WarpIndex index);  ///< adds a warp that is not in the set
  void erase(WarpIndex index);   ///< removes a warp that is in the set

  [[nodiscard]] std::uint32_t size() const override { return static_cast<std::uint32_t>(members_.size()); }
  [[nodiscard]] bool contains(WarpIndex index) const override {
    return (lowest_[index >> 6] >> (index & 63) & 1) != 0;
  }
  [[nodiscard]] WarpIndex next_from(WarpIndex from) const override {
    if (from < capacity_) {
      const std::uint64_t rest = lowest_[from >> 6] >> (from & 63);
      if (rest != 0) return from + static_cast<WarpIndex>(std::countr_zero(rest));
    }
    return next_behind(from);
  }
  [[nodiscard]] WarpIndex at(std::uint32_t number) const override { return members_[number]; }

 private:
  [[nodiscard]] WarpIndex next_behind(WarpIndex from) const;
  /// First member >= from, or kNone.
  [[nodiscard]] WarpIndex find_from(WarpIndex from) const;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t capacity_;
  /// levels_[0]: bit i = index i is ready; level k + 1: bit i = word i of level k is not 0.
  std::vector<std::vector<std::uint64_t>> levels_;
  const std::uint64_t* lowest_;          ///< levels_[0]
  std::vector<WarpIndex> members_;       ///< the warps in the set, in no meaningful order
  std::vector<std::uint32_t> position_;  ///< position of each warp in members_
};

}  // namespace warpscope
