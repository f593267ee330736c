#pragma once
// A timed simulation that takes about as long as it may.
#include <string>

#include "timed/request.h"

namespace warpscope::timed {

/// As fit_budget() of cachesim/run, for the timed engine.
std::string fit_budget(TimedRequest& request, double seconds);

}  // namespace warpscope::timed
