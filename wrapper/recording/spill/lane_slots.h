#pragma once
// Slots of a warp's lanes at one site, row by row, so that an access of all lanes is noted in a few vector instructions: of machine code, which is
// executed warp by warp.
#include <array>
#include <bit>
#include <cstdint>

#include "wrapper/recording/spill/records.h"

namespace warpscope {

struct alignas(64) LaneSlots {
  static constexpr std::uint32_t kLanes = 32;
  static constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

  std::array<std::uint64_t, kLanes> last, repeat, first;  ///< as in Slot
  std::array<std::int64_t, kLanes> delta;

  /// The first access of any lane; without one: of none.
  void begin(const std::uint64_t* addresses, std::uint32_t lanes) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      last[lane] = first[lane] = addresses[lane];
      delta[lane] = (lanes >> lane & 1) != 0 ? 0 : Slot::kUnused;
      repeat[lane] = 0;
    }
  }
  [[nodiscard]] Slot at(std::uint32_t lane) const {
    return {last[lane], delta[lane], repeat[lane], first[lane]};
  }

  /// Accesses that lanes make. `steps`: of these lanes, the way from the access before. Returns the lanes that go on in another way than before:
  /// their slots are as they were but for `last`.
  std::uint32_t access(const std::uint64_t* addresses, std::uint32_t lanes, std::int64_t* steps) {
    return lanes == kAllLanes ? access_of_all(addresses, steps) : access_of_some(addresses, lanes, steps);
  }

 private:
  std::uint32_t access_of_all(const std::uint64_t* addresses, std::int64_t* steps) {
    std::uint64_t differences = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const auto step = static_cast<std::int64_t>(addresses[lane] - last[lane]);
      last[lane] = addresses[lane];
      steps[lane] = step;
      differences |= static_cast<std::uint64_t>(step ^ delta[lane]);
      repeat[lane] += step == delta[lane] ? 1 : 0;
    }
    if (differences == 0) return 0;
    std::uint32_t others = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      others |= static_cast<std::uint32_t>(steps[lane] != delta[lane]) << lane;
    return others;
  }

  std::uint32_t access_of_some(const std::uint64_t* addresses, std::uint32_t lanes, std::int64_t* steps) {
    std::uint32_t others = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
      steps[lane] = static_cast<std::int64_t>(addresses[lane] - last[lane]);
      last[lane] = addresses[lane];
      if (steps[lane] == delta[lane])
        ++repeat[lane];
      else
        others |= std::uint32_t{1} << lane;
    }
    return others;
  }
};

}  // namespace warpscope
