#pragma once
// One core whose warps are formed while they run.
#include <functional>
#include <vector>

#include "scheduler/formation/formed_group.h"
#include "scheduler/replay/work_group_source.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// Sends the accesses of `groups`, in the order in which they start, to `sink`: `slots` (> 0) of them are resident at once and take
/// turns, an access each. `finished` may be empty.
void run_formed_core(const FormedLaunch& launch, const WorkGroupSource& source,
                     const std::vector<WorkGroupId>& groups, std::uint32_t slots, CoreId core,
                     WarpAccessSink& sink, const std::function<void(WorkGroupId)>& finished);

}  // namespace warpscope
