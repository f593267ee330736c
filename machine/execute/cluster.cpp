#include "machine/execute/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "machine/execute/group.h"

namespace warpscope::machine {

std::string ClusterGrid::wrong() const {
  const bool fits = std::max({size.x, size.y, size.z}) <= kMostInCluster && size.count() <= kMostInCluster;
  if (!fits || size.count() == 0)
    return fmt::format("clusters of {}x{}x{} work-groups, expected 1 to {} in all", size.x, size.y, size.z,
                       kMostInCluster);
  if (groups.x % size.x == 0 && groups.y % size.y == 0 && groups.z % size.z == 0) return "";
  return fmt::format("{}x{}x{} work-groups, expected multiples of its clusters of {}x{}x{}", groups.x,
                     groups.y, groups.z, size.x, size.y, size.z);
}

std::vector<std::uint64_t> ClusterGrid::groups_of(std::uint64_t cluster) const {
  const Dim3 count = counts();
  const Dim3 first{cluster % count.x * size.x, cluster / count.x % count.y * size.y,
                   cluster / (count.x * count.y) * size.z};
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t z = first.z; z < first.z + size.z; ++z)
    for (std::uint64_t y = first.y; y < first.y + size.y; ++y)
      for (std::uint64_t x = first.x; x < first.x + size.x; ++x)
        numbers.push_back((z * groups.y + y) * groups.x + x);
  return numbers;
}

void Cluster::join(std::uint32_t rank, Group& group) {
  members_[rank] = &group;
  for (const auto& warp : group.warps()) there_ += static_cast<unsigned>(std::popcount(warp->existing()));
}

std::size_t Cluster::place_of(const Warp& warp) const {
  return warp.group().rank() * (arrived_.size() / members_.size()) + warp.number();
}

void Cluster::arrive(const Warp& warp, LaneSet lanes) {
  LaneSet& before = arrived_[place_of(warp)];
  waiting_ += static_cast<unsigned>(std::popcount(lanes & ~before));
  before |= lanes;
  open_if_full();
}

bool Cluster::has_to_wait(const Warp& warp, LaneSet lanes) const {
  return (arrived_[place_of(warp)] & lanes) != 0;
}

void Cluster::end_phase(const std::uint8_t* barrier, bool phase) const {
  for (Group* const member : members_)
    if (member != nullptr)
      for (const auto& warp : member->warps()) warp->end_phase(barrier, phase);
}

void Cluster::leave(const Warp& warp, LaneSet lanes) {
  LaneSet& before = arrived_[place_of(warp)];
  there_ -= static_cast<unsigned>(std::popcount(lanes));
  waiting_ -= static_cast<unsigned>(std::popcount(lanes & before));
  before &= ~lanes;
  open_if_full();
}

void Cluster::open_if_full() {
  if (waiting_ == 0 || waiting_ < there_) return;
  waiting_ = 0;
  std::fill(arrived_.begin(), arrived_.end(), 0);
  for (Group* member : members_)
    if (member != nullptr)
      for (const auto& warp : member->warps()) warp->release_cluster_barrier();
}

}  // namespace warpscope::machine
