// Latencies but the L1's, ports, counters and stall reasons, by hand. A launch whose last instruction
// issues in cycle c takes c + 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/timed/line_kernel.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;

std::uint64_t stalls(const LaunchTiming& timing, StallReason reason, std::size_t scheduler = 0) {
  return timing.cores[0].schedulers[scheduler].stalls[static_cast<std::size_t>(reason)];
}

/// A warp loads from `space` and uses the data; one look-up per cycle.
Cycle load_and_use(AddressSpace space, std::uint32_t L1Config::*latency, std::uint32_t cycles,
                   std::uint32_t warps, const ItemAddress& address) {
  LineKernel k;
  const SiteId load = k.load(space);
  const KernelInfo kernel = k.use(load).finish();
  TimedConfig config = plain_config();
  config.l1.tags_per_cycle = 1;
  config.l1.*latency = cycles;
  return run(launch_of_items(kernel, warps, address), config).cycles;
}

TEST(LocalMemory, HasItsOwnLatencyAndTakesTheUnitForTheCyclesOfItsBanks) {
  const auto cycles = [](std::uint32_t warps, const ItemAddress& address) {
    return load_and_use(AddressSpace::Local, &L1Config::local_latency, 7, warps, address);
  };
  // Load in 0, its use in 7. Lanes 8 bytes apart: two words per bank, data in 8.
  EXPECT_EQ(cycles(1, [](auto item, auto) { return item * 4; }), 8u);
  const ItemAddress two_per_bank = [](auto item, auto) { return item * 8; };
  EXPECT_EQ(cycles(1, two_per_bank), 9u);
  // The second warp's turn comes in 2: its data is there in 2 + 1 + 7.
  EXPECT_EQ(cycles(2, two_per_bank), 11u);
}

TEST(LocalMemory, AWideAccessIsSeveralRequests) {
  LineKernel k;
  k.load(AddressSpace::Local);
  KernelInfo kernel = k.finish();
  kernel.sites[0].width = 16;  // aligned to 4: four instructions
  const LaunchTiming timing = run(launch_of(kernel, 1, 2, kOneLine), plain_config());
  std::uint64_t requests = 0;
  for (const OriginCounts& counts : timing.cores[0].origins) requests += counts.outside_requests;
  EXPECT_EQ(requests, 2u * 4u);
}

TEST(LocalMemory, CountsTheCyclesOfItsBanks) {
  LineKernel k;
  k.load(AddressSpace::Local);
  // Lanes 8 bytes apart: two words in each of 16 banks. Two warps: 4 wavefronts, 2 of them conflicts.
  const ItemAddress two_per_bank = [](auto item, auto) { return item * 8; };
  const LaunchTiming timing = run(launch_of_items(k.finish(), 2, two_per_bank), plain_config());
  const OriginCounts& counts = timing.cores[0].origins[0];
  EXPECT_EQ(counts.outside_requests, 2u);
  EXPECT_EQ(counts.outside_wavefronts, 4u);
  EXPECT_EQ(counts.outside_conflicts, 2u);
}

TEST(Counters, ACoreIsActiveWhileItHasAWarp) {
  LineKernel k;
  const KernelInfo kernel = k.compute(5).finish();
  // Two work-groups of one warp, five cycles each, one after the other.
  const LaunchTiming one = run(launch_of(kernel, 2, 1, kOneLine), plain_config());
  EXPECT_EQ(one.cycles, 10u);
  EXPECT_EQ(one.cores[0].active_cycles, 10u);
  // Both at once: they share the issue slot, so both are there for most of the ten cycles.
  RunOptions both;
  both.slots = 2;
  const LaunchTiming two = run(launch_of(kernel, 2, 1, kOneLine), plain_config(), both);
  EXPECT_EQ(two.cycles, 10u);
  EXPECT_EQ(two.cores[0].active_cycles, 10u);
  EXPECT_EQ(two.cores[0].warp_cycles, 9u + 10u);  // in turn: one ends after nine cycles, the other after ten
  // On another core there is nothing: it is never active.
  RunOptions idle;
  idle.cores = 3;
  const LaunchTiming spread = run(launch_of(kernel, 2, 1, kOneLine), plain_config(), idle);
  EXPECT_EQ(spread.cores[0].active_cycles, 5u);
  EXPECT_EQ(spread.cores[1].active_cycles, 5u);
  EXPECT_EQ(spread.cores[2].active_cycles, 0u);
}

TEST(Constants, HaveTheirOwnLatencyAndTakeACyclePerAddress) {
  const auto cycles = [](const ItemAddress& address) {
    return load_and_use(AddressSpace::Constant, &L1Config::constant_latency, 5, 1, address);
  };
  EXPECT_EQ(cycles([](auto, auto) { return 0; }), 6u);
  EXPECT_EQ(cycles([](auto item, auto) { return item % 4 * 4; }), 9u);
}

TEST(Load, DataOfAMissIsNotThereBeforeThatOfAHit) {
  LineKernel k;
  const SiteId load = k.load();
  TimedConfig config = plain_config();
  config.l1.hit_latency = 101;  // the memory's data comes in 100
  EXPECT_EQ(cycles_of(k.use(load).finish(), 1, config), 102u);
}

TEST(Load, AWideOneIsSeveralInstructions) {
  LineKernel k;
  k.load();
  KernelInfo kernel = k.finish();
  kernel.sites[0].width = 16;  // aligned to 4: four instructions
  const LaunchTiming timing = run(launch_of(kernel, 1, 2, kLinePerWarp), plain_config());
  EXPECT_EQ(timing.cycles, 105u);  // the second warp's load in 4
  EXPECT_EQ(timing.cores[0].memory_instructions, 8u);
  EXPECT_EQ(timing.cores[0].instructions, 8u);
}

TEST(Counters, OfOneMissAndOneHit) {
  LineKernel k;
  const SiteId load = k.load();
  k.use(load);
  k.load();
  const CoreCounts core = run(launch_of(k.finish(), 1, 1, kOneLine), plain_config()).cores[0];
  EXPECT_EQ(core.loads, 2u);
  EXPECT_EQ(core.load_latency, 110u);  // 100 and 10
  EXPECT_EQ(core.lookups, 2u);
  EXPECT_EQ(core.reply_bytes, 128u);
  EXPECT_EQ(core.request_bytes, 0u);
  EXPECT_EQ(core.instructions, 3u);
  EXPECT_EQ(core.memory_instructions, 2u);
  EXPECT_EQ(core.work_groups, 1u);
  EXPECT_EQ(core.warp_cycles, 112u);  // 0 … 111: the second load issues in 101
  EXPECT_EQ(core.active_cycles, 112u);
}

TEST(Ports, RepliesOfTheSameCycleCrossInTheOrderOfTheirRequests) {
  struct Order final : WarpAccessSink {
    std::vector<std::uint32_t> warps;
    void begin(const StreamHeader& /*header*/) override {}
    void begin_launch(LaunchId /*launch*/) override {}
    void access(const WarpAccess& access) override { warps.push_back(access.warp.value()); }
    void end() override {}
  } order;
  LineKernel k;
  const SiteId load = k.load();
  k.use(load);
  k.load();
  TimedConfig config = plain_config();
  config.l1.cache.size_kib = 16;
  config.issue.schedulers = 6;
  config.memory.reply_bytes_per_cycle = 32;  // a line takes 4 cycles: data in 100, 104, …
  run(launch_of(k.finish(), 1, 6, kLinePerWarp), config, {}, &order);
  EXPECT_EQ(order.warps, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
}

TEST(Ports, AStoreWaitsWhileThePortIsFurtherBehindThanItMayBe) {
  LineKernel k;
  for (int i = 0; i < 4; ++i) k.store();
  TimedConfig config = plain_config();
  config.memory.request_bytes_per_cycle = 32;  // 4 cycles each
  config.memory.request_queue_cycles = 4;
  config.l1.queue_entries = 1;
  const LaunchTiming timing = run(launch_of(k.compute(1).finish(), 1, 1, kOneLine), config);
  // Looked up in 0 and 1; the port is free in 8, so the third waits from 2 to 4. The fourth issues in 5, its
  // successor in 6.
  EXPECT_EQ(timing.cycles, 7u);
  EXPECT_EQ(timing.cores[0].request_bytes, 512u);
  EXPECT_GE(sum_of(timing).reservation_fails, 2u);
}

TEST(Stores, OfWriteBackWithoutAllocationGoOnOnlyWhenTheyMiss) {
  LineKernel k;
  const SiteId load = k.load();
  k.use(load);
  const SiteId hit = k.store();
  k.store();
  TimedConfig config = plain_config();
  config.l1.cache.write_policy = "WBNA";
  const WarpAddress address = [&](auto, auto, SiteId site, auto) {
    return site == load || site == hit ? 0u : 128u;
  };
  EXPECT_EQ(run(launch_of(k.finish(), 1, 1, address), config).cores[0].request_bytes, 128u);
}

TEST(Stores, ToPrivateMemoryAreSentOnByItsOwnPolicy) {
  LineKernel k;
  k.store();
  const SiteId first = k.store(), second = k.store();
  KernelInfo kernel = k.finish();
  for (const SiteId site : {first, second}) kernel.sites[site.value()].space = AddressSpace::Private;
  VectorSource source(kernel, {1, 1, 1}, {kWarp, 1, 1});
  source.add(make_group(
      kernel, 0, kWarp, [](auto, auto) { return Outcomes{}; },
      [&](auto, std::uint32_t item, SiteId site, auto) {
        if (site == first || site == second) return BufferAddr(BufferId(2), site == first ? 0 : 4).key();
        return BufferAddr(BufferId(1), item * 4).key();
      }));
  StreamHeader header = header_for(source);
  header.buffers.push_back({BufferId(2), "own", AddressSpace::Private, 8, "private"});
  const auto bytes = [&](const char* global, const char* own) {
    TimedConfig config = plain_config();
    config.l1.cache.write_policy = global;
    config.l1.cache.private_write_policy = own;
    return TimedEngine(config, header).run(source, {}).cores[0].request_bytes;
  };
  // One global line and two of private words, of 128 bytes each; what is written back stays.
  EXPECT_EQ(bytes("WTNA", "WBWA"), 128u);
  EXPECT_EQ(bytes("WBWA", "WTNA"), 256u);
}

TEST(Stores, ADirtyLineThatLeavesIsSentToTheL2) {
  LineKernel k;
  k.store();
  for (int i = 0; i < 4; ++i) k.load();
  TimedConfig config = plain_config();
  config.l1.cache.write_policy = "WBWA";
  const WarpAddress one_set = [](auto, auto, SiteId site, auto) { return site.value() * 256u; };
  const LaunchTiming timing = run(launch_of(k.finish(), 1, 1, one_set), config);  // 5 lines, 4 ways
  EXPECT_EQ(sum_of(timing).write_backs, 1u);
  EXPECT_EQ(timing.cores[0].request_bytes, 128u);
  EXPECT_EQ(timing.memory.l2_store_misses, 1u);
}

TEST(Units, TheWarpsOfAWorkGroupShareTheirs) {
  LineKernel k;
  k.load();
  TimedConfig config = plain_config();
  config.l1.units = 2;
  const WarpAddress line_per_group = [](std::uint32_t group, std::uint32_t, SiteId, std::uint64_t) {
    return group * 128u;
  };
  const LaunchTiming timing = run(launch_of(k.finish(), 2, 2, line_per_group), config, {1, 2, "round-robin"});
  EXPECT_EQ(sum_of(timing).misses, 2u) << "no unit sees the other group's line";
  EXPECT_EQ(sum_of(timing).hits_pending, 2u);
}

TEST(Units, AWorkGroupUsesOneL1) {
  LineKernel k;
  k.load();
  TimedConfig config = plain_config();
  config.l1.units = 2;
  const LaunchTiming timing = run(launch_of(k.finish(), 2, 2, kOneLine), config, {1, 2, "round-robin"});
  EXPECT_EQ(sum_of(timing).misses, 2u);  // one per unit
  EXPECT_EQ(sum_of(timing).hits_pending, 2u);
}

TEST(Loop, BranchCountsOncePerUnrolledBody) {
  LineKernel k;
  const SiteId load = k.load();
  const KernelInfo kernel = k.use(load).finish(true);
  TimedConfig config = plain_config();
  config.issue.unroll = 4;
  config.issue.costs[instruction_class_named("branch")] = {Unit::Control, 1, 1, 1};
  const WarpAddress next_line = [](auto, auto, SiteId, std::uint64_t count) { return count * 128; };
  // Loads in 0 … 3, uses in 103 … 106, the branch in 107: twice.
  EXPECT_EQ(cycles_of(kernel, 1, config, next_line, {0, 0, 0, 0, 0, 0, 0, 1}), 216u);
}

TEST(Loop, VolatileLoadsAreNotUnrolled) {
  LineKernel k;
  const SiteId load = k.load();
  KernelInfo kernel = k.use(load).finish(true);
  kernel.sites[0].is_volatile = true;
  TimedConfig config = plain_config();
  config.issue.unroll = 4;
  EXPECT_EQ(cycles_of(kernel, 1, config, kOneLine, {0, 0, 0, 0, 0, 0, 0, 1}), 808u);  // 8 · 101
}

TEST(Loop, LoadsThatBypassAreUnrolled) {
  LineKernel k;
  const SiteId load = k.load();
  KernelInfo kernel = k.use(load).finish(true);
  kernel.sites[0].is_bypass = true;
  TimedConfig config = plain_config();
  config.issue.unroll = 4;
  // Loads of the same line in 0 … 3, none of which finds it in the L1; uses in 103 … 106: twice.
  EXPECT_EQ(cycles_of(kernel, 1, config, kOneLine, {0, 0, 0, 0, 0, 0, 0, 1}), 214u);
}

TEST(Coalescing, HalfWarpsLookUpTheSameLineEach) {
  LineKernel k;
  k.load();
  KernelInfo kernel = k.finish();
  kernel.sites[0].width = kernel.sites[0].alignment = 8;
  TimedConfig config = plain_config();
  config.coalescing = "fermi";
  const LaunchTiming timing = run(launch_of_items(kernel, 1, [](auto, auto) { return 0; }), config);
  EXPECT_EQ(timing.cores[0].lookups, 2u);
  EXPECT_EQ(sum_of(timing).transactions, 2u);
}

TEST(Coalescing, OfAPatternDependsOnWidthAndPlace) {
  LineKernel k;
  k.load();
  const SiteId wide = k.load(), shifted = k.load();
  KernelInfo kernel = k.finish();
  kernel.sites[wide.value()].width = kernel.sites[wide.value()].alignment = 16;
  // 4 bytes apart: one line, two with the last lane's 16 bytes, two from the middle of a line on.
  const ItemAddress address = [&](auto item, SiteId site) { return item * 4 + (site == shifted ? 64 : 0); };
  EXPECT_EQ(sum_of(run(launch_of_items(kernel, 1, address), plain_config())).transactions, 5u);
}

TEST(Groups, ShuffledLayersGiveEveryCoreItsShareInAnotherOrder) {
  const VectorSource source = launch_of(LineKernel().compute(5).finish(), 32, 1, kOneLine);
  const auto cores = [&](const char* assignment) {
    std::vector<std::uint32_t> all;
    for (const CoreId core : run(source, plain_config(), {8, 4, assignment}).core_of_group)
      all.push_back(core.value());
    return all;
  };
  const std::vector<std::uint32_t> in_order = cores("dynamic"), shuffled = cores("shuffled");
  EXPECT_EQ(shuffled, cores("shuffled"));
  std::set<std::vector<std::uint32_t>> layers;
  for (std::size_t layer = 0; layer < 4; ++layer) {
    std::vector<std::uint32_t> of(shuffled.begin() + static_cast<std::ptrdiff_t>(layer * 8),
                                  shuffled.begin() + static_cast<std::ptrdiff_t>(layer * 8 + 8));
    layers.insert(of);
    std::sort(of.begin(), of.end());
    EXPECT_TRUE(std::equal(of.begin(), of.end(), in_order.begin())) << layer;  // 0 … 7
  }
  EXPECT_EQ(layers.size(), 4u);
}

TEST(StallReasons, DependencyAndBusyUnit) {
  TimedConfig config = plain_config();
  alu(config).latency = 4;
  const LaunchTiming chain = run(launch_of(LineKernel().compute(2).finish(), 1, 1, kOneLine), config);
  EXPECT_EQ(chain.cycles, 5u);
  EXPECT_EQ(stalls(chain, StallReason::Dependency), 3u);
  alu(config) = {Unit::Int, 1, 1, 3};
  const LaunchTiming busy = run(launch_of(LineKernel().compute(1).finish(), 1, 2, kOneLine), config);
  EXPECT_EQ(busy.cycles, 4u);
  EXPECT_EQ(stalls(busy, StallReason::UnitBusy), 2u);
}

TEST(StallReasons, MemoryThenBarrier) {
  LineKernel k;
  const SiteId load = k.load(AddressSpace::Local);
  k.use(load).barrier();
  TimedConfig config = plain_config();
  config.issue.schedulers = 2;
  config.l1.tags_per_cycle = 1;
  config.l1.local_latency = 7;
  // Warp 0 has its data in 7. Warp 1's four words per bank begin in 1: data in 1 + 3 + 7, both go on in 12.
  const ItemAddress address = [](auto item, auto) { return item < kWarp ? item * 4 : item * 16; };
  const LaunchTiming timing = run(launch_of_items(k.compute(1).finish(), 2, address), config);
  EXPECT_EQ(timing.cycles, 13u);
  EXPECT_EQ(timing.cores[0].schedulers[0].issue_cycles, 3u);
  EXPECT_EQ(stalls(timing, StallReason::Memory), 6u);
  EXPECT_EQ(stalls(timing, StallReason::Barrier), 3u);     // 8 … 10
  EXPECT_EQ(stalls(timing, StallReason::Dependency), 1u);  // it opens in 11
  EXPECT_EQ(stalls(timing, StallReason::Memory, 1), 10u);
  EXPECT_EQ(stalls(timing, StallReason::Barrier, 1), 0u);
}

}  // namespace
}  // namespace warpscope::timed
