#include "timed/sample.h"

#include <fmt/format.h>

#include <algorithm>

#include "cachesim/transactions/coalescing_sink.h"
#include "scheduler/assignment.h"
#include "timed/footprint.h"
#include "traces/base/error.h"

namespace warpscope::timed {

std::optional<SampledCores> sample_of(const CaptureReader& capture,
                                      const std::vector<const LaunchInfo*>& launches,
                                      const ScheduleOptions& options) {
  if (options.sample_count == 0) return {};
  auto recorded = sampled_cores_of(capture.launches());
  if (!recorded) return SampledCores{1, options.cores, drawn_for(capture, launches, options)};
  if (recorded->drawn.empty() || recorded->of != options.cores || recorded->count() != options.sample_count)
    throw InputError(
        fmt::format("--sample-cores {} of {}: {} of {} cores were recorded{}, expected a capture of all, or "
                    "of as many drawn with "
                    "--work-groups random-cores",
                    options.sample_count, options.cores, recorded->count(), recorded->of,
                    recorded->drawn.empty() ? ", not drawn at random" : ""));
  return recorded;
}

void take_share(MemoryConfig& config, const CaptureReader& capture, const ScheduleOptions& options,
                const SampledCores& sample, const std::string& coalescing) {
  ScheduleOptions order = options;
  order.sample_count = 0;
  order.without_local = true;  // it has no lines, and some kernels access little else
  order.self_check = false;
  order.policy = "warp";
  order.assignment = "round-robin";
  const auto recorded = order.launches.of(capture.launches());
  order.only_calibration = std::all_of(recorded.begin(), recorded.end(), [](const LaunchInfo* launch) {
    return GroupSelection::parse(launch->sampling).first() != 0;
  });
  Footprint footprint(sample, config.l2_line_bytes / config.l2_sector_bytes,
                      order.only_calibration || !sampled_cores_of(capture.launches()));
  CoalescingSink sink(config.l2_sector_bytes, coalescing_rule(coalescing), footprint);
  run_schedule(capture, order, sink);
  config.take_share(static_cast<std::uint32_t>(sample.count()), static_cast<std::uint32_t>(sample.of),
                    footprint.share());
  config.fetched_by_others = footprint.fetched_by_others();
}

}  // namespace warpscope::timed
