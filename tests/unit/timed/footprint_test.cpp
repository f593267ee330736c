#include "timed/footprint.h"

#include <gtest/gtest.h>

#include <vector>

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

TEST(Footprint, WithoutTheOthersEachIsSupposedToAddWhatOneHasForItself) {
  Footprint footprint({1, 8, {2, 5}});
  touch(footprint, 2, 0, 2 * 65536);
  touch(footprint, 5, 65536, 2 * 65536);
  // Three blocks, two of them one core's: each of the six others adds one. 3 / (3 + 6).
  EXPECT_NEAR(footprint.share_without_others(), 1. / 3, 0.01);
}

TEST(Footprint, NothingKnownIsTheCoresShare) {
  const Footprint footprint({1, 8, {2, 5}});
  EXPECT_EQ(footprint.share(), 0.25);
  EXPECT_EQ(footprint.share_without_others(), 0.25);
}

}  // namespace
}  // namespace warpscope::timed
