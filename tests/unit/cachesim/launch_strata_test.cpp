// Which launches stand for each other, by hand.
#include "cachesim/sampling/launch_strata.h"

#include <gtest/gtest.h>

#include "cachesim/simulate/launch_count.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using Features = std::vector<LaunchFeatures>;
using Kinds = std::vector<std::size_t>;

Features of_sizes(std::size_t count, double size) {
  return Features(count, {.requests = size / 2, .transactions = size});
}

Features operator+(Features a, const Features& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(LaunchStrata, ShareDrawsByNumberTimesDeviation) {
  // Launches of a stratum are equal, so that a fifth of the mean is what they are supposed to vary: weights 20 · 2 and 20 · 200. Three
  // draws each; 4000/√(n (n + 1)) is above 40/√12 up to n = 12, so that the larger ones get all others.
  Kinds kinds(40, 0);
  std::fill(kinds.begin() + 20, kinds.end(), 1);
  const auto strata = launch_strata(of_sizes(20, 10) + of_sizes(20, 1000), kinds, 12);
  ASSERT_EQ(strata.size(), 2u);
  EXPECT_EQ(strata[0].count, 3u);
  EXPECT_EQ(strata[1].count, 9u);
  EXPECT_EQ(strata[1].members.front(), 20u);
}

TEST(LaunchStrata, TakeALaunchThatIsLikeNoOtherInFull) {
  const auto strata = launch_strata(of_sizes(30, 10) + of_sizes(1, 10000) + of_sizes(9, 10), Kinds(40, 0), 8);
  ASSERT_EQ(strata.size(), 2u);
  EXPECT_EQ(strata[0].members.size(), 39u);
  EXPECT_EQ(strata[0].count, 7u);
  EXPECT_EQ(strata[1].members, std::vector<std::size_t>{30});
  EXPECT_EQ(strata[1].count, 1u);
}

TEST(LaunchStrata, TellSmallLaunchesOfTwoSizesApart) {
  // Weights: 120 · 0.2 · 160,000 = 3.84 M; together 80 · √(2 · 168² + 56²) = 19,500; apart 40 · 0.2 · (448 + 112) = 4,480. What the cut gains
  // is 0.4 % of the whole, but two draws of 80 would miss one of the sizes as often as not.
  Kinds kinds(200, 0);
  std::fill(kinds.begin() + 120, kinds.end(), 1);
  const auto strata =
      launch_strata(of_sizes(120, 160'000) + of_sizes(40, 448) + of_sizes(40, 112), kinds, 60);
  ASSERT_EQ(strata.size(), 3u);
  EXPECT_EQ(strata[1].members.size(), 40u);
  EXPECT_EQ(strata[2].members.front(), 160u);
}

TEST(LaunchStrata, TellCoalescedLaunchesFromOthers) {
  // The same transactions, of 4 or of 100 requests.
  Features features;
  for (std::size_t i = 0; i < 20; ++i)
    features.push_back({.requests = i % 2 == 0 ? 4.0 : 100.0, .transactions = 100});
  const auto strata = launch_strata(features, Kinds(20, 0), 8);
  ASSERT_EQ(strata.size(), 2u);
  for (const LaunchStratum& stratum : strata)
    for (const std::size_t member : stratum.members) EXPECT_EQ(member % 2, stratum.members.front() % 2);
}

TEST(LaunchStrata, TellLongLaunchesFromShortOnesOfTheSameWork) {
  // The same transactions by the same requests, of work-items of 2 loads or of 500.
  Features features;
  for (std::size_t i = 0; i < 20; ++i)
    features.push_back({.requests = 10, .transactions = 100, .steps = i % 2 == 0 ? 7.0 : 505.0});
  const auto strata = launch_strata(features, Kinds(20, 0), 8);
  ASSERT_EQ(strata.size(), 2u);
  for (const LaunchStratum& stratum : strata)
    for (const std::size_t member : stratum.members) EXPECT_EQ(member % 2, stratum.members.front() % 2);
}

TEST(LaunchStrata, GiveSmallLaunchesDrawsByTheTimeTheyTake) {
  // Half of the launches have a thousandth of the work, and take half of the time: steps of all are equal. Weights with T transactions of
  // all: large ones (T/20)·√(0.2² + (2·0.5·0.2)²)·20 = 0.28 T, small ones 0.2 T; without steps 0.2 T and 0.0002 T.
  Features features = of_sizes(20, 1000) + of_sizes(20, 1);
  Kinds kinds(40, 0);
  std::fill(kinds.begin() + 20, kinds.end(), 1);
  EXPECT_EQ(launch_strata(features, kinds, 16)[1].count, 3u);
  for (LaunchFeatures& one : features) one.steps = 7;
  EXPECT_EQ(launch_strata(features, kinds, 16)[1].count, 7u);
}

TEST(LaunchStrata, AreAQuarterOfTheDrawsAtMost) {
  Kinds kinds;
  Features features;
  for (std::size_t i = 0; i < 60; ++i) {
    kinds.push_back(i % 10);
    const double size = i % 10 == 3 || i % 10 == 7 ? 1000 : 1 + static_cast<double>(i);
    features.push_back({.requests = 1, .transactions = size});
  }
  const auto strata = launch_strata(features, kinds, 12);
  ASSERT_EQ(strata.size(), 3u);
  std::size_t members = 0, draws = 0;
  for (const LaunchStratum& stratum : strata) {
    EXPECT_GE(stratum.count, 3u);
    members += stratum.members.size();
    draws += stratum.count;
  }
  EXPECT_EQ(members, 60u);
  EXPECT_EQ(draws, 12u);
  EXPECT_EQ(strata[0].members.size(), 48u) << "the eight smallest kinds together";
}

TEST(LaunchStrata, AreDrawnInFullWhereAllAre) {
  Features features;
  for (std::size_t i = 0; i < 25; ++i)
    features.push_back({.requests = 1, .transactions = static_cast<double>(1 + i * i)});
  for (const LaunchStratum& stratum : launch_strata(features, Kinds(25, 0), 25))
    EXPECT_EQ(stratum.count, stratum.members.size());
  EXPECT_EQ(launch_strata(of_sizes(1, 3), Kinds(1, 0), 1)[0].count, 1u);
}

TEST(LaunchCount, IsANumberOrAPart) {
  EXPECT_EQ((LaunchCount{8, 0}.of(8)), 8u);
  EXPECT_THROW(static_cast<void>(LaunchCount{9, 0}.of(8)), InputError);
  EXPECT_EQ((LaunchCount{0, 10}.of(1001)), 101u);
  EXPECT_EQ((LaunchCount{0, 1}.of(100)), 6u) << "fewer are no sample";
  EXPECT_EQ((LaunchCount{0, 1}.of(4)), 4u);
  EXPECT_EQ((LaunchCount{0, 100}.of(7)), 7u);
}

}  // namespace
}  // namespace warpscope
