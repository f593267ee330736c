#include "scheduler/cluster_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "scheduler/assignment.h"
#include "traces/base/error.h"
#include "traces/base/random.h"

namespace warpscope {
namespace {

/// Slots of a core without a limit: so many that the sum of a GPC's does not overflow.
constexpr std::uint32_t kUnlimited = 1U << 30;

}  // namespace

ClusterPlacement::ClusterPlacement(std::vector<std::vector<std::uint32_t>> gpcs, std::uint32_t slots)
    : slots_(slots) {
  for (std::vector<std::uint32_t>& cores : gpcs) {
    for (const std::uint32_t core : cores) {
      gpc_of_.resize(std::max<std::size_t>(gpc_of_.size(), core + 1));
      gpc_of_[core] = static_cast<std::uint32_t>(gpcs_.size());
    }
    gpcs_.push_back({std::move(cores), {}, 0});
  }
  release_all();
}

void ClusterPlacement::release_all() {
  for (Gpc& gpc : gpcs_) {
    gpc.free_slots.assign(gpc.cores.size(), slots_);
    gpc.free = gpc.cores.size() * std::uint64_t{slots_};
  }
}

void ClusterPlacement::release(std::uint32_t core) {
  Gpc& gpc = gpcs_[gpc_of_[core]];
  const auto at = std::find(gpc.cores.begin(), gpc.cores.end(), core) - gpc.cores.begin();
  ++gpc.free_slots[static_cast<std::size_t>(at)];
  ++gpc.free;
}

std::uint64_t ClusterPlacement::most() const {
  std::uint64_t most = 0;
  for (const Gpc& gpc : gpcs_) most = std::max(most, gpc.cores.size() * std::uint64_t{slots_});
  return most;
}

std::vector<std::uint32_t> ClusterPlacement::place(std::size_t groups) {
  for (std::size_t k = 0; k < gpcs_.size(); ++k) {
    const std::size_t number = (next_ + k) % gpcs_.size();
    Gpc& gpc = gpcs_[number];
    if (gpc.free < groups) continue;
    next_ = (number + 1) % gpcs_.size();
    std::vector<std::size_t> order(gpc.cores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return gpc.free_slots[a] > gpc.free_slots[b]; });
    std::vector<std::uint32_t> found;
    for (std::size_t at = 0; found.size() < groups; at = (at + 1) % order.size()) {
      if (gpc.free_slots[order[at]] == 0) continue;
      --gpc.free_slots[order[at]];
      found.push_back(gpc.cores[order[at]]);
    }
    gpc.free -= groups;
    return found;
  }
  return {};
}

std::vector<std::vector<WorkGroupId>> clusters_of(const LaunchInfo& launch,
                                                  const std::vector<WorkGroupId>& present) {
  std::map<std::uint64_t, std::vector<WorkGroupId>> found;
  for (const WorkGroupId group : present) found[launch.cluster_of(group)].push_back(group);
  std::vector<std::vector<WorkGroupId>> clusters;
  clusters.reserve(found.size());
  for (auto& [number, groups] : found) clusters.push_back(std::move(groups));
  return clusters;
}

bool places_clusters(const LaunchInfo& launch, std::uint32_t gpcs) {
  return gpcs != 0 && launch.cluster.count() > 1;
}

void require_room_for_clusters(const LaunchInfo& launch, const Machine& machine) {
  if (!places_clusters(launch, machine.gpcs)) return;
  if (launch.sampling->find("-core") != std::string::npos)
    throw InputError(
        fmt::format("launch {}: of its clusters, which are placed as wholes, the work-groups of some cores "
                    "were recorded ({}), expected "
                    "--work-groups with numbers, every or random",
                    launch.id.value(), *launch.sampling));
  const auto gpcs = cores_of_gpcs(machine.cores, machine.gpcs);
  const std::uint32_t slots = machine.slots == 0 ? kUnlimited : machine.slots;
  if (ClusterPlacement(gpcs, slots).most() >= launch.cluster.count()) return;
  throw InputError(fmt::format(
      "launch {}: a cluster has {} work-groups, the largest of {} GPCs holds {} at once ({} cores, {} on "
      "each); take smaller clusters or "
      "work-groups",
      launch.id.value(), launch.cluster.count(), gpcs.size(), gpcs[0].size() * slots, gpcs[0].size(), slots));
}

std::vector<std::vector<WorkGroupId>> assign_launch(const LaunchInfo& launch,
                                                    const std::vector<WorkGroupId>& present,
                                                    const Machine& machine, const std::string& how,
                                                    std::uint64_t seed) {
  if (!places_clusters(launch, machine.gpcs) || (how != "round-robin" && how != "random"))
    return assign_groups(present, launch.groups().count(), machine.cores, how, seed);
  std::vector<std::vector<WorkGroupId>> clusters = clusters_of(launch, present);
  if (how == "random") {
    SplitMix64 random(seed);
    shuffle(clusters, random);
  }
  ClusterPlacement placement(cores_of_gpcs(machine.cores, machine.gpcs), machine.slots);
  std::vector<std::vector<WorkGroupId>> groups_of(machine.cores);
  for (const std::vector<WorkGroupId>& cluster : clusters) {
    std::vector<std::uint32_t> cores = placement.place(cluster.size());
    if (cores.empty()) {
      placement.release_all();
      cores = placement.place(cluster.size());
    }
    for (std::size_t k = 0; k < cluster.size(); ++k) groups_of[cores[k]].push_back(cluster[k]);
  }
  return groups_of;
}

}  // namespace warpscope
