// Cycles counted by hand. Cycle numbers start at 0; a launch whose last instruction issues in cycle c takes c
// + 1.
#include <gtest/gtest.h>

#include "tests/unit/timed/line_kernel.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;

TEST(Issue, OneInstructionPerCycleAndScheduler) {
  const KernelInfo kernel = LineKernel().compute(5).finish();
  EXPECT_EQ(cycles_of(kernel, 1, plain_config()), 5u);
  EXPECT_EQ(cycles_of(kernel, 3, plain_config()), 15u);
  TimedConfig config = plain_config();
  config.issue.schedulers = 3;  // one warp each
  EXPECT_EQ(cycles_of(kernel, 3, config), 5u);
}

TEST(Issue, WidthIssuesDifferentWarpsInOneCycle) {
  TimedConfig config = plain_config();
  config.issue.issue_width = 2;
  config.issue.costs[instruction_class_named("int_alu")].interval = 0;  // two of the same unit
  const KernelInfo kernel = LineKernel().compute(5).finish();
  EXPECT_EQ(cycles_of(kernel, 2, config), 5u);
  EXPECT_EQ(cycles_of(kernel, 1, config), 5u);  // never the same warp twice
}

TEST(Issue, DependentInstructionWaitsForTheLatency) {
  TimedConfig config = plain_config();
  alu(config).latency = 4;
  const KernelInfo kernel = LineKernel().compute(5).finish();
  EXPECT_EQ(cycles_of(kernel, 1, config), 17u);  // issues in 0, 4, 8, 12, 16
  config.issue.independent = 2;
  EXPECT_EQ(cycles_of(kernel, 1, config), 9u);  // 0, 2, 4, 6, 8
  config.issue.independent = 3;
  EXPECT_EQ(cycles_of(kernel, 1, config), 6u);  // 4 / 3 apart: 0, 1, 2, 4, 5
  config.issue.independent = 4;
  EXPECT_EQ(cycles_of(kernel, 1, config), 5u);
}

TEST(Issue, OtherWarpsFillTheLatency) {
  TimedConfig config = plain_config();
  alu(config).latency = 4;
  EXPECT_EQ(cycles_of(LineKernel().compute(5).finish(), 4, config), 20u);  // 4 · 5, no gap
}

TEST(Issue, UnitTakesAWarpForItsInterval) {
  TimedConfig config = plain_config();
  alu(config).interval = 2;
  EXPECT_EQ(cycles_of(LineKernel().compute(3).finish(), 2, config), 11u);  // 0, 2, …, 10
}

TEST(Issue, ExpandsAnInstructionOfTheCapture) {
  TimedConfig config = plain_config();
  alu(config).instructions = 3;
  EXPECT_EQ(cycles_of(LineKernel().compute(4).finish(), 1, config), 12u);
}

TEST(Load, DataOfAMissIsThereAfterTheLatencyOfTheMemory) {
  LineKernel k;
  const SiteId load = k.load();
  const KernelInfo kernel = k.use(load).finish();
  TimedConfig config = plain_config();
  EXPECT_EQ(cycles_of(kernel, 1, config), 101u);  // load in 0, its user in 100
  config.memory.l2_latency = 101;
  EXPECT_EQ(cycles_of(kernel, 1, config), 102u);
}

TEST(Load, DataOfAHitIsThereAfterTheLatencyOfTheL1) {
  LineKernel k;
  const SiteId first = k.load();
  k.use(first);
  const SiteId second = k.load();
  const KernelInfo kernel = k.use(second).finish();
  TimedConfig config = plain_config();
  EXPECT_EQ(cycles_of(kernel, 1, config), 112u);  // 0, 100, second load in 101, its user in 111
  config.l1.hit_latency = 9;
  EXPECT_EQ(cycles_of(kernel, 1, config), 111u);
}

TEST(Load, IndependentInstructionsIssueMeanwhile) {
  LineKernel k;
  const SiteId load = k.load();
  const KernelInfo kernel = k.compute(99).use(load).finish();
  EXPECT_EQ(cycles_of(kernel, 1, plain_config()), 101u);  // 1 … 99, then 100
  LineKernel longer;
  const SiteId again = longer.load();
  EXPECT_EQ(cycles_of(longer.compute(100).use(again).finish(), 1, plain_config()), 102u);
}

TEST(Load, WarpEndsWhenItsDataHasArrived) {
  LineKernel k;
  k.load();
  EXPECT_EQ(cycles_of(k.finish(), 1, plain_config()), 101u);
}

TEST(Load, DramAddsItsLatency) {
  LineKernel k;
  const SiteId first = k.load();
  TimedConfig config = plain_config();
  config.memory.dram_latency = 50;
  EXPECT_EQ(cycles_of(k.use(first).finish(), 1, config), 151u);
}

TEST(Load, LinesAreLookedUpByTheCycle) {
  LineKernel k;
  const SiteId load = k.load();
  KernelInfo kernel = k.use(load).finish();
  // 32 lanes, 64 bytes apart: 16 lines.
  VectorSource source(kernel, {1, 1, 1}, {kWarp, 1, 1});
  source.add(make_group(
      kernel, 0, kWarp, [](std::uint32_t, std::uint32_t) { return Outcomes{}; },
      [](std::uint32_t, std::uint32_t item, SiteId, std::uint64_t) {
        return BufferAddr(BufferId(1), item * 64).key();
      }));
  TimedConfig config = plain_config();
  config.l1.cache.size_kib = 16;
  EXPECT_EQ(run(source, config).cycles, 101u);
  config.l1.tags_per_cycle = 4;
  EXPECT_EQ(run(source, config).cycles, 104u);  // look-ups in 0, 1, 2, 3
  config.l1.tags_per_cycle = 1;
  EXPECT_EQ(run(source, config).cycles, 116u);
}

TEST(Load, DataStageDelaysTheNextAccess) {
  LineKernel k;
  const SiteId a = k.load();
  k.use(a);
  const SiteId b = k.load();
  const SiteId c = k.load();
  const KernelInfo kernel = k.use(c).use(b).finish();
  TimedConfig config = plain_config();
  config.l1.data_bytes_per_cycle = 32;  // a line takes 4 cycles
  // a in 0; its data passes the port for 4 cycles, in the memory's 100. User in 100. b issues in 101, is
  // looked up in 101 and leaves the data stage in 104; c issues in 102, is looked up in 105 and has its data
  // at 105 + 3 + 10.
  EXPECT_EQ(cycles_of(kernel, 1, config), 120u);  // c's user in 118, b's in 119
}

TEST(Mshr, SecondMissToALineMergesAndTakesTheFirstOnesData) {
  LineKernel k;
  const SiteId load = k.load();
  const LaunchTiming timing = run(launch_of(k.use(load).finish(), 1, 2, kOneLine), plain_config());
  EXPECT_EQ(timing.cycles, 102u);  // loads in 0 and 1; users in 100 and 101
  EXPECT_EQ(sum_of(timing).misses, 1u);
  EXPECT_EQ(sum_of(timing).hits_pending, 1u);
}

TEST(Mshr, WithoutAFreeEntryTheLookUpIsRepeated) {
  LineKernel k;
  const SiteId load = k.load();
  TimedConfig config = plain_config();
  config.l1.mshr_entries = 1;
  const LaunchTiming timing = run(launch_of(k.use(load).finish(), 1, 2, kLinePerWarp), config);
  // The second look-up fails in cycles 1 … 99; in 100 the first line arrives and the second request leaves.
  EXPECT_EQ(timing.cycles, 201u);
  EXPECT_EQ(sum_of(timing).reservation_fails, 99u);
  EXPECT_EQ(sum_of(timing).misses, 2u);
  config.l1.mshr_entries = 2;
  EXPECT_EQ(run(launch_of(k.kernel(), 1, 2, kLinePerWarp), config).cycles, 102u);
}

TEST(Mshr, MergesAreLimitedPerEntry) {
  LineKernel k;
  const SiteId load = k.load();
  const KernelInfo kernel = k.use(load).finish();
  TimedConfig config = plain_config();
  config.l1.mshr_merges = 2;
  const LaunchTiming timing = run(launch_of(kernel, 1, 3, kOneLine), config);
  // The third warp's look-up fails from 2 to 99; in 100 the line is there: a hit, data in 110.
  EXPECT_EQ(sum_of(timing).reservation_fails, 98u);
  EXPECT_EQ(sum_of(timing).hits_pending, 1u);
  EXPECT_EQ(sum_of(timing).hits, 1u);
  EXPECT_EQ(timing.cycles, 111u);
  config.l1.mshr_merges = 3;
  EXPECT_EQ(run(launch_of(kernel, 1, 3, kOneLine), config).cycles, 103u);
}

TEST(Mshr, ASetFullOfLinesOnTheirWayRefuses) {
  LineKernel k;
  const SiteId load = k.load();
  const KernelInfo kernel = k.use(load).finish();
  const WarpAddress one_set = [](std::uint32_t, std::uint32_t warp, SiteId, std::uint64_t) {
    return warp * 256u;  // two sets: every second line
  };
  const LaunchTiming timing = run(launch_of(kernel, 1, 5, one_set), plain_config());
  EXPECT_EQ(sum_of(timing).reservation_fails, 96u);  // 4 … 99
  EXPECT_EQ(timing.cycles, 201u);
  TimedConfig config = plain_config();
  config.l1.allocate_on_fill = true;
  EXPECT_EQ(run(launch_of(kernel, 1, 5, one_set), config).cycles, 105u);
}

TEST(Queue, AFullQueueHoldsMemoryInstructionsBack) {
  LineKernel k;
  const SiteId load = k.load();
  const KernelInfo kernel = k.use(load).finish();
  TimedConfig config = plain_config();
  config.l1.mshr_entries = 1;
  config.l1.queue_entries = 1;
  const LaunchTiming timing = run(launch_of(kernel, 1, 3, kLinePerWarp), config);
  // Warp 1's access sits in the queue from 1 to 100; warp 2's can issue in 101 and gets its entry in 200.
  EXPECT_EQ(timing.cycles, 301u);
  const SchedulerCounts& scheduler = timing.cores[0].schedulers[0];
  EXPECT_EQ(scheduler.issue_cycles, 6u);
  // Nothing issues in 2 … 99: warp 2 is ready and refused. In 100 warp 0's use issues.
  EXPECT_EQ(scheduler.stalls[static_cast<std::size_t>(StallReason::LoadStoreFull)], 98u);
  EXPECT_EQ(scheduler.stalls[static_cast<std::size_t>(StallReason::Memory)], 301u - 98u - 6u);
}

TEST(Store, NeverWaits) {
  LineKernel k;
  k.store();
  EXPECT_EQ(cycles_of(k.compute(1).finish(), 1, plain_config()), 2u);
}

TEST(Store, WritesLeaveAtTheRateOfThePort) {
  LineKernel k;
  k.store();
  k.store();
  k.store();
  TimedConfig config = plain_config();
  config.memory.request_bytes_per_cycle = 32;  // a line of 128 bytes takes 4 cycles
  config.memory.request_queue_cycles = 4;
  config.l1.queue_entries = 1;
  // Lines are written in 0 and 1 (port busy to 4, then to 8); the third is looked up when the port is 4
  // behind, in 4.
  const LaunchTiming timing = run(launch_of(k.compute(1).finish(), 1, 1, kOneLine), config);
  EXPECT_EQ(timing.cycles, 4u);  // the warp itself only fills the queue: 0, 1, 2, 3
  EXPECT_EQ(sum_of(timing).misses + sum_of(timing).hits, 3u);
}

TEST(Barrier, OpensInTheCycleAfterTheLastArrival) {
  LineKernel k;
  k.compute(3).barrier();
  const KernelInfo kernel = k.compute(1).finish();
  // Two warps in turn: the last of 6 instructions in cycle 5, then the barrier; users in 6 and 7.
  EXPECT_EQ(cycles_of(kernel, 2, plain_config()), 8u);
  TimedConfig config = plain_config();
  alu(config).latency = 10;
  // Warp 0: 0, 10, 20; warp 1: 1, 11, 21. The barrier is passed when both have issued: in 22, but no warp
  // issues before its own latency is over: 30 and 31.
  EXPECT_EQ(cycles_of(kernel, 2, config), 32u);
}

TEST(Barrier, WarpsWithoutWorkWaitForData) {
  LineKernel k;
  const SiteId load = k.load();
  k.use(load).barrier();
  const KernelInfo kernel = k.compute(1).finish();
  TimedConfig config = plain_config();
  // Loads in 0 and 1, uses in 100 and 101, and both go on in 102 and 103.
  EXPECT_EQ(cycles_of(kernel, 2, config, kLinePerWarp), 104u);
}

TEST(Groups, AFreedSlotTakesTheNextAfterTheStartLatency) {
  const KernelInfo kernel = LineKernel().compute(5).finish();
  TimedConfig config = plain_config();
  const VectorSource source = launch_of(kernel, 3, 1, kOneLine);
  EXPECT_EQ(run(source, config).cycles, 15u);
  config.group_start_latency = 10;
  // Group 0 ends with the instruction of cycle 4; group 1 begins in 14.
  EXPECT_EQ(run(source, config).cycles, 4u + 10u + 4u + 10u + 5u);
  EXPECT_EQ(run(source, config, {1, 1, "dynamic"}).cycles, 4u + 10u + 4u + 10u + 5u);
  EXPECT_EQ(run(source, config, {1, 3, "round-robin"}).cycles, 15u);
}

TEST(Groups, ACoreStartsWarpsOneAfterTheOther) {
  const KernelInfo kernel = LineKernel().compute(5).finish();
  TimedConfig config = plain_config();
  config.warp_start_cycles = 10;
  // Three warps of one work-group begin in 0, 10 and 20.
  EXPECT_EQ(run(launch_of(kernel, 1, 3, kOneLine), config, {1, 1, "dynamic"}).cycles, 20u + 5u);
  // Two work-groups of two warps on one core: 0 and 10, then 20 and 30. On two cores: 0 and 10.
  const VectorSource two = launch_of(kernel, 2, 2, kOneLine);
  EXPECT_EQ(run(two, config, {1, 2, "dynamic"}).cycles, 30u + 5u);
  EXPECT_EQ(run(two, config, {1, 2, "round-robin"}).cycles, 30u + 5u);
  EXPECT_EQ(run(two, config, {2, 2, "dynamic"}).cycles, 10u + 5u);
  config.group_start_latency = 30;
  // One slot: the first work-group ends with the instruction of cycle 14, the second begins in 44 and 54.
  EXPECT_EQ(run(two, config, {1, 1, "dynamic"}).cycles, 54u + 5u);
}

TEST(Groups, GoToTheCoreThatIsFreeFirst) {
  // Group 0 is long; of the others each takes 5 cycles.
  LineKernel k;
  const KernelInfo kernel = k.compute(4).finish(true);
  VectorSource source(kernel, {5, 1, 1}, {kWarp, 1, 1});
  for (std::uint32_t g = 0; g < 5; ++g) {
    Outcomes outcomes(g == 0 ? 10 : 1, 0);
    outcomes.back() = 1;
    source.add(make_group(
        kernel, g, kWarp, [&](std::uint32_t, std::uint32_t) { return outcomes; },
        [](std::uint32_t, std::uint32_t, SiteId, std::uint64_t) { return 0; }));
  }
  const LaunchTiming timing = run(source, plain_config(), {2, 1, "dynamic"});
  std::vector<std::uint32_t> cores;
  for (const CoreId core : timing.core_of_group) cores.push_back(core.value());
  EXPECT_EQ(cores, (std::vector<std::uint32_t>{0, 1, 1, 1, 1}));
  const LaunchTiming layers = run(source, plain_config(), {2, 2, "dynamic"});
  cores.clear();
  for (const CoreId core : layers.core_of_group) cores.push_back(core.value());
  EXPECT_EQ(cores, (std::vector<std::uint32_t>{0, 1, 0, 1, 1}));
}

TEST(Loop, UnrolledIterationsLoadBeforeTheFirstUse) {
  LineKernel k;
  const SiteId load = k.load();
  const KernelInfo kernel = k.use(load).finish(true);
  const WarpAddress next_line = [](std::uint32_t, std::uint32_t, SiteId, std::uint64_t count) {
    return count * 128;
  };
  const Outcomes eight{0, 0, 0, 0, 0, 0, 0, 1};
  TimedConfig config = plain_config();
  // One by one: load in 0, use in 100; the next load in 101: 8 · 101.
  EXPECT_EQ(cycles_of(kernel, 1, config, next_line, eight), 808u);
  config.issue.unroll = 4;
  // Loads in 0 … 3, the last data in 103, four uses in 103 … 106, loads from 107 on: 2 · 107.
  EXPECT_EQ(cycles_of(kernel, 1, config, next_line, eight), 214u);
  const Outcomes six{0, 0, 0, 0, 0, 1};
  // The second body has two iterations: loads in 107 and 108, uses in 208 and 209.
  EXPECT_EQ(cycles_of(kernel, 1, config, next_line, six), 210u);
}

/// A load and its use, again and again, each of the next line.
struct LoadingLoop {
  explicit LoadingLoop(std::uint32_t others = 0) {
    LineKernel k;
    const SiteId load = k.load();
    kernel = k.use(load).compute(others).finish(true);
  }
  [[nodiscard]] std::uint64_t cycles(std::uint32_t unroll) const {
    TimedConfig config = plain_config();
    config.issue.unroll = unroll;
    return cycles_of(kernel, 1, config,
                     [](std::uint32_t, std::uint32_t, SiteId, std::uint64_t count) { return count * 128; },
                     {0, 0, 0, 0, 0, 0, 0, 1});
  }
  KernelInfo kernel;
};

TEST(Loop, IsNotUnrolledWhereAnIterationNeedsTheOneBefore) {
  LoadingLoop loop;
  EXPECT_EQ(loop.cycles(4), 214u);
  // The loaded value is the next address, whole, as a part, or by a choice.
  for (auto of : {&AddressSources::value, &AddressSources::part, &AddressSources::choice}) {
    LoadingLoop chain;
    chain.kernel.sites[0].address_from.emplace();
    (*chain.kernel.sites[0].address_from).*of = {SiteId(0)};
    EXPECT_EQ(chain.cycles(4), 808u);
  }
  // It says whether there is a next iteration.
  loop.kernel.blocks[0].branch_from = {SiteId(0)};
  EXPECT_EQ(loop.cycles(4), 808u);
}

TEST(Loop, IsNotUnrolledWhereNobodyKnowsHowOftenItRuns) {
  LoadingLoop loop;
  loop.kernel.loops[0].is_counted = false;
  EXPECT_EQ(loop.cycles(4), 808u);
}

TEST(Loop, IsUnrolledAsFarAsItsInstructionsAllow) {
  // Eight iterations wait for as many latencies as there are bodies, of 110 instructions at most: 4 · 27, 2 · 55.
  const auto latencies = [](std::uint32_t instructions, std::uint32_t unroll) {
    const LoadingLoop loop(instructions - 3);
    // Besides latencies of nearly 100 cycles there are only the instructions, each one cycle.
    return (loop.cycles(unroll) - 8 * instructions) / 90;
  };
  EXPECT_EQ(latencies(27, 4), 2u);
  EXPECT_EQ(latencies(28, 4), 4u);
  EXPECT_EQ(latencies(52, 4), 4u);
  EXPECT_EQ(latencies(55, 4), 4u);
  EXPECT_EQ(latencies(56, 4), 8u);
  EXPECT_EQ(latencies(27, 2), 4u);
  // More than four are of a known number of iterations, which only its loads limit.
  EXPECT_EQ(latencies(27, 8), 1u);
  EXPECT_EQ(latencies(56, 64), 1u);
}

TEST(Loop, IsUnrolledAsFarAsItsLoadsAllow) {
  // Twelve loads of a body: four iterations of three, two of four. The loads of an iteration are of one line, the next iteration's of the next.
  const auto bodies = [](std::uint32_t loads) {
    LineKernel k;
    for (std::uint32_t i = 0; i < loads; ++i) k.load();
    for (std::uint32_t i = 0; i < loads; ++i) k.use(SiteId(i));
    TimedConfig config = plain_config();
    config.issue.unroll = 4;
    const auto next_line = [](std::uint32_t, std::uint32_t, SiteId, std::uint64_t count) {
      return count * 128;
    };
    // Besides latencies of nearly 100 cycles there are only the instructions, each one cycle.
    return (cycles_of(k.finish(true), 1, config, next_line, {0, 0, 0, 0, 0, 0, 0, 1}) - 16 * loads) / 90;
  };
  EXPECT_EQ(bodies(3), 2u);
  EXPECT_EQ(bodies(4), 4u);
  EXPECT_EQ(bodies(6), 4u);
  EXPECT_EQ(bodies(7), 8u);
}

TEST(Loop, LoadsThatNeedEachOtherWaitInTheFirstIterationOfABody) {
  LineKernel k;
  const SiteId index = k.load();
  k.use(index);
  const SiteId value = k.load();
  const KernelInfo kernel = k.use(value).finish(true);
  const Outcomes two{0, 1};
  TimedConfig config = plain_config();
  const WarpAddress next_line = [](std::uint32_t, std::uint32_t, SiteId site, std::uint64_t count) {
    return (count * 2 + site.value()) * 128;
  };
  EXPECT_EQ(cycles_of(kernel, 1, config, next_line, two), 404u);
  config.issue.unroll = 4;
  // The index in 0, its use in 100, the value in 101; index, use and value of the next in 102 to 104; the values are there in 204, used in 204 and
  // 205. So two latencies for both, as where a compiler loads the indices of all iterations first.
  EXPECT_EQ(cycles_of(kernel, 1, config, next_line, two), 206u);
}

TEST(Memory, L2SliceAndReplyPortAreQueues) {
  LineKernel k;
  const SiteId load = k.load();
  const KernelInfo kernel = k.use(load).finish();
  TimedConfig config = plain_config();
  config.issue.schedulers = 2;
  const VectorSource source = launch_of(kernel, 1, 2, kLinePerWarp);
  EXPECT_EQ(run(source, config).cycles, 101u);  // both loads in 0
  config.memory.l2_bytes_per_cycle = 32;        // the second line begins 4 cycles later
  EXPECT_EQ(run(source, config).cycles, 105u);
  config.memory.l2_bytes_per_cycle = 0;
  config.memory.reply_bytes_per_cycle = 64;  // … 2 cycles later
  EXPECT_EQ(run(source, config).cycles, 103u);
  config.memory.reply_bytes_per_cycle = 1024;  // both in one cycle
  EXPECT_EQ(run(source, config).cycles, 101u);
  config.memory.replies_per_cycle = 1;
  EXPECT_EQ(run(source, config).cycles, 102u);
}

TEST(Memory, DramIsAQueuePerChannel) {
  LineKernel k;
  const SiteId load = k.load();
  const KernelInfo kernel = k.use(load).finish();
  TimedConfig config = plain_config();
  config.issue.schedulers = 2;
  config.memory.dram_latency = 50;
  config.memory.dram_bytes_per_cycle = 16;  // 8 cycles per line
  EXPECT_EQ(run(launch_of(kernel, 1, 2, kLinePerWarp), config).cycles, 159u);
}

TEST(Memory, AtomicsOnOneWordFollowEachOther) {
  LineKernel k;
  const SiteId atomic = k.atomic();
  const KernelInfo kernel = k.use(atomic).finish();
  TimedConfig config = plain_config();
  config.memory.l2_bytes_per_cycle = 1024;
  // Lanes per word; of a line's words the last one has what is left over.
  const auto cycles = [&](std::uint32_t together) {
    VectorSource source(kernel, {1, 1, 1}, {kWarp, 1, 1});
    source.add(make_group(
        kernel, 0, kWarp, [](std::uint32_t, std::uint32_t) { return Outcomes{}; },
        [&](std::uint32_t, std::uint32_t item, SiteId, std::uint64_t) {
          return BufferAddr(BufferId(1), item / together * 4).key();
        }));
    return run(source, config).cycles;
  };
  EXPECT_EQ(cycles(1), 101u);  // 32 words of a line at once: as a load
  EXPECT_EQ(cycles(4), 104u);
  EXPECT_EQ(cycles(32), 132u);
}

}  // namespace
}  // namespace warpscope::timed
