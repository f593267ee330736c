#include "timed/footprint.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "traces/base/random.h"

namespace warpscope::timed {
namespace {

/// Core `core` touches the lines from `first` on.
void touch(Footprint& footprint, std::uint32_t core, std::uint64_t first, std::uint64_t lines) {
  std::vector<Transaction> transactions;
  for (std::uint64_t line = first; line < first + lines; ++line)
    transactions.emplace_back(LineAddr(line), OriginId(0), AccessKind::Load, false, true);
  footprint.block({CoreId(core), {}, transactions});
}

TEST(Footprint, OfSharedLinesEveryCoreTouchesAll) {
  Footprint footprint({1, 8, {2, 5}});
  for (const std::uint32_t core : {2, 5, 0, 7}) touch(footprint, core, 0, 4096);
  EXPECT_EQ(footprint.share(), 1);
}

TEST(Footprint, LinesOfTheirOwnAreTheCoresShare) {
  Footprint footprint({1, 8, {2, 5}});
  for (std::uint32_t core = 0; core < 8; ++core) touch(footprint, core, core * 65536, 65536);
  EXPECT_NEAR(footprint.share(), 0.25, 0.01);  // of every core about 4,096 lines are looked at
}

TEST(Footprint, LinesThatTwoCoresShareCountOnce) {
  // Core c touches blocks c and c + 1 of a ring of 8: cores 2 and 5 touch 4 of 8 blocks.
  Footprint footprint({1, 8, {2, 5}});
  for (std::uint32_t core = 0; core < 8; ++core)
    for (const std::uint32_t block : {core, (core + 1) % 8}) touch(footprint, core, block * 65536, 65536);
  EXPECT_NEAR(footprint.share(), 0.5, 0.01);
}

/// Of lines that are each of `of_each` cores of 68 drawn at random, what six cores touch: (the share, what it is taken for
/// without the others).
std::pair<double, double> six_of_68(std::uint32_t of_each) {
  SplitMix64 random(of_each);
  std::vector<std::uint32_t> cores(68);
  std::iota(cores.begin(), cores.end(), 0u);
  std::vector<std::vector<Transaction>> touched(68);
  for (std::uint64_t line = 0; line < (1u << 17); ++line) {
    for (std::uint32_t i = 0; i < of_each; ++i) {
      std::swap(cores[i], cores[i + random.below(cores.size() - i)]);
      touched[cores[i]].emplace_back(LineAddr(line), OriginId(0), AccessKind::Load, false, true);
    }
  }
  const SampledCores six{1, 68, {3, 11, 30, 31, 47, 60}};
  Footprint all(six), some(six);
  for (std::uint32_t core = 0; core < 68; ++core) {
    all.block({CoreId(core), {}, touched[core]});
    if (six.has(core)) some.block({CoreId(core), {}, touched[core]});
  }
  return {all.share(), some.share_without_others()};
}

TEST(Footprint, WithoutTheOthersIsEstimatedFromLinesOfOneAndOfTwoCores) {
  for (const std::uint32_t of_each : {1u, 2u, 3u, 6u, 12u, 68u}) {
    const auto [share, estimated] = six_of_68(of_each);
    EXPECT_NEAR(estimated, share, 0.03) << of_each;
  }
}

TEST(Footprint, WithoutTheOthersByHand) {
  Footprint footprint({1, 8, {2, 5}});
  touch(footprint, 2, 0, 2 * 65536);
  touch(footprint, 5, 65536, 2 * 65536);
  // Two blocks of one core, one of two: 2 * 2 / (2 / 1 * 2 * 1 + 1 / 3 * 2) = 6 / 7 of a block are others' alone. 3 / (3 + 6 / 7).
  EXPECT_NEAR(footprint.share_without_others(), 7. / 9, 0.01);
}

TEST(Footprint, NothingKnownIsTheCoresShare) {
  const Footprint footprint({1, 8, {2, 5}});
  EXPECT_EQ(footprint.share(), 0.25);
  EXPECT_EQ(footprint.share_without_others(), 0.25);
}

}  // namespace
}  // namespace warpscope::timed
