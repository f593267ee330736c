#pragma once
// A cluster of work-groups (sm_90): they are resident together, see each other's shared memory, and meet at a barrier of their own.
#include <cstdint>
#include <string>
#include <vector>

#include "machine/execute/base/lane_values.h"
#include "traces/base/types.h"

namespace warpscope::machine {

class Group;
class Warp;

/// Of shared memory, an address has the number of the work-group in its cluster from this bit on (what ptxas 13.0 makes of mapa).
constexpr unsigned kRankShift = 24;
/// Work-groups of a cluster: 8 on all GPUs, 16 where the program asks for it (CUDA C++ Programming Guide, "Thread Block Clusters").
constexpr std::uint64_t kMostInCluster = 16;

/// How the work-groups of a launch are divided into clusters. Numbers of clusters go along x first, as those of work-groups.
struct ClusterGrid {
  Dim3 groups;  ///< of the launch
  Dim3 size;    ///< of a cluster, in work-groups; {1, 1, 1}: there are no clusters

  /// Why the launch cannot be divided so; "": it can.
  [[nodiscard]] std::string wrong() const;
  /// Clusters along each axis.
  [[nodiscard]] Dim3 counts() const { return {groups.x / size.x, groups.y / size.y, groups.z / size.z}; }
  /// The work-groups of a cluster, by their numbers in it.
  [[nodiscard]] std::vector<std::uint64_t> groups_of(std::uint64_t cluster) const;
};

class Cluster {
 public:
  /// Of `groups` work-groups with `warps` warps each, which join() afterwards.
  Cluster(std::size_t groups, std::size_t warps) : members_(groups), arrived_(groups * warps) {}

  void join(std::uint32_t rank, Group& group);
  /// Its shared memory is gone.
  void end(std::uint32_t rank) { members_[rank] = nullptr; }
  /// nullptr: there is no such work-group, or it has ended.
  [[nodiscard]] Group* member(std::uint64_t rank) const {
    return rank < members_.size() ? members_[rank] : nullptr;
  }
  [[nodiscard]] std::size_t size() const { return members_.size(); }

  /// Lanes arrive at the barrier (barrier.cluster.arrive).
  void arrive(const Warp& warp, LaneSet lanes);
  /// Whether lanes have arrived at the barrier and others have not.
  [[nodiscard]] bool has_to_wait(const Warp& warp, LaneSet lanes) const;
  /// A phase of a barrier in shared memory has ended (mbarrier); `phase`: its parity.
  void end_phase(const std::uint8_t* barrier, bool phase) const;
  /// Lanes have ended; the barrier no longer waits for them.
  void leave(const Warp& warp, LaneSet lanes);

 private:
  [[nodiscard]] std::size_t place_of(const Warp& warp) const;
  /// Lets all go on if all that have not ended have arrived.
  void open_if_full();

  std::vector<Group*> members_;
  std::vector<LaneSet> arrived_;  ///< of each warp, work-group by work-group
  std::uint64_t there_ = 0;       ///< lanes that have not ended
  std::uint64_t waiting_ = 0;     ///< of these, that have arrived
};

}  // namespace warpscope::machine
