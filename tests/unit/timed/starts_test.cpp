// Work-groups that the whole GPU starts one after the other, by hand.
#include <gtest/gtest.h>

#include "tests/unit/timed/line_kernel.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;

TEST(Starts, OneAfterTheOther) {
  const KernelInfo kernel = LineKernel().compute(5).finish();
  TimedConfig config = plain_config();
  config.group_starts_per_cycle = 0.4;
  // Of six work-groups on six cores the last one begins in 5 · 2.5; by cores of their own (static placement) all begin at once.
  const VectorSource six = launch_of(kernel, 6, 1, kOneLine);
  const LaunchTiming timing = run(six, config, {6, 1, "dynamic"});
  EXPECT_EQ(timing.cycles, 12u + 5u);
  for (const CoreCounts& core : timing.cores) {  // a work-group is not there before it begins
    EXPECT_EQ(core.active_cycles, 5u);
    EXPECT_EQ(core.warp_cycles, 5u);
    EXPECT_EQ(core.schedulers[0].stalls[static_cast<std::size_t>(StallReason::Empty)], 12u);
  }
  EXPECT_EQ(run(six, config, {6, 1, "round-robin"}).cycles, 5u);
  // On two cores of one place each they begin in 0 and 2 and end in 4 and 6; the next two could begin in 14 and 16, and do in 14 and 16.5; the
  // last two in 28 and 30.5.
  config.group_start_latency = 10;
  config.memory.l2_latency = 1;  // places are handed out in every cycle
  EXPECT_EQ(run(six, config, {2, 1, "dynamic"}).cycles, 30u + 5u);
  // At a single place none waits for its turn: 0, 14, 28, … 70.
  EXPECT_EQ(run(six, config, {1, 1, "dynamic"}).cycles, 70u + 5u);
}

TEST(Starts, AWorkGroupIsNotOnItsCoreBefore) {
  TimedConfig config = plain_config();
  config.group_starts_per_cycle = 0.1;
  const KernelInfo kernel = LineKernel().compute(5).finish();
  const LaunchTiming timing = run(launch_of(kernel, 2, 1, kOneLine), config, {1, 2, "dynamic"});
  EXPECT_EQ(timing.cycles, 15u);  // 0 to 4, and 10 to 14
  EXPECT_EQ(timing.cores[0].warp_cycles, 10u);
  EXPECT_EQ(timing.cores[0].active_cycles, 10u);
  EXPECT_EQ(timing.cores[0].schedulers[0].stalls[static_cast<std::size_t>(StallReason::Empty)], 5u);
}

/// Work-groups of 5 cycles on 16 cores in 4 GPCs, one on each at a time.
VectorSource clusters_of_three(std::uint32_t groups) {
  VectorSource source = launch_of(LineKernel().compute(5).finish(), groups, 1, kOneLine);
  source.mutable_launch().cluster = {3, 1, 1};
  return source;
}

TEST(Starts, AClusterWaitsUntilAGpcHasRoomForAll) {
  const TimedConfig config = plain_config();
  // Five clusters of three: a GPC has room for one at a time, so the fifth waits, though four cores are free.
  const VectorSource source = clusters_of_three(15);
  EXPECT_EQ(run(source, config, {16, 1, "dynamic"}).cycles, 5u);
  EXPECT_GE(run(source, config, {16, 1, "dynamic", 4}).cycles, 10u);
  EXPECT_EQ(run(clusters_of_three(12), config, {16, 1, "dynamic", 4}).cycles, 5u);
  // With two slots a core, each GPC has room for two.
  EXPECT_EQ(run(clusters_of_three(24), config, {16, 2, "dynamic", 4}).cycles,
            run(clusters_of_three(18), config, {16, 2, "dynamic", 4}).cycles);
}

TEST(Starts, AClusterIsInOneGpc) {
  const TimedConfig config = plain_config();
  for (const char* how : {"dynamic", "shuffled", "round-robin", "random"}) {
    const LaunchTiming timing = run(clusters_of_three(60), config, {16, 2, how, 4});
    ASSERT_EQ(timing.core_of_group.size(), 60u);
    for (std::size_t group = 0; group < 60; ++group)
      EXPECT_EQ(timing.core_of_group[group].value() / 4, timing.core_of_group[group / 3 * 3].value() / 4)
          << how;
    std::uint64_t instructions = 0;
    for (const CoreCounts& core : timing.cores) instructions += core.instructions;
    EXPECT_EQ(instructions, 60u * 5u);
  }
}

TEST(Starts, TheFirstClustersAreWhereStaticPlacementHasThem) {
  const VectorSource source = clusters_of_three(24);  // the first wave with two slots a core
  const LaunchTiming dynamic = run(source, plain_config(), {16, 2, "dynamic", 4});
  EXPECT_EQ(dynamic.core_of_group, run(source, plain_config(), {16, 2, "round-robin", 4}).core_of_group);
}

}  // namespace
}  // namespace warpscope::timed
