// Intervals of ratios, by hand.
#include "cachesim/sampling/estimate.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

TEST(RatioEstimate, IsTheClassicalOneWhereAllWholesAreEqual) {
  // 4 of 8 cores: s² of 1, 2, 3, 4 is 5/3; (1 - 4/8) · 5/3 / 4 / 10² = 0.00208333; t(3 degrees, 97.5 %) = 3.18245.
  const StratumSample stratum{8, {{1, 10}, {2, 10}, {3, 10}, {4, 10}}};
  const RatioEstimate found = estimate_ratio({&stratum, 1});
  EXPECT_DOUBLE_EQ(found.value, 0.25);
  EXPECT_NEAR(found.high - found.value, 0.145259, 1e-6);
  EXPECT_NEAR(found.value - found.low, 0.145259, 1e-6);
  EXPECT_EQ(found.refused, "");
}

TEST(RatioEstimate, IsExactWhereEveryCoreWasDrawn) {
  const StratumSample stratum{3, {{1, 4}, {5, 9}, {0, 7}}};
  const RatioEstimate found = estimate_ratio({&stratum, 1});
  EXPECT_DOUBLE_EQ(found.value, 6.0 / 20);
  EXPECT_EQ(found.low, found.value);
  EXPECT_EQ(found.high, found.value);
}

TEST(RatioEstimate, WeighsStrataByTheirSizes) {
  // Both cores of the first sort: 0 of 20. Two of ten of the second: 3 of 20, so 15 of 100.
  const std::vector<StratumSample> strata = {{2, {{0, 10}, {0, 10}}}, {10, {{1, 10}, {2, 10}}}};
  const RatioEstimate found = estimate_ratio(strata);
  EXPECT_DOUBLE_EQ(found.value, 15.0 / 120);
  // Without the one 20/120, without the other 10/120: squares 2 · (5/120)²; (1 - 2/10) · 1/2 · that; t(1) = 12.7062.
  EXPECT_NEAR(found.high - found.value, 12.7062 * std::sqrt(0.8 / 2 * 2 * 25 / 14400), 1e-5);
}

TEST(RatioEstimate, SupposesALeastSpread) {
  // Three of 12 units, all equal: (1 - 3/12) / 3 · (0.01 · 2)²; the normal distribution's 1.95996.
  const StratumSample alike{12, {{2, 1}, {2, 1}, {2, 1}}};
  EXPECT_EQ(estimate_ratio({&alike, 1}).high, 2);
  const RatioEstimate found = estimate_ratio({&alike, 1}, 0.01);
  EXPECT_NEAR(found.high - found.value, 1.95996 * 0.01, 1e-6);
  // Units that vary more are what they are, with their degrees of freedom.
  const StratumSample varied{8, {{1, 10}, {2, 10}, {3, 10}, {4, 10}}};
  EXPECT_EQ(estimate_ratio({&varied, 1}, 0.01).high, estimate_ratio({&varied, 1}).high);
  const StratumSample all{3, {{2, 1}, {2, 1}, {2, 1}}};
  EXPECT_EQ(estimate_ratio({&all, 1}, 0.01).high, 2) << "all were drawn";
}

TEST(RatioEstimate, RefusesOneCoreOfSeveralAndUnevenWork) {
  const std::vector<StratumSample> one = {{5, {{1, 10}}}};
  EXPECT_NE(estimate_ratio(one).refused, "");
  EXPECT_DOUBLE_EQ(estimate_ratio(one).value, 0.1) << "the estimate itself is given";
  const std::vector<StratumSample> uneven = {{80, {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {50, 100}}}};
  EXPECT_NE(estimate_ratio(uneven).refused, "");
}

}  // namespace
}  // namespace warpscope
