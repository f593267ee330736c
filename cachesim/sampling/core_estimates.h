#pragma once
// What the counters of all cores are, from those of the cores that were simulated.
#include <nlohmann/json.hpp>
#include <optional>

#include "cachesim/simulate/l1_simulator.h"
#include "traces/program/group_selection.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// The cores that stand for all: drawn for the simulation (`sampled_cores` of the schedule's context), or when the capture was
/// made ("drawn-cores"). Absent where all count, or others were chosen.
std::optional<SampledCores> drawn_cores(const StreamHeader& header);

/// `estimate` of `total` (RESULT.md): hit rates, transactions per request, shares of the miss classes, and totals of the whole
/// launches, each with a 95 % interval. `result` is that of the drawn cores.
nlohmann::ordered_json core_estimates(const StreamHeader& header, const SampledCores& drawn,
                                      const SimulationResult& result);

}  // namespace warpscope
