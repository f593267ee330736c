#pragma once
// Which cores get the work-groups of a cluster (sm_90): those of one GPC, which has room for all of them at once.
#include <cstdint>
#include <string>
#include <vector>

#include "gpus/gpcs.h"
#include "traces/base/types.h"
#include "traces/program/capture.h"

namespace warpscope {

class ClusterPlacement {
 public:
  /// `slots`: work-groups that a core holds at once, at least 1.
  ClusterPlacement(std::vector<std::vector<std::uint32_t>> gpcs, std::uint32_t slots);

  /// Work-groups of a cluster that the largest GPC holds, when it is empty.
  [[nodiscard]] std::uint64_t most() const;
  /// Takes slots for the next cluster, of `groups` work-groups, in the next GPC in turn that has as many: one on each of the cores with
  /// most free slots, the lowest first; more only if it has more work-groups than the GPC has cores with a free slot. Their
  /// cores, by rank; empty if no GPC has room.
  std::vector<std::uint32_t> place(std::size_t groups);
  /// A work-group of this core has ended.
  void release(std::uint32_t core);
  /// All have.
  void release_all();

 private:
  struct Gpc {
    std::vector<std::uint32_t> cores, free_slots;  ///< the same length
    std::uint64_t free = 0;                        ///< sum of free_slots
  };

  std::vector<Gpc> gpcs_;
  std::vector<std::uint32_t> gpc_of_;  ///< indexed by core
  std::uint32_t slots_;
  std::size_t next_ = 0;
};

/// Work-groups of each cluster that are present, by rank; clusters ascending. `present` is ascending.
std::vector<std::vector<WorkGroupId>> clusters_of(const LaunchInfo& launch,
                                                  const std::vector<WorkGroupId>& present);

/// What the work-groups of a launch are placed on.
struct Machine {
  std::uint32_t cores = 1;
  std::uint32_t gpcs = 0;   ///< 0: unknown, work-groups of clusters are placed one by one
  std::uint32_t slots = 1;  ///< work-groups that a core holds at once
};

/// Whether the launch's clusters are placed as wholes.
bool places_clusters(const LaunchInfo& launch, std::uint32_t gpcs);
/// Throws InputError for a launch of which no GPC holds a cluster, or of which only some cores' work-groups were recorded, as if they were placed
/// one by one. `slots`: 0 = no limit.
void require_room_for_clusters(const LaunchInfo& launch, const Machine& machine);

/// As assign_groups(), of a launch; per core its work-groups in the order in which they start. Of clusters that are placed as wholes, a wave has
/// as many as ClusterPlacement finds room for; in the next one all slots are free again. "random" draws the order of clusters.
std::vector<std::vector<WorkGroupId>> assign_launch(const LaunchInfo& launch,
                                                    const std::vector<WorkGroupId>& present,
                                                    const Machine& machine, const std::string& how,
                                                    std::uint64_t seed);

}  // namespace warpscope
