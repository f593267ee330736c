// Order, residency and barriers on launches small enough to work out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "scheduler/run_launch.h"
#include "tests/unit/scheduler/kernel_builder.h"
#include "traces/base/error.h"

namespace warpscope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Turn = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< group, warp, site

const AddressOf kByItem = [](std::uint32_t group, std::uint32_t item, SiteId site, std::uint64_t count) {
  return BufferAddr(BufferId(1), 65536 * group + 1024 * site.value() + 256 * count + item * 4).key();
};
Outcomes no_branches(std::uint32_t, std::uint32_t) {
  return {};
}

/// Two loads, without branches; `groups` groups of `items` work-items.
VectorSource two_loads(std::uint32_t groups, std::uint32_t items) {
  KernelBuilder k;
  const SiteId first = k.load(), second = k.load();
  k.block({first, second}, {});
  const KernelInfo kernel = k.finish();
  VectorSource source(kernel, {groups, 1, 1}, {items, 1, 1});
  for (std::uint32_t g = 0; g < groups; ++g) source.add(make_group(kernel, g, items, no_branches, kByItem));
  return source;
}

/// Load, barrier, load.
VectorSource around_a_barrier(std::uint32_t groups, std::uint32_t items) {
  KernelBuilder k;
  const SiteId before = k.load(), wait = k.barrier(), after = k.load();
  k.block({before, wait, after}, {});
  const KernelInfo kernel = k.finish();
  VectorSource source(kernel, {groups, 1, 1}, {items, 1, 1});
  for (std::uint32_t g = 0; g < groups; ++g) source.add(make_group(kernel, g, items, no_branches, kByItem));
  return source;
}

ScheduleOptions options_for(const std::string& policy, std::uint32_t warp_size, std::uint32_t resident,
                            std::uint32_t cores = 1) {
  ScheduleOptions options;
  options.policy = policy;
  options.warp_size = warp_size;
  options.max_work_groups = resident;
  options.cores = cores;
  options.self_check = true;
  return options;
}

std::vector<Seen> seen(const WorkGroupSource& source, const ScheduleOptions& options) {
  RecordingSink sink;
  run_launch(source, options, sink);
  EXPECT_TRUE(sink.patterns_hold);
  return sink.seen;
}

std::vector<Turn> turns(const WorkGroupSource& source, const ScheduleOptions& options) {
  std::vector<Turn> result;
  for (const Seen& one : seen(source, options)) result.emplace_back(one.group, one.warp, one.site);
  return result;
}

TEST(WarpPolicy, VisitsWarpZeroOfEveryGroupThenWarpOne) {
  EXPECT_THAT(turns(two_loads(2, 4), options_for("warp", 2, 2)),
              ElementsAre(Turn{0, 0, 0}, Turn{1, 0, 0}, Turn{0, 1, 0}, Turn{1, 1, 0},  //
                          Turn{0, 0, 1}, Turn{1, 0, 1}, Turn{0, 1, 1}, Turn{1, 1, 1}));
}

TEST(WarpPolicy, OneAccessHoldsEveryLaneOfTheWarp) {
  const std::vector<Seen> all = seen(two_loads(1, 6), options_for("warp", 4, 1));
  ASSERT_EQ(all.size(), 4u);
  const std::uint64_t base = BufferAddr(BufferId(1), 0).key();
  EXPECT_EQ(all[0], (Seen{0, 0, 0, 0, 0b1111, {base, base + 4, base + 8, base + 12}}));
  EXPECT_EQ(all[1], (Seen{0, 0, 1, 0, 0b0011, {base + 16, base + 20}})) << "the last warp is partial";
}

// Slot 0: groups 0, then 2; slot 1: groups 1, then 3. Group 2 starts when group 0 has made its last access.
TEST(Residency, NextGroupTakesTheFreedSlot) {
  EXPECT_THAT(turns(two_loads(4, 1), options_for("warp", 1, 2)),
              ElementsAre(Turn{0, 0, 0}, Turn{1, 0, 0}, Turn{0, 0, 1}, Turn{1, 0, 1},  //
                          Turn{2, 0, 0}, Turn{3, 0, 0}, Turn{2, 0, 1}, Turn{3, 0, 1}));
}

TEST(Residency, OneGroupAtATimeRunsGroupAfterGroup) {
  EXPECT_THAT(turns(two_loads(2, 2), options_for("warp", 1, 1)),
              ElementsAre(Turn{0, 0, 0}, Turn{0, 1, 0}, Turn{0, 0, 1}, Turn{0, 1, 1},  //
                          Turn{1, 0, 0}, Turn{1, 1, 0}, Turn{1, 0, 1}, Turn{1, 1, 1}));
}

TEST(Residency, GroupsAreReadOnlyWhenTheyStart) {
  const VectorSource source = two_loads(3, 1);
  class Watch final : public WarpAccessSink {
   public:
    explicit Watch(const VectorSource& watched) : source(watched) {}
    void begin(const StreamHeader&) override {}
    void begin_launch(LaunchId) override {}
    void end() override {}
    void access(const WarpAccess& access) override {
      read_at_access.emplace_back(access.group.value(), source.reads().size());
    }
    const VectorSource& source;
    std::vector<std::pair<std::uint32_t, std::size_t>> read_at_access;
  } watch(source);
  run_launch(source, options_for("warp", 1, 1), watch);
  EXPECT_THAT(watch.read_at_access, ElementsAre(std::pair(0u, 1u), std::pair(0u, 1u), std::pair(1u, 2u),
                                                std::pair(1u, 2u), std::pair(2u, 3u), std::pair(2u, 3u)));
}

// Groups of two work-items side by side, two rows: row 0 holds (0,0) (0,1) of group 0 and of group 1, then
// row 1.
TEST(SinglePolicies, GoAlongTheRowsOfTheNdRange) {
  KernelBuilder k;
  const SiteId load = k.load();
  k.block({load}, {});
  const KernelInfo kernel = k.finish();
  VectorSource source(kernel, {2, 1, 1}, {2, 2, 1});
  for (std::uint32_t g = 0; g < 2; ++g) source.add(make_group(kernel, g, 4, no_branches, kByItem));
  for (const char* policy : {"sequential", "rr"}) {
    EXPECT_THAT(turns(source, options_for(policy, 1, 0)),
                ElementsAre(Turn{0, 0, 0}, Turn{0, 1, 0}, Turn{1, 0, 0}, Turn{1, 1, 0},  //
                            Turn{0, 2, 0}, Turn{0, 3, 0}, Turn{1, 2, 0}, Turn{1, 3, 0}))
        << policy;
  }
}

TEST(SequentialPolicy, RunsAWorkItemToItsEnd) {
  EXPECT_THAT(turns(two_loads(2, 2), options_for("sequential", 1, 0)),
              ElementsAre(Turn{0, 0, 0}, Turn{0, 0, 1}, Turn{0, 1, 0}, Turn{0, 1, 1},  //
                          Turn{1, 0, 0}, Turn{1, 0, 1}, Turn{1, 1, 0}, Turn{1, 1, 1}));
}

TEST(SequentialPolicy, TakesAFreedSlotInOrderToo) {
  EXPECT_THAT(turns(two_loads(2, 2), options_for("sequential", 1, 1)),
              ElementsAre(Turn{0, 0, 0}, Turn{0, 0, 1}, Turn{0, 1, 0}, Turn{0, 1, 1},  //
                          Turn{1, 0, 0}, Turn{1, 0, 1}, Turn{1, 1, 0}, Turn{1, 1, 1}));
}

TEST(SequentialPolicy, StopsAtTheBarrierOfItsGroup) {
  EXPECT_THAT(
      turns(around_a_barrier(1, 3), options_for("sequential", 1, 0)),
      ElementsAre(Turn{0, 0, 0}, Turn{0, 1, 0}, Turn{0, 2, 0}, Turn{0, 2, 2}, Turn{0, 0, 2}, Turn{0, 1, 2}));
}

TEST(RoundRobinPolicy, GivesEveryWorkItemOneAccessInTurn) {
  EXPECT_THAT(turns(two_loads(2, 2), options_for("rr", 1, 0)),
              ElementsAre(Turn{0, 0, 0}, Turn{0, 1, 0}, Turn{1, 0, 0}, Turn{1, 1, 0},  //
                          Turn{0, 0, 1}, Turn{0, 1, 1}, Turn{1, 0, 1}, Turn{1, 1, 1}));
}

TEST(RandomPolicy, SeedDecides) {
  const VectorSource source = two_loads(8, 8);
  ScheduleOptions options = options_for("random", 1, 0);
  const auto first = turns(source, options);
  EXPECT_EQ(first, turns(source, options));
  options.seed = 2;
  EXPECT_NE(first, turns(source, options));
}

// Of n ready work-items each is picked first with probability 1/n: over 4000 seeds and n = 4 every one is
// expected 1000 times; 150 is more than five standard deviations (sqrt(4000 x 1/4 x 3/4) = 27).
TEST(RandomPolicy, EveryReadyWorkItemIsEquallyLikely) {
  const VectorSource source = two_loads(1, 4);
  ScheduleOptions options = options_for("random", 1, 0);
  options.self_check = false;
  std::array<int, 4> first{};
  for (options.seed = 0; options.seed < 4000; ++options.seed)
    ++first.at(std::get<1>(turns(source, options)[0]));
  for (const int count : first) EXPECT_NEAR(count, 1000, 150);
}

// The first of four warps whose coin shows heads, from warp 0 on and round again: 8/15, 4/15, 2/15, 1/15. Over
// 4000 seeds the largest standard deviation is 32; 160 is five of them.
TEST(JitterPolicy, AWarpLetsATurnPassWithProbabilityOneHalf) {
  const VectorSource source = two_loads(1, 4);
  ScheduleOptions options = options_for("jitter", 1, 0);
  options.self_check = false;
  std::array<int, 4> first{};
  for (options.seed = 0; options.seed < 4000; ++options.seed)
    ++first.at(std::get<1>(turns(source, options)[0]));
  const std::array expected = {2133, 1067, 533, 267};
  for (std::size_t warp = 0; warp < 4; ++warp) EXPECT_NEAR(first.at(warp), expected.at(warp), 160) << warp;
}

TEST(Barrier, HoldsForItsGroupOnly) {
  // Group 0 has two warps, group 1 too, but group 1 comes later (one slot each on two cores would hide the
  // order): with both resident, group 0's warps pass as soon as both have arrived, whatever group 1 does.
  const auto all = turns(around_a_barrier(2, 4), options_for("warp", 2, 2));
  EXPECT_THAT(all, ElementsAre(Turn{0, 0, 0}, Turn{1, 0, 0}, Turn{0, 1, 0}, Turn{1, 1, 0},  //
                               Turn{0, 0, 2}, Turn{1, 0, 2}, Turn{0, 1, 2}, Turn{1, 1, 2}));
  // Sequentially, group 0 is through its barrier before group 1 has begun.
  const auto one_by_one = turns(around_a_barrier(2, 2), options_for("sequential", 1, 0));
  EXPECT_THAT(one_by_one, ElementsAre(Turn{0, 0, 0}, Turn{0, 1, 0}, Turn{0, 1, 2}, Turn{1, 0, 0},  //
                                      Turn{1, 1, 0}, Turn{1, 1, 2}, Turn{0, 0, 2}, Turn{1, 0, 2}));
}

TEST(Barrier, NoWarpPassesBeforeAllHaveArrived) {
  for (const char* policy : {"random", "sequential", "rr", "warp"}) {
    std::map<std::uint32_t, std::uint32_t> before;  // lanes of the group that made the first load
    for (const Seen& one : seen(around_a_barrier(5, 12), options_for(policy, 4, 3))) {
      if (one.site == 0) before[one.group] += static_cast<std::uint32_t>(one.keys.size());
      if (one.site == 2) {
        EXPECT_EQ(before[one.group], 12u) << policy;
      }
    }
  }
}

TEST(Barrier, FinishedWorkItemsAreNotWaitedFor) {
  KernelBuilder k;  // if (c) { load; barrier; load }
  const SiteId before = k.load(), wait = k.barrier(), after = k.load();
  k.block({}, {1, 2});
  k.block({before, wait, after}, {2});
  k.block({}, {});
  const KernelInfo kernel = k.finish();
  const auto first_half = [](std::uint32_t, std::uint32_t item) { return Outcomes{item < 3 ? 0u : 1u}; };
  VectorSource source(kernel, {1, 1, 1}, {6, 1, 1});
  source.add(make_group(kernel, 0, 6, first_half, kByItem));
  for (const char* reconvergence : {"ipdom", "loops"}) {
    ScheduleOptions options = options_for("warp", 2, 1);
    options.reconvergence = reconvergence;
    // Warp 0: items 0, 1. Warp 1: item 2 waits, item 3 has finished. Warp 2: nothing to do.
    EXPECT_THAT(turns(source, options),
                ElementsAre(Turn{0, 0, 0}, Turn{0, 1, 0}, Turn{0, 0, 2}, Turn{0, 1, 2}));
  }
}

// Both sides of the branch hold a barrier of their own: lanes arrive on different ways, and all pass
// together.
TEST(Barrier, LanesMayArriveOnDifferentPaths) {
  KernelBuilder k;
  const SiteId left = k.load(), left_wait = k.barrier(), left_after = k.load();
  const SiteId right = k.load(), right_wait = k.barrier(), right_after = k.load();
  const SiteId end = k.store();
  k.block({}, {1, 2});
  k.block({left, left_wait, left_after}, {3});
  k.block({right, right_wait, right_after}, {3});
  k.block({end}, {});
  const KernelInfo kernel = k.finish();
  const auto odd = [](std::uint32_t, std::uint32_t item) { return Outcomes{item % 2}; };
  VectorSource source(kernel, {1, 1, 1}, {2, 1, 1});
  source.add(make_group(kernel, 0, 2, odd, kByItem));
  for (const char* reconvergence : {"ipdom", "loops"}) {
    ScheduleOptions options = options_for("warp", 2, 1);
    options.reconvergence = reconvergence;
    std::vector<std::pair<std::uint32_t, LaneMask>> order;
    for (const Seen& one : seen(source, options)) order.emplace_back(one.site, one.mask);
    ASSERT_EQ(order.size(), 5u);
    EXPECT_EQ(std::set({order[0].first, order[1].first}), std::set({left.value(), right.value()}))
        << "both arrive";
    EXPECT_EQ(std::set({order[2].first, order[3].first}),
              std::set({left_after.value(), right_after.value()}));
    EXPECT_EQ(order[4], std::pair(end.value(), LaneMask{3})) << "and meet again at the end";
  }
}

TEST(Barrier, InALoopOpensOncePerIteration) {
  KernelBuilder k;
  const SiteId load = k.load(), wait = k.barrier();
  k.block({}, {1});
  k.block({load, wait}, {1, 2});
  k.block({}, {});
  const KernelInfo kernel = k.finish();
  VectorSource source(kernel, {1, 1, 1}, {3, 1, 1});
  const auto thrice = [](std::uint32_t, std::uint32_t) { return Outcomes{0, 0, 1}; };
  source.add(make_group(kernel, 0, 3, thrice, kByItem));
  std::vector<std::uint32_t> warps;
  for (const Seen& one : seen(source, options_for("sequential", 1, 0))) warps.push_back(one.warp);
  EXPECT_THAT(warps, ElementsAre(0, 1, 2, 2, 0, 1, 1, 2, 0));
}

TEST(Cores, GoOneAfterAnotherWithRoundRobinGroups) {
  const auto all = seen(two_loads(3, 1), options_for("warp", 1, 1, 2));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  for (const Seen& one : all) order.emplace_back(one.core, one.group);
  EXPECT_THAT(order,
              ElementsAre(std::pair(0u, 0u), std::pair(0u, 0u), std::pair(0u, 2u), std::pair(0u, 2u),  //
                          std::pair(1u, 1u), std::pair(1u, 1u)));
}

TEST(Cores, OneCoreIsTheSameAloneAsAmongOthers) {
  const VectorSource source = two_loads(7, 5);
  ScheduleOptions options = options_for("warp", 2, 2, 3);
  std::vector<Seen> of_core_1;
  for (const Seen& one : seen(source, options)) {
    if (one.core == 1) of_core_1.push_back(one);
  }
  options.only_core = CoreId(1);
  EXPECT_EQ(seen(source, options), of_core_1);
}

TEST(Schedule, PartialCapturesScheduleTheGroupsPresent) {
  KernelBuilder k;
  const SiteId load = k.load();
  k.block({load}, {});
  const KernelInfo kernel = k.finish();
  VectorSource source(kernel, {10, 1, 1}, {1, 1, 1});
  for (const std::uint32_t g : {2u, 5u, 9u}) source.add(make_group(kernel, g, 1, no_branches, kByItem));
  EXPECT_THAT(turns(source, options_for("warp", 32, 8)),
              ElementsAre(Turn{2, 0, 0}, Turn{5, 0, 0}, Turn{9, 0, 0}));
  EXPECT_EQ(seen(source, options_for("warp", 32, 8, 5)).back().core, 9u % 5) << "group i to core i mod cores";
}

TEST(Schedule, WarpWiderThanTheGroupIsOneWarp) {
  EXPECT_THAT(turns(two_loads(1, 5), options_for("warp", 64, 1)), ElementsAre(Turn{0, 0, 0}, Turn{0, 0, 1}));
}

TEST(Schedule, RefusesImpossibleOptions) {
  const VectorSource source = two_loads(2, 2);
  RecordingSink sink;
  const auto message = [&](const ScheduleOptions& options) {
    try {
      run_launch(source, options, sink);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(options_for("warp", 0, 1)), HasSubstr("--warp-size 0: expected 1 to 64"));
  EXPECT_THAT(message(options_for("warp", 65, 1)), HasSubstr("--warp-size 65: expected 1 to 64"));
  EXPECT_THAT(message(options_for("warp", 32, 1, 0)), HasSubstr("--cores 0"));
  EXPECT_THAT(message(options_for("gto", 32, 1)), HasSubstr("random, sequential, rr, warp"));
  ScheduleOptions options = options_for("warp", 32, 1, 2);
  options.only_core = CoreId(2);
  EXPECT_THAT(message(options), HasSubstr("--core 2: expected all or 0 to 1"));
}

TEST(Damage, IsNamedByGroupAndWorkItem) {
  RecordingSink sink;
  const auto message = [&](const VectorSource& source) {
    try {
      run_launch(source, options_for("warp", 2, 1), sink);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  VectorSource unexecuted = two_loads(2, 4);
  unexecuted.trace(1).columns[1].shape_of[3] = SiteColumn::kNone;
  EXPECT_THAT(message(unexecuted),
              HasSubstr("work-group 1, warp 1 (work-items 2 to 3): work-item 3 executes site 1"));
  VectorSource miscounted = two_loads(2, 4);
  miscounted.trace(1).paths[0].site_counts[0] = 2;
  EXPECT_THAT(message(miscounted),
              HasSubstr("work-group 1, work-item 0, site 0: executed 1 times, recorded 2"));
  VectorSource reordered = two_loads(2, 4);
  std::swap(reordered.trace(0).recorded_order[2][0], reordered.trace(0).recorded_order[2][1]);
  EXPECT_THAT(message(reordered),
              HasSubstr("work-group 0, work-item 2, site 0: is access 0, recorded was site 1"));
  VectorSource longer = two_loads(2, 4);
  longer.trace(0).columns[0].shapes = {{{4, 1}}};
  EXPECT_THAT(message(longer),
              HasSubstr("work-group 0, warp 0 (work-items 0 to 1): recorded addresses were not used"));
  VectorSource bits = two_loads(2, 4);
  bits.trace(1).paths[0].bits.push_back(1);
  bits.trace(1).paths[0].bit_count = 1;
  EXPECT_THAT(message(bits), HasSubstr("1 recorded branch outcomes were not used"));
}

TEST(Damage, EndlessLoopWithoutBranchesIsAnError) {
  KernelBuilder k;
  k.block({}, {1});
  k.block({}, {1});
  VectorSource source(k.finish(), {1, 1, 1}, {1, 1, 1});
  WorkGroupTrace trace;
  trace.work_items = 1;
  trace.path_of = {0};
  trace.paths.resize(1);
  source.add(trace);
  RecordingSink sink;
  EXPECT_THROW(run_launch(source, options_for("warp", 32, 1), sink), InputError);
}

}  // namespace
}  // namespace warpscope::testing
