#pragma once
// Clusters of a launch, waiting for a GPC that has slots for all their work-groups.
#include <cstdint>
#include <vector>

#include "scheduler/cluster_placement.h"
#include "timed/engine.h"

namespace warpscope::timed {

class ClusterDispatcher {
 public:
  /// `groups`: those present, ascending. `options`: machine, rule and seed.
  ClusterDispatcher(const LaunchInfo& launch, const std::vector<WorkGroupId>& groups,
                    const DispatchOptions& options);

  struct Start {
    std::size_t group;  ///< position in `groups`
    std::uint32_t core;
  };
  /// The work-groups of the next cluster, for which slots are taken; empty if no GPC has room for it, or none is left.
  std::vector<Start> next();
  /// A work-group of this core has ended.
  void release(std::uint32_t core) { placement_.release(core); }

 private:
  std::vector<std::vector<std::size_t>> clusters_;  ///< positions, by rank
  std::size_t started_ = 0;
  ClusterPlacement placement_;
};

}  // namespace warpscope::timed
