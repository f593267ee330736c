// What each warp scheduler picks from ready sets written by hand, and what every scheduler of the registry
// must keep to.
#include "timed/issue/issue_policy.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/timed/line_kernel.h"
#include "traces/base/error.h"
#include "traces/base/random.h"

namespace warpscope::timed {
namespace {

/// A scheduler with warps at places 0 … 7 of ages that differ from their places.
class Picker {
 public:
  explicit Picker(const std::string& policy, const PolicyValues& values = {})
      : policy_(issue_policy_named(policy).make_policy(values)) {
    for (WarpPlace place = 0; place < 64; ++place) {
      constexpr PlaceMask kOdd = 0xAAAA'AAAA'AAAA'AAAA;
      policy_->arrived(place);
      older[place] = place % 2 == 0 ? kOdd : 0;
      own[place] = place % 2 == 0 ? ~kOdd : kOdd;
    }
  }
  WarpPlace pick(PlaceMask ready, PlaceMask waiting_for_memory = 0) {
    return policy_->pick({ready, present, waiting_for_memory, age.data(), 0, 0, 0, older.data(), own.data()});
  }
  void leave(WarpPlace place) {
    present &= ~(PlaceMask{1} << place);
    policy_->left(place);
  }
  std::array<std::uint64_t, 64> age{5, 3, 7, 1, 6, 2, 8, 4};  // oldest: 3, 5, 1, 7, 0, 4, 2, 6
  std::array<PlaceMask, 64> older{}, own{};                   // the odd places' work-group is older
  PlaceMask present = 0xFF;

 private:
  std::unique_ptr<AnyIssuePolicy> policy_;
};

/// The policy's first parameter is `value`.
PolicyValues with_first(const std::string& policy, std::uint32_t value) {
  PolicyValues values;
  values.set(issue_policy_named(policy).parameters()[0], value);
  return values;
}

TEST(LooseRoundRobin, TakesTheNextReadyWarpInTurn) {
  Picker lrr("lrr");
  EXPECT_EQ(lrr.pick(0b10110), 1u);
  EXPECT_EQ(lrr.pick(0b10110), 2u);
  EXPECT_EQ(lrr.pick(0b10110), 4u);
  EXPECT_EQ(lrr.pick(0b10110), 1u);  // around
  EXPECT_EQ(lrr.pick(0b00001), 0u);
  EXPECT_EQ(lrr.pick(PlaceMask{1} << 63), 63u);
  EXPECT_EQ(lrr.pick(0b10), 1u);
}

TEST(GreedyThenOldest, KeepsTheWarpAndThenTakesTheOldest) {
  Picker gto("gto");
  EXPECT_EQ(gto.pick(0b00010110), 1u);  // ages 3, 7, 6: the oldest is place 1
  EXPECT_EQ(gto.pick(0b00111111), 1u);  // an older one (3) became ready: greed comes first
  EXPECT_EQ(gto.pick(0b00110101), 5u);  // 1 cannot: ages 5, 7, 6, 2
  EXPECT_EQ(gto.pick(0b00111111), 5u);
  gto.leave(5);
  EXPECT_EQ(gto.pick(0b00011111), 3u);
}

TEST(GreedyThenOldest, WhoTakesAFinishedWarpsPlaceIsNotFavoured) {
  Picker gto("gto");
  EXPECT_EQ(gto.pick(0b1000), 3u);
  gto.leave(3);
  gto.age[3] = 9;
  gto.present |= 0b1000;
  EXPECT_EQ(gto.pick(0b1010), 1u);
}

TEST(GreedyThenYoungest, KeepsTheWarpAndThenTakesTheYoungest) {
  Picker gty("gty");
  EXPECT_EQ(gty.pick(0b00010011), 4u);  // ages 5, 3, 6
  EXPECT_EQ(gty.pick(0b01010011), 4u);  // a younger one (6) became ready
  EXPECT_EQ(gty.pick(0b01000011), 6u);
  EXPECT_EQ(gty.pick(0b00000011), 0u);
}

TEST(OldestGroup, TakesTheOlderWorkGroupFromItsLastWarpDownwards) {
  Picker oldest("oldest-group");
  EXPECT_EQ(oldest.pick(0b11111111), 7u);
  EXPECT_EQ(oldest.pick(0b11111111), 7u);  // it can go on
  EXPECT_EQ(oldest.pick(0b01111111), 5u);
  EXPECT_EQ(oldest.pick(0b11001111), 3u);  // in turn, though 7 could
  EXPECT_EQ(oldest.pick(0b11000111), 1u);
  EXPECT_EQ(oldest.pick(0b11000101), 7u);
  EXPECT_EQ(oldest.pick(0b01000101), 6u);  // the younger one, where the older has none
  EXPECT_EQ(oldest.pick(0b01001101), 3u);  // which takes over again
}

TEST(OldestFirst, AnOlderWarpTakesOver) {
  Picker oldest("oldest");
  EXPECT_EQ(oldest.pick(0b00010110), 1u);
  EXPECT_EQ(oldest.pick(0b00111111), 3u);
  EXPECT_EQ(oldest.pick(0b00010110), 1u);
}

TEST(TwoLevel, StaysInItsGroupUntilAllOfItWaitsForMemory) {
  Picker two("two-level", with_first("two-level", 4));  // groups 0–3 and 4–7
  EXPECT_EQ(two.pick(0xFF), 0u);
  EXPECT_EQ(two.pick(0xFF), 1u);
  EXPECT_EQ(two.pick(0b11110010, 0b1101), 1u);      // one of the group is left
  EXPECT_EQ(two.pick(0b11110000, 0b1101), 4u);      // it pauses: the other group fills in …
  EXPECT_EQ(two.pick(0b11110010, 0b1101), 1u);      // … and the first stays active
  EXPECT_EQ(two.pick(0b11110000, 0b1111), 4u);      // now all of it waits: the next group is active
  EXPECT_EQ(two.pick(0b11110001, 0b1110), 5u);      // and stays so when a warp of the first is ready again
  EXPECT_EQ(two.pick(0b00000001, 0b11111110), 0u);  // until it waits, too
}

TEST(TwoLevel, AGroupWhoseWarpsHaveLeftIsPassedOver) {
  Picker two("two-level", with_first("two-level", 4));
  EXPECT_EQ(two.pick(0xFF), 0u);
  for (WarpPlace place = 0; place < 4; ++place) two.leave(place);
  EXPECT_EQ(two.pick(0xF0), 4u);
}

TEST(AnyWarpScheduler, PicksAReadyWarpAndTheSameOneAgain) {
  for (const IssuePolicyInfo& info : issue_policies()) {
    SCOPED_TRACE(info.name);
    SplitMix64 random(7);
    Picker first(info.name), second(info.name);
    for (int step = 0; step < 2000; ++step) {
      const PlaceMask present = random.next() | 1;
      PlaceMask ready = random.next() & present;
      if (ready == 0) ready = present & ~(present - 1);
      const PlaceMask memory = random.next() & present & ~ready;
      first.present = second.present = present;
      const WarpPlace picked = first.pick(ready, memory);
      ASSERT_NE(ready & PlaceMask{1} << picked, 0u) << step;
      ASSERT_EQ(second.pick(ready, memory), picked) << step;
      if (random.below(8) == 0) {
        first.leave(picked);
        second.leave(picked);
      }
    }
  }
}

TEST(AnyWarpScheduler, IssuesEveryInstructionOnce) {
  using namespace timed::testing;
  LineKernel k;
  const SiteId load = k.load();
  k.compute(3).use(load).barrier();
  k.store();
  const KernelInfo kernel = k.compute(2).finish();
  const VectorSource source =
      launch_of(kernel, 6, 5, [](std::uint32_t group, std::uint32_t warp, SiteId site, std::uint64_t) {
        return (group * 8 + warp + site.value()) * 64u;
      });
  for (const IssuePolicyInfo& info : issue_policies()) {
    SCOPED_TRACE(info.name);
    TimedConfig config = plain_config();
    config.issue.policy = info.name;
    config.issue.schedulers = 2;
    const LaunchTiming timing = run(source, config, {2, 2, "dynamic"});
    std::uint64_t instructions = 0;
    for (const CoreCounts& core : timing.cores) instructions += core.instructions;
    EXPECT_EQ(instructions, 6u * 5u * 8u);  // load, 3, use, store, 2
    const LaunchTiming again = run(source, config, {2, 2, "dynamic"});
    EXPECT_EQ(again.cycles, timing.cycles);
  }
}

TEST(WarpSchedulerRegistry, ParametersHaveNamesOfTheirOwnAndTakeTheirWholeRange) {
  std::set<std::string> names;
  each_issue_parameter([&](const IssuePolicyInfo& info, const PolicyParameter& parameter) {
    SCOPED_TRACE(parameter.name);
    EXPECT_TRUE(names.insert(parameter.name).second);
    EXPECT_LE(parameter.least, parameter.usual);
    EXPECT_LE(parameter.usual, parameter.most);
    for (const std::uint32_t value : {parameter.least, parameter.usual, parameter.most}) {
      PolicyValues values;
      values.set(parameter, value);
      Picker picker(info.name, values);
      EXPECT_EQ(picker.pick(0b100), 2u);
    }
  });
  EXPECT_TRUE(names.contains("active-warps"));
}

TEST(WarpSchedulerRegistry, UnknownNamesAreAnsweredWithTheKnown) {
  try {
    issue_policy_named("fastest");
    FAIL();
  } catch (const InputError& error) {
    for (const IssuePolicyInfo& info : issue_policies())
      EXPECT_NE(std::string(error.what()).find(info.name), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace warpscope::timed
