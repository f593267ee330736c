#pragma once
// A simulation that takes about as long as it may.
#include <string>

#include "cachesim/simulate/request.h"

namespace warpscope {

/// Simulates a few work-groups of the capture, and asks in `request` for a sample of launches or cores if all would take more than
/// `seconds` (cachesim/sampling/budget.h). Returns what was chosen and why, in a line: the options that it names repeat the run.
std::string fit_budget(SimulationRequest& request, double seconds);

}  // namespace warpscope
