// What a sample of the cores is set right by, and how well that is known, by hand.
#include "timed/spread/calibrated_ratio.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpscope::timed {
namespace {

using Pairs = std::vector<RatioPair>;

constexpr std::uint64_t kCores = 60, kWarps = 100;
const SampledCores kDrawn{1, kCores, {3, 10, 17, 24, 31, 38}};

StreamHeader header() {
  StreamHeader header;
  header.cores = kCores;
  LaunchInfo launch;
  launch.global = {6000, 1, 1};
  launch.local = {1, 1, 1};
  header.launches.push_back(launch);
  return header;
}

/// Waves in which all cores have these hits of 100, and each of the six drawn ones those.
CalibratedRatio of(const std::vector<double>& all, const std::vector<double>& drawn, double left) {
  Pairs whole;
  std::vector<Pairs> few;
  for (std::size_t wave = 0; wave < all.size(); ++wave) {
    whole.push_back({all[wave] * kCores, 100.0 * kCores});
    few.emplace_back(kDrawn.count(), RatioPair{drawn[wave], 100});
  }
  CalibratedRatio ratio;
  ratio.add(whole, few, left);
  return ratio;
}

TEST(CalibratedRatio, IsKnownWhereAllWavesDifferAlike) {
  const auto found = of({40, 50, 45, 41}, {35, 45, 40, 36}, 0).difference(header(), kDrawn);
  EXPECT_NEAR(found.all, 0.44, 1e-12);
  EXPECT_NEAR(found.drawn, 0.39, 1e-12);
  EXPECT_NEAR(found.half, 0, 1e-12);
  EXPECT_EQ(found.refused, "");
}

TEST(CalibratedRatio, IsKnownAsWellAsTheWavesSay) {
  // Differences of 3, 1, 2 and 2 points: standard deviation sqrt(2/3), of the mean half of it; t(3) = 3.1824.
  const auto found = of({43, 41, 42, 42}, {40, 40, 40, 40}, 10).difference(header(), kDrawn);
  EXPECT_NEAR(found.all - found.drawn, 0.02, 1e-12);
  EXPECT_NEAR(found.half, 0.01 * 3.1824 * std::sqrt(2.0 / 3) / 2, 1e-6);
  EXPECT_EQ(found.refused, "");
}

TEST(CalibratedRatio, IsRefusedWhereAllCoresRiseAndTheDrawnDoNot) {
  const std::vector<double> rises = {40, 41, 42.1, 43, 44, 45}, stays = {39, 40, 39.5, 40.3, 39.2, 39.6};
  EXPECT_NE(of(rises, stays, 50).difference(header(), kDrawn).refused, "");
  EXPECT_NE(of({rises.rbegin(), rises.rend()}, stays, 50).difference(header(), kDrawn).refused, "");
  // The drawn ones rise, too.
  const std::vector<double> follows = {37, 38.2, 39, 40, 41, 42};
  EXPECT_EQ(of(rises, follows, 50).difference(header(), kDrawn).refused, "");
  // The other way is not the same way.
  EXPECT_NE(of(rises, {follows.rbegin(), follows.rend()}, 50).difference(header(), kDrawn).refused, "");
}

TEST(CalibratedRatio, IsNotRefusedWhereATrendMattersLessThanItsWaves) {
  // Rises by 0.01 points a wave, over (6 + 4) / 2 waves from the middle of these to that of the rest; the drawn ones scatter by a point.
  const std::vector<double> rises = {40, 40.01, 40.02, 40.03, 40.04, 40.0501},
                            scatter = {39, 40, 39, 40, 39, 40};
  EXPECT_EQ(of(rises, scatter, 4).difference(header(), kDrawn).refused, "");
  EXPECT_NE(of(rises, scatter, 400).difference(header(), kDrawn).refused, "");
}

TEST(CalibratedRatio, WeighsLaunchesByWhatTheyCount) {
  // Three quarters of the accesses differ by 4 points for sure; a quarter by 1 and 3.
  CalibratedRatio ratio;
  const std::vector<Pairs> few(2, Pairs(kDrawn.count(), RatioPair{10, kWarps}));
  ratio.add({{42, 300}, {42, 300}}, few, 0);
  ratio.add({{11, 100}, {13, 100}}, few, 0);
  const auto found = ratio.difference(header(), kDrawn);
  EXPECT_NEAR(found.all, (42 + 42 + 11 + 13) / 800.0, 1e-12);
  // 0.01 and 0.03: standard deviation sqrt(2) · 0.01, of the mean 0.01; two degrees of freedom, t = 4.3027.
  EXPECT_NEAR(found.half, 4.3027 * 0.01 / 4, 1e-6);
}

TEST(CalibratedRatio, SaysNothingOfOneWaveOrOfNone) {
  EXPECT_NE(of({40}, {39}, 5).difference(header(), kDrawn).refused, "");
  EXPECT_FALSE(CalibratedRatio().is_known());
  CalibratedRatio nothing;
  nothing.add({{0, 0}, {0, 0}}, std::vector<Pairs>(2, Pairs(kDrawn.count())), 5);
  EXPECT_FALSE(nothing.is_known());
}

}  // namespace
}  // namespace warpscope::timed
