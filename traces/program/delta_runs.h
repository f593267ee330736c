#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "traces/base/shape_table.h"

namespace warpscope {

/// The shape of a work-item that accesses these locations, one after the other.
inline std::vector<DeltaRun> runs_between(std::span<const std::uint64_t> locations) {
  std::vector<DeltaRun> shape;
  for (std::size_t i = 1; i < locations.size(); ++i) {
    const auto delta = static_cast<std::int64_t>(locations[i] - locations[i - 1]);
    if (shape.empty() || shape.back().delta != delta) shape.push_back({delta, 0});
    ++shape.back().repeat;
  }
  return shape;
}

}  // namespace warpscope
