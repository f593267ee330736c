#pragma once
// The metrics of a result that a sample estimates, whatever was drawn: cores or launches.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "cachesim/counters/counts.h"

namespace warpscope {

/// Of the cycles of launches that do the same work, standard deviation over mean, at least. They differ by how their buffers lie in memory and
/// by what the L2 still does, which few draws may not show.
constexpr double kLeastSpreadOfCycles = 0.01;

/// What was drawn: a core of all launches, or a launch of all cores.
struct DrawnUnit {
  Counts counts;
  double cycles = 0;  ///< 0: the engine knows no time
  double size = 0;    ///< known of every unit, drawn or not: what totals are in proportion to
};

/// The units of one stratum that were drawn.
struct DrawnStratum {
  std::uint64_t size = 0;  ///< number of units in it
  std::vector<DrawnUnit> units;
};

/// `estimate` of `total` (RESULT.md) from all strata: hit rates, transactions per request, shares of the miss classes, and totals,
/// with cycles where there are any, each with a 95 % interval. `all_sizes`: the sum of DrawnUnit::size over all units, drawn or not.
nlohmann::ordered_json metrics_of(const std::vector<DrawnStratum>& strata, double all_sizes);

}  // namespace warpscope
