#include "cachesim/counters/runs.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

TEST(RunMetric, MedianAndDeviationAreThoseOfTheSample) {
  EXPECT_DOUBLE_EQ((RunMetric{"", {3, 1, 2}}.median()), 2);
  EXPECT_DOUBLE_EQ((RunMetric{"", {4, 1, 2, 3}}.median()), 2.5);
  // Mean 5, squares 9 1 1 1 0 0 4 16 = 32, n - 1 = 7.
  EXPECT_NEAR((RunMetric{"", {2, 4, 4, 4, 5, 5, 7, 9}}.relative_standard_deviation_percent()), 42.7618, 1e-4);
  EXPECT_EQ((RunMetric{"", {5}}.relative_standard_deviation_percent()), 0);
  EXPECT_EQ((RunMetric{"", {0, 0}}.relative_standard_deviation_percent()), 0);
}

TEST(RunStatistics, ShowsTheRunWithTheLowerMedianOfLoadMisses) {
  std::vector<Counts> totals(4);
  const std::uint64_t misses[] = {40, 10, 30, 20};
  for (std::size_t i = 0; i < totals.size(); ++i) {
    totals[i].of(AccessKind::Load).misses = misses[i];
    totals[i].of(AccessKind::Load).transactions = 100;
    totals[i].of(AccessKind::Load).bypasses = 20;
  }
  const RunStatistics statistics = run_statistics(totals, false, 9);
  EXPECT_EQ(statistics.shown, 3u);
  EXPECT_EQ(statistics.first_seed, 9u);
  for (const RunMetric& metric : statistics.metrics) {
    if (metric.name == "load.misses") {
      EXPECT_DOUBLE_EQ(metric.median(), 25);
    }
    if (metric.name == "load.miss_rate_percent") {
      EXPECT_DOUBLE_EQ(metric.values[0], 50);
    }
  }
}

TEST(WorkGroupFilter, ChoosesExactlyItsShare) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const WorkGroupFilter filter(256, 18, seed);
    std::uint32_t chosen = 0;
    for (std::uint32_t group = 0; group < 300; ++group) chosen += filter.chosen(WorkGroupId(group)) ? 1 : 0;
    EXPECT_EQ(chosen, 18u);
  }
}

TEST(WorkGroupFilter, EveryGroupIsEquallyLikely) {
  std::vector<int> often(10);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const WorkGroupFilter filter(10, 3, seed);
    for (std::uint32_t group = 0; group < 10; ++group)
      often[group] += filter.chosen(WorkGroupId(group)) ? 1 : 0;
  }
  for (const int count : often) EXPECT_NEAR(count, 1200, 4 * 29);  // binomial, p = 0.3: standard deviation 29
}

}  // namespace
}  // namespace warpscope
