#pragma once
// From a request to its result.
#include "cachesim/counters/launch_entries.h"
#include "timed/request.h"

namespace warpscope::timed {

/// Simulates the capture that a complete request names. The result is that of docs/tools/timed.md, with the
/// ranges of the repetitions where it asks for several. Throws InputError on damage and for what cannot be
/// simulated, Refused when no launch fits the GPU.
ResultJson run_timed(const TimedRequest& request);

}  // namespace warpscope::timed
