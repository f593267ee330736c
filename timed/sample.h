#pragma once
// A simulation of some cores that stand for all of a GPU: they get the work-groups that they would get in the whole, and their
// share of the L2 and of the DRAM.
#include <optional>
#include <vector>

#include "scheduler/schedule.h"
#include "timed/config/config.h"
#include "traces/program/group_selection.h"

namespace warpscope::timed {

/// The cores to simulate: options.sample_count of them, drawn with the seed, or those whose work-groups were recorded
/// (random-cores); absent if none was asked for. Throws InputError where none can stand for all.
std::optional<SampledCores> sample_of(const CaptureReader& capture,
                                      const std::vector<const LaunchInfo*>& launches,
                                      const ScheduleOptions& options);
/// What is left for the cores of `sample`: config.take_share() with the footprint that their accesses have in fixed order. `work`:
/// their part of the work-groups that begin together.
void take_share(TimedConfig& config, const CaptureReader& capture, const ScheduleOptions& options,
                const SampledCores& sample, double work);

}  // namespace warpscope::timed
