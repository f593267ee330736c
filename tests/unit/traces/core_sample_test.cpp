// Which cores stand for all, by hand.
#include "traces/program/core_sample.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "traces/base/error.h"

namespace warpscope {
namespace {

using Cores = std::vector<std::uint32_t>;

Cores first(std::uint32_t count) {
  Cores cores(count);
  std::iota(cores.begin(), cores.end(), 0u);
  return cores;
}

TEST(CoreStrata, AreOneWhereEdgesAreDealtOutEvenly) {
  // 1,000 work-groups in a row: an edge on core 0 and one on core 999 mod 80 = 39.
  const auto row = core_strata({{Dim3{1000, 1, 1}, 1}}, 80);
  ASSERT_EQ(row.size(), 1u);
  EXPECT_EQ(row[0], first(80));
  // 21 columns on 20 cores: every core gets each column in turn.
  EXPECT_EQ(core_strata({{Dim3{21, 2000, 1}, 1}}, 20).size(), 1u);
  // Two columns, each an edge of nothing; the first and the last row are on four cores.
  EXPECT_EQ(core_strata({{Dim3{2, 80, 1}, 1}}, 80).size(), 1u);
}

TEST(CoreStrata, TellCoresOfTheEdgeApart) {
  // 20 columns on 20 cores: cores 0 and 19 have the first and the last column, 40 each; the others two each, of the first
  // and the last row.
  const auto strata = core_strata({{Dim3{20, 40, 1}, 1}}, 20);
  ASSERT_EQ(strata.size(), 2u);
  EXPECT_EQ(strata[1], (Cores{0, 19}));
  EXPECT_EQ(strata[0].size(), 18u);
  EXPECT_EQ(core_strata({{Dim3{20, 40, 1}, 1}}, 20, CorePlacement::Random).size(), 1u);
}

TEST(CoreStrata, HoldOnlyCoresWithWork) {
  const auto strata = core_strata({{Dim3{5, 1, 1}, 3}, {Dim3{9, 1, 1}, 1}}, 80);
  std::size_t cores = 0;
  for (const CoreStratum& stratum : strata) cores += stratum.size();
  EXPECT_EQ(cores, 9u);
}

TEST(DrawCores, TakesOfEachStratumItsShareAndAtLeastTwo) {
  const auto strata = core_strata({{Dim3{20, 40, 1}, 1}}, 20);
  std::set<Cores> different;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Cores drawn = draw_cores(strata, 6, seed);
    ASSERT_EQ(drawn.size(), 6u);
    EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
    EXPECT_EQ(drawn.front(), 0u);
    EXPECT_EQ(drawn.back(), 19u);
    EXPECT_EQ(draw_cores(strata, 6, seed), drawn);
    different.insert(drawn);
  }
  EXPECT_GT(different.size(), 40u);
}

TEST(DrawCores, TakesAllWhereNoMoreAreThere) {
  EXPECT_EQ(draw_cores({first(9)}, 10, 1), first(9));
  EXPECT_EQ(draw_cores({{1, 2}, {0}}, 6, 1), first(3));
  EXPECT_THROW(draw_cores({first(9)}, 5, 1), InputError);
}

TEST(DrawCores, GivesEveryCoreTheSameChance) {
  std::vector<int> times(20);
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    for (const std::uint32_t core : draw_cores({first(20)}, 6, seed)) ++times[core];
  for (const int count : times) EXPECT_NEAR(count, 600, 100);  // standard deviation 20.5
}

}  // namespace
}  // namespace warpscope
