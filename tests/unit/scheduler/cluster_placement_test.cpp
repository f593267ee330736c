// Work-groups of clusters on the cores of GPCs: laws, a naive model, and arithmetic.
#include "scheduler/cluster_placement.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "scheduler/assignment.h"
#include "scheduler/run_launch.h"
#include "tests/unit/scheduler/kernel_builder.h"
#include "traces/base/error.h"
#include "traces/base/random.h"

namespace warpscope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Cores = std::vector<std::uint32_t>;

LaunchInfo launch_of(Dim3 groups, Dim3 cluster) {
  LaunchInfo launch;
  launch.local = {32, 1, 1};
  launch.global = {groups.x * 32, groups.y, groups.z};
  launch.cluster = cluster;
  return launch;
}

std::vector<WorkGroupId> all_of(const LaunchInfo& launch) {
  std::vector<WorkGroupId> groups;
  for (std::uint32_t g = 0; g < launch.groups().count(); ++g) groups.emplace_back(g);
  return groups;
}

/// The cluster of a work-group by its coordinates.
std::uint64_t naive_cluster(const LaunchInfo& launch, std::uint64_t group) {
  const Dim3 groups = launch.groups(), size = launch.cluster;
  std::uint64_t x = 0, y = 0, z = 0;
  for (std::uint64_t k = 0; k < group; ++k)
    if (++x == groups.x) {
      x = 0;
      if (++y == groups.y) {
        y = 0;
        ++z;
      }
    }
  return x / size.x + groups.x / size.x * (y / size.y + groups.y / size.y * (z / size.z));
}

/// Of "round-robin": clusters one after the other; each time, the slots that are free are counted among what the wave has placed.
std::map<std::uint64_t, Cores> naive_cores(std::uint64_t clusters, std::size_t size,
                                           const std::vector<Cores>& gpcs, std::uint32_t slots) {
  std::map<std::uint64_t, Cores> found;
  Cores wave;
  std::size_t turn = 0;
  for (std::uint64_t cluster = 0; cluster < clusters; ++cluster) {
    for (std::size_t tried = 0; found[cluster].empty(); ++tried, ++turn) {
      if (tried == gpcs.size()) wave.clear();
      const Cores& cores = gpcs[turn % gpcs.size()];
      const auto used = [&](std::uint32_t core) { return std::count(wave.begin(), wave.end(), core); };
      std::int64_t free = 0;
      for (const std::uint32_t core : cores) free += slots - used(core);
      if (free < static_cast<std::int64_t>(size)) continue;
      // In rounds over the cores, those that have used least first.
      Cores order = cores;
      std::map<std::uint32_t, std::int64_t> before;
      for (const std::uint32_t core : cores) before[core] = used(core);
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return before[a] < before[b]; });
      while (found[cluster].size() < size)
        for (const std::uint32_t core : order)
          if (found[cluster].size() < size && used(core) < slots) {
            found[cluster].push_back(core);
            wave.push_back(core);
          }
    }
  }
  return found;
}

struct Case {
  LaunchInfo launch;
  Machine machine;
  std::vector<Cores> gpcs;
};

/// Random launches and machines of which some GPC holds a cluster.
Case random_case(SplitMix64& random) {
  while (true) {
    const Dim3 size{1 + random.below(4), 1 + random.below(2), 1 + random.below(2)};
    const Dim3 counts{1 + random.below(6), 1 + random.below(4), 1 + random.below(3)};
    Case one{
        launch_of({size.x * counts.x, size.y * counts.y, size.z * counts.z}, size),
        {1 + static_cast<std::uint32_t>(random.below(30)), 1 + static_cast<std::uint32_t>(random.below(6)),
         1 + static_cast<std::uint32_t>(random.below(3))},
        {}};
    one.gpcs = cores_of_gpcs(one.machine.cores, one.machine.gpcs);
    if (size.count() > 1 && ClusterPlacement(one.gpcs, one.machine.slots).most() >= size.count()) return one;
  }
}

TEST(Clusters, GpcsHaveWholeTpcs) {
  const auto h100 = cores_of_gpcs(132, 8);
  Cores sizes, all;
  for (const Cores& cores : h100) {
    sizes.push_back(static_cast<std::uint32_t>(cores.size()));
    all.insert(all.end(), cores.begin(), cores.end());
  }
  EXPECT_THAT(sizes, ElementsAre(18, 18, 16, 16, 16, 16, 16, 16));  // 66 TPCs: 8 · 8 + 2
  EXPECT_EQ(all.size(), 132u);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_THAT(cores_of_gpcs(5, 8), ElementsAre(Cores{0, 1}, Cores{2, 3}, Cores{4}));
}

TEST(Clusters, EveryGroupIsPlacedOnceAndAClusterInOneGpc) {
  SplitMix64 random(3);
  for (int k = 0; k < 300; ++k) {
    const Case one = random_case(random);
    for (const char* how : {"round-robin", "random"}) {
      const auto groups_of = assign_launch(one.launch, all_of(one.launch), one.machine, how, 7);
      std::map<std::uint64_t, std::set<std::size_t>> gpcs_of;
      std::set<WorkGroupId> placed;
      std::size_t count = 0;
      for (std::size_t gpc = 0; gpc < one.gpcs.size(); ++gpc)
        for (const std::uint32_t core : one.gpcs[gpc])
          for (const WorkGroupId group : groups_of[core]) {
            gpcs_of[naive_cluster(one.launch, group.value())].insert(gpc);
            placed.insert(group);
            ++count;
          }
      EXPECT_EQ(count, one.launch.groups().count());
      EXPECT_EQ(placed.size(), count);
      for (const auto& [cluster, gpcs] : gpcs_of) EXPECT_EQ(gpcs.size(), 1u) << cluster;
    }
  }
}

TEST(Clusters, ArePlacedAsTheNaiveModelDoes) {
  SplitMix64 random(11);
  for (int k = 0; k < 300; ++k) {
    const Case one = random_case(random);
    const auto groups_of = assign_launch(one.launch, all_of(one.launch), one.machine, "round-robin", 1);
    std::map<std::uint64_t, Cores> found;
    for (std::uint32_t core = 0; core < one.machine.cores; ++core)
      for (const WorkGroupId group : groups_of[core])
        found[naive_cluster(one.launch, group.value())].push_back(core);
    auto expected = naive_cores(one.launch.groups().count() / one.launch.cluster.count(),
                                one.launch.cluster.count(), one.gpcs, one.machine.slots);
    for (auto& [cluster, cores] : expected) std::sort(cores.begin(), cores.end());
    EXPECT_EQ(found, expected) << k;
  }
}

TEST(Clusters, TakeNoMoreThanTheSlotsOfACore) {
  SplitMix64 random(5);
  for (int k = 0; k < 100; ++k) {
    const Case one = random_case(random);
    ClusterPlacement placement(one.gpcs, one.machine.slots);
    std::vector<Cores> running;
    Cores used(one.machine.cores);
    for (int step = 0; step < 200; ++step) {
      const Cores cores = placement.place(one.launch.cluster.count());
      for (const std::uint32_t core : cores) EXPECT_LE(++used[core], one.machine.slots);
      if (!cores.empty()) running.push_back(cores);
      if (cores.empty() || random.below(3) == 0) {
        ASSERT_FALSE(running.empty());
        const std::size_t ends = random.below(running.size());
        for (const std::uint32_t core : running[ends]) {
          placement.release(core);
          --used[core];
        }
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(ends));
      }
    }
  }
}

TEST(Clusters, OfOneWorkGroupAndUnknownGpcsAreNone) {
  const LaunchInfo alone = launch_of({37, 2, 1}, {1, 1, 1}), two = launch_of({38, 2, 1}, {2, 1, 1});
  for (const char* how : {"round-robin", "random"}) {
    EXPECT_EQ(assign_launch(alone, all_of(alone), {20, 4, 2}, how, 9),
              assign_groups(all_of(alone), 74, 20, how, 9));
    EXPECT_EQ(assign_launch(two, all_of(two), {20, 0, 2}, how, 9),
              assign_groups(all_of(two), 76, 20, how, 9));
  }
}

TEST(Clusters, ThatNoGpcHoldsAreRefused) {
  const LaunchInfo launch = launch_of({32, 1, 1}, {16, 1, 1});
  EXPECT_NO_THROW(require_room_for_clusters(launch, {132, 8, 1}));
  EXPECT_NO_THROW(require_room_for_clusters(launch, {8, 1, 2}));
  EXPECT_NO_THROW(require_room_for_clusters(launch, {2, 1, 0}));
  EXPECT_THAT(
      [&] {
        require_room_for_clusters(launch, {120, 8, 1});
      },
      ::testing::Not(::testing::Throws<InputError>()));
  EXPECT_THAT(
      [&] {
        require_room_for_clusters(launch, {112, 8, 1});
      },
      ThrowsMessage<InputError>(
          HasSubstr("a cluster has 16 work-groups, the largest of 8 GPCs holds 14 at once "
                    "(14 cores, 1 on each)")));
  LaunchInfo sampled = launch;
  sampled.sampling = std::string("every-core:4/132");
  EXPECT_THAT(
      [&] {
        require_room_for_clusters(sampled, {132, 8, 1});
      },
      ThrowsMessage<InputError>(HasSubstr("every-core:4/132")));
}

/// Parts of a capture may hold parts of clusters.
TEST(Clusters, OfWhichAPartIsPresentArePlacedInPart) {
  const LaunchInfo launch = launch_of({8, 2, 1}, {2, 2, 1});
  const auto clusters =
      clusters_of(launch, {WorkGroupId(1), WorkGroupId(2), WorkGroupId(8), WorkGroupId(15)});
  EXPECT_THAT(clusters, ElementsAre(ElementsAre(WorkGroupId(1), WorkGroupId(8)), ElementsAre(WorkGroupId(2)),
                                    ElementsAre(WorkGroupId(15))));
}

}  // namespace
}  // namespace warpscope::testing
