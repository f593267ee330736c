#pragma once
// From a request to its result.
#include "cachesim/counters/launch_entries.h"
#include "cachesim/simulate/request.h"

namespace warpscope {

/// The result of a complete request that fits its input, with the ranges of the repetitions where it asks for
/// several. Throws InputError on a damaged input, and when nothing differs between repetitions.
ResultJson run_simulation(const SimulationRequest& request, FileKind kind);

}  // namespace warpscope
