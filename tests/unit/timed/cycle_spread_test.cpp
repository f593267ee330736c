// How far a draw's cycles may be from those of another, by hand.
#include "timed/spread/cycle_spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace warpscope::timed {
namespace {

SampledCores three_of_twelve() {
  return {1, 12, {0, 4, 7}};
}

struct Ended {
  Cycle cycles = 0;
  std::vector<CoreCounts> cores;
  MemoryDemand demand;
  [[nodiscard]] CycleSpread spread(const SampledCores& drawn) const {
    return cycle_spread(cycles, cores, demand, drawn);
  }
};

/// Cores that ended in these cycles, with so many work-groups.
Ended ended(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& cores) {
  Ended timing;
  for (const auto& [cycles, groups] : cores) {
    CoreCounts& core = timing.cores.emplace_back();
    core.active_cycles = cycles;
    core.work_groups = groups;
    timing.cycles = std::max(timing.cycles, cycles);
  }
  return timing;
}

TEST(DeviationOfGreatest, IsThatOfTheNormalDistributionsOrderStatistics) {
  const double pi = std::numbers::pi;
  EXPECT_NEAR(deviation_of_greatest(1), 1, 1e-4);
  EXPECT_NEAR(deviation_of_greatest(2), std::sqrt(1 - 1 / pi), 1e-4);
  // H. L. Jones, Annals of Mathematical Statistics 19, 1948, 270: exact for three.
  EXPECT_NEAR(deviation_of_greatest(3), std::sqrt(1 + std::sqrt(3) / 2 / pi - 9 / 4. / pi), 1e-4);
  EXPECT_LT(deviation_of_greatest(20), deviation_of_greatest(10));
}

TEST(DeviationOfBusiest, IsNoneWhereEachCoreAsksForAsMuchPerWorkGroup) {
  EXPECT_NEAR(deviation_of_busiest({{10, 20}, {20, 40}, {10, 20}}, {1, 2, 1}), 0, 1e-9);
  EXPECT_EQ(deviation_of_busiest({}, {1, 1}), 0);
  EXPECT_EQ(deviation_of_busiest({{10}}, {1}), 0);
}

TEST(DeviationOfBusiest, OfOnePartIsThatOfASum) {
  // Ten cores of 90 or 110 bytes: variance 1000 / 9 of one, ten times as much of ten.
  std::vector<std::vector<std::uint64_t>> bytes;
  for (int core = 0; core < 10; ++core) bytes.push_back({core % 2 == 0 ? 90u : 110u});
  EXPECT_NEAR(deviation_of_busiest(bytes, std::vector<double>(10, 1)), std::sqrt(1e4 / 9), 4);
  EXPECT_NEAR(deviation_of_busiest(bytes, std::vector<double>(10, 3)), std::sqrt(1e4 / 9), 4);
}

TEST(DeviationOfBusiest, OfTwoPartsIsThatOfTheGreaterSum) {
  // Each core asks one of them for 20. Of ten draws K are of the first: the busier has 20 (5 + |K - 5|). Of a binomial
  // distribution the mean of |K - 5| is 1.2305, that of its square 2.5.
  std::vector<std::vector<std::uint64_t>> bytes;
  for (int core = 0; core < 10; ++core)
    bytes.push_back(core % 2 == 0 ? std::vector<std::uint64_t>{20, 0} : std::vector<std::uint64_t>{0, 20});
  const double expected = 20 * std::sqrt((2.5 - 1.2305 * 1.2305) * 10 / 9);
  EXPECT_NEAR(deviation_of_busiest(bytes, std::vector<double>(10, 1)), expected, 3);
}

TEST(DeviationOfBusiest, WhatTheDrawMadeOfThePartsIsNoDifferenceOfTheirs) {
  // Twelve of twenty cores ask the first part, eight the second: less than draws of two parts that are alike differ by. So the busier has
  // 20 (10 + |K - 12|), as above: K of a binomial distribution of 0.6, 4.8 the mean square of K - 12, 1.7252 that of its size.
  std::vector<std::vector<std::uint64_t>> bytes;
  for (int core = 0; core < 20; ++core)
    bytes.push_back(core < 12 ? std::vector<std::uint64_t>{20, 0} : std::vector<std::uint64_t>{0, 20});
  const double expected = 20 * std::sqrt((4.8 - 1.7252 * 1.7252) * 20 / 19);
  EXPECT_NEAR(deviation_of_busiest(bytes, std::vector<double>(20, 1)), expected, 3);  // else 34.5
  // A part that is always the busiest is: its own sum varies, though the others are many.
  for (auto& core : bytes) core.insert(core.end(), {200, 0, 0});
  bytes[0][2] = bytes[1][2] = 260;
  // Variance of one core: 2 of 20 at 60 more, 324 * 20 / 19; of the sum twenty times as much.
  EXPECT_NEAR(deviation_of_busiest(bytes, std::vector<double>(20, 1)), std::sqrt(324. * 400 / 19), 12);
}

TEST(CycleSpread, EndsAreThoseOfCoresWithAsManyWorkGroupsAsTheLast) {
  const CycleSpread spread =
      ended({{100, 2}, {50, 1}, {104, 2}, {70, 1}, {108, 2}}).spread({1, 10, {0, 1, 2, 3, 4}});
  EXPECT_NEAR(spread.ends, 4 * deviation_of_greatest(3), 1e-9);
  EXPECT_EQ(spread.ends_freedom, 2);
  EXPECT_EQ(spread.rest, 0.5);
  EXPECT_NEAR(spread.least, 0.54, 1e-9);  // half a percent
}

TEST(CycleSpread, ALastCoreOfItsOwnHasTheSpreadOfTheOthers) {
  const CycleSpread spread = ended({{110, 2}, {50, 1}, {60, 1}, {70, 1}}).spread({1, 10, {0, 1, 2, 3}});
  EXPECT_NEAR(spread.ends, 10, 1e-9);
  EXPECT_EQ(spread.ends_freedom, 2);
}

TEST(CycleSpread, WhatTheBusiestPartVariesByCountsAsOftenAsOneWaits) {
  Ended timing = ended({{100, 1}, {100, 1}, {100, 1}});
  timing.demand.slices = {{{64}, {128}, {192}}, 32, 4, 1};  // a quarter waits
  const double cycles = deviation_of_busiest({{64}, {128}, {192}}, {1, 1, 1}) / 32;
  EXPECT_NEAR(timing.spread(three_of_twelve()).memory, cycles / 4, 1e-9);
  timing.demand.channels = {{{32}, {64}, {96}}, 8, 3, 3};  // half of it, four times as slow, all wait
  EXPECT_NEAR(timing.spread(three_of_twelve()).memory, 2 * cycles, 1e-9);
  timing.demand.channels.bytes_per_cycle = 0;  // no limit
  EXPECT_NEAR(timing.spread(three_of_twelve()).memory, cycles / 4, 1e-9);
  EXPECT_EQ(timing.spread(three_of_twelve()).memory_freedom, 2);
}

TEST(CycleSpread, TheIntervalIsStudentsOfTheSum) {
  CycleSpread spread;
  spread.rest = 0.75;
  spread.ends = 4;
  spread.ends_freedom = 3;
  EXPECT_NEAR(spread.half(), 3.182 * 4 * std::sqrt(0.75), 0.01);
  spread.memory = 4;  // the same again: six degrees of freedom
  spread.memory_freedom = 3;
  EXPECT_NEAR(spread.half(), 2.447 * 4 * std::sqrt(1.5), 0.01);
  spread.ends = spread.memory = 0;
  spread.least = 10;  // known
  EXPECT_NEAR(spread.half(), 1.96 * 10 * std::sqrt(0.75), 0.01);
}

TEST(CycleSpread, OfAllCoresIsNone) {
  const CycleSpread spread = ended({{100, 1}, {50, 1}, {80, 1}}).spread({1, 3, {0, 1, 2}});
  EXPECT_GT(spread.ends, 0);
  EXPECT_EQ(spread.half(), 0);
}

TEST(UnseenEnd, IsWhereNoDrawnCoreHasTheWorkGroupMoreThatSomeHave) {
  // 256 work-groups on 80 cores: sixteen cores have four, the others three.
  EXPECT_NE(unseen_end(256, 8, {1, 80, {16, 30, 79}}), "");
  EXPECT_EQ(unseen_end(256, 8, {1, 80, {15, 30, 79}}), "");
  EXPECT_EQ(unseen_end(256, 3, {1, 80, {16, 30, 79}}),
            "");  // the fourth goes to whichever core is free first
  EXPECT_NE(unseen_end(256, 4, {1, 80, {16, 30, 79}}), "");
  EXPECT_EQ(unseen_end(240, 8, {1, 80, {16, 30, 79}}), "");
}

}  // namespace
}  // namespace warpscope::timed
