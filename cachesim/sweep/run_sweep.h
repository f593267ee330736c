#pragma once
// From a request to the result of a sweep.
#include <functional>

#include "cachesim/sweep/sweep_request.h"
#include "cachesim/sweep/sweep_result.h"

namespace warpscope {

/// Simulates all configurations of a request that fits its input. `progress` gets the transactions done so
/// far, now and then; what it throws ends the run. Throws InputError on a damaged input, and for a transaction stream
/// when the caches need transactions of several sizes.
SweepResult run_sweep(const SweepRequest& request, FileKind kind,
                      const std::function<void(std::uint64_t)>& progress);

}  // namespace warpscope
