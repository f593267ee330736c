// What is left of a launch, set right by its first waves, by hand.
#include "timed/spread/calibrated_cycles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace warpscope::timed {
namespace {

/// All cores take twice as long as the drawn ones, which issue 50 instructions a wave of 100 cycles, and as many in ten waves behind.
CalibratedWaves twice() {
  return {{{200, 100}, {200, 100}, {200, 100}, {200, 100}}, {400, 200, 4}, {1000, 500, 10}, 1100};
}

TEST(CalibratedCycles, AreInProportionWhereNothingChanges) {
  const CalibratedCycles rest = calibrated_cycles(twice());
  EXPECT_NEAR(rest.cycles, 2200, 1e-9);
  EXPECT_NEAR(rest.half, 0, 1e-6);
  EXPECT_EQ(rest.refused, "");
}

TEST(CalibratedCycles, FollowTheWorkWhole) {
  CalibratedWaves found = twice();
  found.behind = {3000, 1500, 10};  // three times as much in each wave, no slower
  found.left = 3100;
  EXPECT_NEAR(calibrated_cycles(found).cycles, 6200, 1e-9);
  EXPECT_NEAR(calibrated_cycles(found).half, 0, 1e-6);
}

TEST(CalibratedCycles, FollowAChangeThatIsLargeAndNotOneThatIsSmall) {
  CalibratedWaves found = twice();
  found.behind.cycles *= 2;
  found.left *= 2;
  const double large = std::pow(std::log(2), 2) / (std::pow(std::log(2), 2) + 0.015 * 0.015);
  CalibratedCycles rest = calibrated_cycles(found);
  EXPECT_NEAR(rest.cycles, 4400 * std::exp(-(1 - large) * std::log(2)), 1e-9);
  EXPECT_NEAR(rest.half, rest.cycles * 2 * 0.015 * std::sqrt(large), 1e-6);
  // As much as the drift: half of it, in logarithms.
  found = twice();
  found.behind.cycles *= std::exp(-0.015);
  found.left *= std::exp(-0.015);
  rest = calibrated_cycles(found);
  EXPECT_NEAR(rest.cycles, 2200 * std::exp(-0.0075), 1e-9);
  EXPECT_NEAR(rest.half, rest.cycles * 2 * 0.015 * std::sqrt(0.5), 1e-6);
}

TEST(CalibratedCycles, AreNotKnownWhereAllCoresStillChange) {
  CalibratedWaves found = twice();
  // 2 % more with every wave for both, but for an unevenness of 0.1 that a line does not fit: the ratio stays.
  found.waves = {{196, 98}, {200.1, 100.05}, {204, 102}, {208, 104}};
  const CalibratedCycles rest = calibrated_cycles(found);
  EXPECT_NEAR(rest.cycles, 2200, 1e-9);
  const double slope = (3 * (208 - 196) + (204 - 200.1)) / 10, mean = (196 + 200.1 + 204 + 208) / 4;
  EXPECT_NEAR(rest.half / rest.cycles, slope * 2 / mean, 1e-6);
  // The waves of the drawn cores do go on to become longer, by more work.
  found.behind = {2000, 1000, 10};
  found.left = 2100;
  EXPECT_NEAR(calibrated_cycles(found).half, 0, 1e-6);
  // But not where these became shorter.
  std::ranges::reverse(found.waves);
  EXPECT_NEAR(calibrated_cycles(found).half / calibrated_cycles(found).cycles, slope * 2 / mean, 1e-6);
  // What scatters without a direction is no trend.
  found.waves = {{196, 98}, {208, 104}, {204, 102}, {200, 100}};
  EXPECT_NEAR(calibrated_cycles(found).half, 0, 1e-6);
}

TEST(CalibratedCycles, AreKnownAsWellAsTheWavesAgree) {
  CalibratedWaves found = twice();
  found.waves = {{190, 100}, {210, 100}, {210, 100}, {190, 100}};
  const CalibratedCycles rest = calibrated_cycles(found);
  EXPECT_NEAR(rest.cycles, 2200, 1e-9);
  // Ratios of 1.9 and 2.1: the jackknife's variance of the mean is 0.04 / 3 / 4; t(3) = 3.1824.
  EXPECT_NEAR(rest.half / 1100, 3.1824 * std::sqrt(0.04 / 12), 1e-3);
}

TEST(CalibratedCycles, SayNothingOfOneWave) {
  CalibratedWaves found = twice();
  found.waves.resize(1);
  EXPECT_NE(calibrated_cycles(found).refused, "");
}

TEST(CalibratedCycles, TakeNoChangeWhereNothingIsBehind) {
  CalibratedWaves found = twice();
  found.behind = {};
  EXPECT_NEAR(calibrated_cycles(found).cycles, 2200, 1e-9);
}

}  // namespace
}  // namespace warpscope::timed
