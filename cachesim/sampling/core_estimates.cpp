#include "cachesim/sampling/core_estimates.h"

#include <algorithm>
#include <vector>

#include "cachesim/sampling/estimate.h"
#include "cachesim/sampling/metrics.h"
#include "scheduler/assignment.h"
#include "scheduler/schedule.h"
#include "traces/program/core_sample.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

LaunchShapes shapes_of(const LaunchList& launches) {
  LaunchShapes shapes;
  for (const LaunchInfo& launch : launches) ++shapes[launch.groups()];
  return shapes;
}

/// How many work-groups core `core` of `of` gets, dealt out in turn or at random in equal shares.
double work_groups_of(const LaunchShapes& launches, std::uint64_t core, std::uint64_t of) {
  std::uint64_t sum = 0;
  for (const auto& [groups, times] : launches)
    sum += times * (groups.count() / of + (core < groups.count() % of ? 1 : 0));
  return static_cast<double>(sum);
}

/// The strata, or all cores as one where a stratum has too few drawn cores for a variance of its own: a program's launches were
/// recorded by one draw, and its strata are known at the end only.
std::vector<CoreStratum> strata_for(const StreamHeader& header, const LaunchShapes& shapes,
                                    const SampledCores& drawn) {
  const bool at_random = header.context.is_object() && header.context.contains("assignment") &&
                         header.context.at("assignment") == "random";
  std::vector<CoreStratum> strata =
      core_strata(shapes, header.cores, at_random ? CorePlacement::Random : CorePlacement::InTurn);
  const auto has_too_few = [&](const CoreStratum& stratum) {
    const auto found =
        std::count_if(stratum.begin(), stratum.end(), [&](std::uint32_t core) { return drawn.has(core); });
    return found < 2 && static_cast<std::size_t>(found) < stratum.size();
  };
  if (strata.size() == 1 || std::none_of(strata.begin(), strata.end(), has_too_few)) return strata;
  strata[0].insert(strata[0].end(), strata[1].begin(), strata[1].end());
  strata.pop_back();
  return strata;
}

}  // namespace

std::optional<SampledCores> drawn_cores(const StreamHeader& header) {
  if (auto simulated = drawn_for_stream(header); !simulated.empty())
    return SampledCores{1, header.cores, std::move(simulated)};
  auto recorded = sampled_cores_of(header.launches);
  return recorded && !recorded->drawn.empty() && recorded->of == header.cores ? recorded : std::nullopt;
}

Json core_estimates(const StreamHeader& header, const SampledCores& drawn, const SimulationResult& result) {
  const LaunchShapes shapes = shapes_of(header.launches);
  std::vector<DrawnStratum> strata;
  double all_groups = 0;
  for (const CoreStratum& stratum : strata_for(header, shapes, drawn)) {
    DrawnStratum here{stratum.size(), {}};
    for (const std::uint32_t core : stratum) {
      const double groups = work_groups_of(shapes, core, header.cores);
      all_groups += groups;
      if (!drawn.has(core)) continue;
      const auto counted = result.cores.find(CoreId(core));
      here.units.push_back({counted == result.cores.end() ? Counts{} : counted->second, 0, groups});
    }
    strata.push_back(std::move(here));
  }
  return metrics_of(strata, all_groups);
}

}  // namespace warpscope
