// Policies that hold warps back: static wavefront limiting and cache-conscious wavefront scheduling. Scores by hand, a
// thrash of two warps, and what must not depend on the policy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/timed/line_kernel.h"
#include "timed/memory/l1_watch.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;
using Values = std::vector<std::uint32_t>;

/// The first parameters of a policy, in their order.
PolicyValues values_of(const std::string& policy, const Values& values) {
  PolicyValues given;
  for (std::size_t i = 0; i < values.size(); ++i)
    given.set(issue_policy_named(policy).parameters()[i], values[i]);
  return given;
}

/// A scheduler with warps 0 … n − 1, the lower the older.
class Scheduler {
 public:
  Scheduler(const std::string& policy, const Values& values, std::uint32_t warps)
      : policy_(issue_policy_named(policy).make_policy(values_of(policy, values))),
        present_((PlaceMask{1} << warps) - 1) {
    for (WarpPlace w = 0; w < warps; ++w) policy_->arrived(w);
    for (std::uint64_t w = 0; w < 64; ++w) age_[w] = w;
  }
  AnyIssuePolicy& operator*() { return *policy_; }
  AnyIssuePolicy* operator->() { return policy_.get(); }
  PlaceMask may_issue(PlaceMask ready, PlaceMask loads, Cycle now = 0, PlaceMask at_barrier = 0) {
    return policy_->may_issue({ready, present_, 0, age_.data(), at_barrier, loads, now});
  }
  void issue(int instructions) {
    for (int i = 0; i < instructions; ++i) policy_->pick({1, present_, 0, age_.data()});
  }
  /// The warp misses a line that it has lost.
  void lose(WarpPlace warp, std::uint64_t line, Cycle now) {
    policy_->evicted(warp, LineAddr(line));
    policy_->missed(warp, LineAddr(line), now);
  }

 private:
  std::unique_ptr<AnyIssuePolicy> policy_;
  PlaceMask present_;
  std::array<std::uint64_t, 64> age_{};
};

TEST(StaticLimit, LetsTheOldestWarpsIssueAndThoseAtABarrierLendTheirPlaces) {
  Scheduler swl("swl", {2}, 6);
  EXPECT_EQ(swl.may_issue(0b111111, 0), 0b000011u);
  EXPECT_EQ(swl.may_issue(0b111100, 0), 0u);  // both wait for something: nobody else may
  EXPECT_EQ(swl.may_issue(0b111110, 0, 0, 0b000001), 0b000110u);
  EXPECT_EQ(swl.may_issue(0b110000, 0, 0, 0b001111), 0b110000u);
}

TEST(StaticLimit, AtTheNumberOfWarpsHoldsNobodyBack) {
  EXPECT_EQ(Scheduler("swl", {6}, 6).may_issue(0b101010, 0), 0b101010u);
  EXPECT_EQ(Scheduler("swl", {5}, 6).may_issue(0b101010, 0), 0b001010u);
}

// Base score 100, K_THROTTLE 8, four warps: cutoff 400. After 16 instructions one hit in the victim tags gives
// 1 / 16 · 8 · 400 = 200, which is 100 above the base score for 100 cycles.

TEST(CacheConscious, ALostLinePushesTheYoungestWarpAboveTheCutoff) {
  Scheduler ccws("ccws", {}, 4);
  ccws.issue(16);
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111), 0b1111u);  // 400: all are within the cutoff
  ccws.lose(2, 7, 0);
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111), 0b0111u);      // 200 (warp 2), 300, 400 | 500
  EXPECT_EQ(ccws.may_issue(0b1111, 0b0111), 0b1111u);      // what is no load issues
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111, 99), 0b0111u);  // 101, 201, 301 | 401
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111, 100), 0b1111u);
}

TEST(CacheConscious, ScoresOfSeveralWarpsAddUp) {
  Scheduler ccws("ccws", {}, 4);
  ccws.issue(16);
  ccws.lose(2, 7, 0);
  ccws.issue(16);
  ccws.lose(3, 8, 40);                                     // 2 / 32 · 8 · 400 = 200 again, warp 2 is at 160
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111, 40), 0b1100u);  // 200 (3), 360 (2) | 460, 560
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111, 69), 0b1100u);  // 171, 302 | 402
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111, 70), 0b1101u);  // 170, 300, 400 (0) | 500
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111, 139), 0b1011u);  // 101 (3), 201 (0), 301 (1) | 401 (2)
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111, 140), 0b1111u);
}

TEST(CacheConscious, TheWarpThatLostMostCanAlwaysLoad) {
  Scheduler ccws("ccws", {1000}, 4);
  ccws.issue(16);
  ccws.lose(3, 7, 0);  // 25,000, above the cutoff by itself
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111), 0b1000u);
  EXPECT_EQ(ccws.may_issue(0b0111, 0b0111), 0u);
}

TEST(CacheConscious, AWarpThatLeavesLowersTheCutoff) {
  Scheduler ccws("ccws", {}, 4);
  for (WarpPlace warp = 1; warp < 4; ++warp) ccws->left(warp);
  ccws.issue(4);
  ccws.lose(0, 7, 0);  // 1 / 4 · 8 · 100 = 200, and nobody else to hold back
  EXPECT_EQ(ccws.may_issue(0b0001, 0b0001), 1u);
}

TEST(CacheConscious, OnlyItsOwnLostLinesAreAHit) {
  Scheduler ccws("ccws", {}, 4);
  ccws.issue(16);
  ccws->evicted(2, LineAddr(7));
  ccws->missed(1, LineAddr(7), 0);
  ccws->missed(2, LineAddr(8), 0);
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111), 0b1111u);
  ccws->missed(2, LineAddr(7), 0);
  EXPECT_EQ(ccws.may_issue(0b1111, 0b1111), 0b0111u);
}

TEST(CacheConscious, RemembersEightLinesOfASet) {
  for (const std::uint64_t newer : {7u, 8u}) {  // two sets: even lines, odd lines
    Scheduler ccws("ccws", {}, 4);
    ccws.issue(16);
    for (std::uint64_t i = 0; i <= newer; ++i) ccws->evicted(2, LineAddr(2 * i));
    for (std::uint64_t i = 0; i < 20; ++i) ccws->evicted(2, LineAddr(2 * i + 1));
    ccws->missed(2, LineAddr(0), 0);
    EXPECT_EQ(ccws.may_issue(0b1111, 0b1111), newer == 7 ? 0b0111u : 0b1111u);
  }
}

TEST(L1Watch, ALineBelongsToTheWarpThatMissedIt) {
  L1Watch watch(2);
  L1Outcome outcome;
  outcome.miss = 1;
  watch.looked_up(0, 5, LineAddr(1), outcome);
  watch.looked_up(1, 6, LineAddr(1), outcome);  // another L1
  outcome = {};
  outcome.pending = 1;
  watch.looked_up(0, 7, LineAddr(1), outcome);  // on its way: neither a miss nor an owner
  ASSERT_EQ(watch.events().size(), 2u);
  EXPECT_EQ(watch.events()[1].warp, 6u);
  watch.events().clear();
  outcome = {};
  outcome.evicted = true;
  outcome.victim = LineAddr(1);
  watch.filled(0, outcome);
  watch.filled(0, outcome);  // nobody's any more
  ASSERT_EQ(watch.events().size(), 1u);
  EXPECT_EQ(watch.events()[0].kind, L1Event::Kind::Evicted);
  EXPECT_EQ(watch.events()[0].warp, 5u);
}

// Two warps go round 6 lines each, 20 times, one load after the other; the L1 has one set of 8 lines. Both together
// miss always: 240 times. One after the other they miss 12 times.

constexpr std::uint32_t kLines = 6, kRounds = 20;

LaunchTiming thrash(const std::string& policy, const Values& values) {
  LineKernel k;
  for (std::uint32_t i = 0; i < kLines * kRounds; ++i) k.use(k.load());
  const KernelInfo kernel = k.finish();
  TimedConfig config = plain_config();
  config.l1.cache.ways = 8;
  config.issue.policy = policy;
  config.issue.parameters = values_of(policy, values);
  return run(launch_of(kernel, 1, 2,
                       [](std::uint32_t, std::uint32_t warp, SiteId site, std::uint64_t) {
                         return (warp * kLines + site.value() % kLines) * 128u;
                       }),
             config);
}

TEST(TwoWarpThrash, WithoutALimitEveryLoadMisses) {
  for (const std::string policy : {"lrr", "gto"}) EXPECT_EQ(sum_of(thrash(policy, {})).misses, 240u);
}

TEST(TwoWarpThrash, ALimitOfOneLeavesTheColdMisses) {
  const LaunchTiming timing = thrash("swl", {1});
  EXPECT_EQ(sum_of(timing).misses, 12u);
  // Warp by warp 6 misses of 101 cycles (load 0, use 100) and 114 hits of 11.
  EXPECT_EQ(timing.cycles, 2u * (6 * 101 + 114 * 11));
}

TEST(TwoWarpThrash, CacheConsciousKeepsOneWarpsLines) {
  const std::uint64_t misses = sum_of(thrash("ccws", {})).misses;
  EXPECT_GE(misses, 12u);
  EXPECT_LT(misses, 120u);
  EXPECT_LT(thrash("ccws", {}).cycles, thrash("gto", {}).cycles);
  // Nothing lowers a score of 10,000 cycles while the first warp runs: its first two rounds are as without the policy.
  EXPECT_LE(sum_of(thrash("ccws", {10000})).misses, 12u + 2 * kLines);
}

// What the policy does not decide.

VectorSource mixed_launch(const KernelInfo& kernel) {
  return launch_of(kernel, 6, 5,
                   [](std::uint32_t group, std::uint32_t warp, SiteId site, std::uint64_t count) {
                     return (group * 8 + warp * 5 + site.value() * 3 + count) % 23 * 128u;
                   });
}

KernelInfo mixed_kernel() {
  LineKernel k;
  for (int round = 0; round < 6; ++round) {
    const SiteId load = k.load();
    k.compute(2).use(load);
    if (round == 3) k.barrier();
    k.store();
  }
  return k.finish();
}

LaunchTiming mixed(const std::string& policy, const Values& values = {}) {
  const KernelInfo kernel = mixed_kernel();
  TimedConfig config = plain_config();
  config.issue.policy = policy;
  config.issue.schedulers = 2;
  config.issue.parameters = values_of(policy, values);
  return run(mixed_launch(kernel), config, {2, 2, "dynamic"});
}

void expect_same(const LaunchTiming& a, const LaunchTiming& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  ASSERT_EQ(a.cores.size(), b.cores.size());
  for (std::size_t c = 0; c < a.cores.size(); ++c) {
    EXPECT_EQ(a.cores[c].load_latency, b.cores[c].load_latency);
    for (std::size_t s = 0; s < a.cores[c].schedulers.size(); ++s) {
      EXPECT_EQ(a.cores[c].schedulers[s].issue_cycles, b.cores[c].schedulers[s].issue_cycles);
      EXPECT_EQ(a.cores[c].schedulers[s].stalls, b.cores[c].schedulers[s].stalls);
    }
  }
  EXPECT_EQ(sum_of(a).misses, sum_of(b).misses);
  EXPECT_EQ(sum_of(a).hits_pending, sum_of(b).hits_pending);
}

TEST(WarpLimiting, WithoutEffectItIsGreedyThenOldest) {
  expect_same(mixed("swl", {64}), mixed("gto"));
  expect_same(mixed("swl", {5}), mixed("gto"));  // two work-groups of 5 warps at two schedulers
  expect_same(mixed("ccws", {0}), mixed("gto"));
  EXPECT_NE(mixed("swl", {1}).cycles, mixed("gto").cycles);
}

TEST(WarpLimiting, WorkDoesNotDependOnThePolicy) {
  const OriginCounts expected = sum_of(mixed("gto"));
  for (const IssuePolicyInfo& info : issue_policies()) {
    for (const std::uint32_t value : {1u, 2u, 64u}) {
      SCOPED_TRACE(fmt::format("{} {}", info.name, value));
      const LaunchTiming timing = mixed(info.name, info.parameters().empty() ? Values{} : Values{value});
      const OriginCounts counts = sum_of(timing);
      EXPECT_EQ(counts.requests, expected.requests);
      EXPECT_EQ(counts.transactions, expected.transactions);
      EXPECT_EQ(counts.hits + counts.hits_pending + counts.sector_misses + counts.misses + counts.bypasses,
                counts.transactions);
      std::uint64_t instructions = 0;
      for (const CoreCounts& core : timing.cores) instructions += core.instructions;
      EXPECT_EQ(instructions, 6u * 5u * 6u * 5u);  // 6 rounds of a load, 2, its use, a store
    }
  }
}

TEST(WarpLimiting, HeldBackCyclesAreCounted) {
  const LaunchTiming timing = thrash("swl", {1});
  const SchedulerCounts& counts = timing.cores[0].schedulers[0];
  // Warp 1 is ready from the start. While warp 0 waits (99 cycles a miss, 9 a hit, 1 of a use), nobody issues.
  EXPECT_EQ(counts.stalls[static_cast<std::size_t>(StallReason::HeldBack)], 6u * 99 + 114u * 9);
  std::uint64_t cycles = counts.issue_cycles;
  for (const std::uint64_t stalled : counts.stalls) cycles += stalled;
  EXPECT_EQ(cycles, timing.cycles);
}

}  // namespace
}  // namespace warpscope::timed
