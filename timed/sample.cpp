#include "timed/sample.h"

#include <fmt/format.h>

#include <algorithm>

#include "cachesim/transactions/coalescing_sink.h"
#include "scheduler/assignment.h"
#include "timed/footprint/footprint.h"
#include "traces/base/error.h"

namespace warpscope::timed {
namespace {

bool takes_global(const L1Config& l1) {
  return l1.takes == L1Takes::Everything || l1.takes == L1Takes::GlobalMemory;
}

/// What an L1 fetches at least: a line where it has no sectors. What it does not take comes by the L2's sectors.
std::uint32_t bytes_fetched(const TimedConfig& config) {
  const std::uint32_t bytes = takes_global(config.l1) ? config.l1.cache.transaction_bytes() : 0;
  const std::uint32_t least =
      std::max(config.memory.l2_sector_bytes, config.memory.l2_line_bytes / L2Content::kMostSectors);
  return std::clamp(bytes, least, config.memory.l2_line_bytes);
}

}  // namespace

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

void take_share(TimedConfig& config, const CaptureReader& capture, const ScheduleOptions& options,
                const SampledCores& sample, double work) {
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
  MemoryConfig& memory = config.memory;
  const std::uint32_t fetched = bytes_fetched(config);
  const std::uint64_t l1_lines =
      takes_global(config.l1) ? config.l1.cache.size_kib * 1024 / memory.l2_line_bytes : 0;
  Footprint footprint(
      sample, l1_lines, memory.l2_size_kib * 1024 / memory.l2_line_bytes / memory.l2_partitions,
      memory.l2_line_bytes / fetched, order.only_calibration || !sampled_cores_of(capture.launches()),
      memory.l2_keeps_content);
  CoalescingSink sink(fetched, coalescing_rule(config.coalescing), footprint);
  run_schedule(capture, order, sink);
  memory.take_share(static_cast<std::uint32_t>(sample.count()), static_cast<std::uint32_t>(sample.of),
                    footprint.share(), work);
  config.group_starts_per_cycle *= static_cast<double>(sample.count()) / static_cast<double>(sample.of);
  memory.fetched_by_others = footprint.fetched_by_others();
}

}  // namespace warpscope::timed
