#pragma once
// Fixed-order schedule of one launch from any source of work-groups; run_schedule() is this for every launch
// of a capture.
#include <functional>

#include "scheduler/replay/control_flow.h"
#include "scheduler/replay/work_group_source.h"
#include "scheduler/schedule.h"

namespace warpscope {

/// For assign_groups(), where --assign is random and --seed is `seed`.
std::uint64_t placement_seed(std::uint64_t seed, LaunchId launch);

/// Sends the launch's accesses to `sink` (access() only), core after core; on every
/// core the work-groups start in ascending order and a freed slot takes the core's next one. `group_finished`
/// may be empty. `observer`: of the replay, or null; not with options.self_check or options.formation. Throws
/// InputError on damage or impossible options.
void run_launch(const WorkGroupSource& source, const ScheduleOptions& options, WarpAccessSink& sink,
                const std::function<void(WorkGroupId)>& group_finished = {},
                ReplayObserver* observer = nullptr);

}  // namespace warpscope
