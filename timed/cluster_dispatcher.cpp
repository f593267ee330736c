#include "timed/cluster_dispatcher.h"

#include <algorithm>

#include "scheduler/run_launch.h"
#include "traces/base/random.h"

namespace warpscope::timed {
namespace {

std::vector<std::vector<std::uint32_t>> ordered_gpcs(const DispatchOptions& options, LaunchId launch) {
  auto gpcs = cores_of_gpcs(options.cores, options.gpcs);
  if (options.assignment != "shuffled") return gpcs;
  SplitMix64 random(placement_seed(options.seed, launch));
  shuffle(gpcs, random);
  for (std::vector<std::uint32_t>& cores : gpcs) shuffle(cores, random);
  return gpcs;
}

}  // namespace

ClusterDispatcher::ClusterDispatcher(const LaunchInfo& launch, const std::vector<WorkGroupId>& groups,
                                     const DispatchOptions& options)
    : placement_(ordered_gpcs(options, launch.id), options.slots) {
  for (const std::vector<WorkGroupId>& cluster : clusters_of(launch, groups)) {
    std::vector<std::size_t>& positions = clusters_.emplace_back();
    for (const WorkGroupId group : cluster)
      positions.push_back(
          static_cast<std::size_t>(std::lower_bound(groups.begin(), groups.end(), group) - groups.begin()));
  }
}

std::vector<ClusterDispatcher::Start> ClusterDispatcher::next() {
  std::vector<Start> found;
  if (started_ == clusters_.size()) return found;
  const std::vector<std::size_t>& cluster = clusters_[started_];
  const std::vector<std::uint32_t> cores = placement_.place(cluster.size());
  if (cores.empty()) return found;
  for (std::size_t rank = 0; rank < cluster.size(); ++rank) found.push_back({cluster[rank], cores[rank]});
  ++started_;
  return found;
}

}  // namespace warpscope::timed
