#include "timed/footprint/footprint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "traces/base/random.h"

namespace warpscope::timed {
namespace {

constexpr std::uint32_t kSectors = 4;                    ///< of a line
constexpr std::uint64_t kRoom = std::uint64_t{1} << 21;  ///< more lines than anything here touches

/// Cores 2 and 5 of 8, of a stream that has all or only these; sites 0 and 1 touch buffers 1 and 2.
Footprint two_of_8(bool has_others = true, std::uint64_t l2_lines = kRoom, std::uint64_t l1_lines = 0) {
  Footprint footprint({1, 8, {2, 5}}, l1_lines, l2_lines, kSectors, has_others);
  const std::vector<Origin> origins = {{SiteId(0), BufferId(1)}, {SiteId(1), BufferId(2)}};
  footprint.begin_launch(LaunchId(0));
  footprint.add_origins(origins);
  return footprint;
}

/// Core `core` touches the first sectors of the lines from `first` on.
void touch(Footprint& footprint, std::uint32_t core, std::uint64_t first, std::uint64_t lines,
           std::uint16_t origin = 0, AccessKind kind = AccessKind::Load) {
  std::vector<Transaction> transactions;
  for (std::uint64_t line = first; line < first + lines; ++line)
    transactions.emplace_back(LineAddr(line * kSectors), OriginId(origin), kind, false, true);
  footprint.block({CoreId(core), {}, transactions});
}

TEST(Footprint, OfSharedLinesEveryCoreTouchesAll) {
  Footprint footprint = two_of_8();
  for (const std::uint32_t core : {2, 5, 0, 7}) touch(footprint, core, 0, 4096);
  footprint.end();
  EXPECT_EQ(footprint.share(), 1);
}

TEST(Footprint, LinesOfTheirOwnAreTheCoresShare) {
  Footprint footprint = two_of_8();
  for (std::uint32_t core = 0; core < 8; ++core) touch(footprint, core, core * 65536, 65536);
  footprint.end();
  EXPECT_NEAR(footprint.share(), 0.25, 0.01);  // of every core about 4,096 lines are looked at
  ASSERT_EQ(footprint.fetched_by_others().size(), 1u);
  EXPECT_NEAR(footprint.fetched_by_others()[0].part, 0, 0.04);
}

TEST(Footprint, OthersFetchWhatAllLoadAndNothingOfWhatOneDoes) {
  // All load the second buffer; each core loads a part of the first.
  Footprint footprint = two_of_8();
  for (std::uint32_t core = 0; core < 8; ++core) {
    touch(footprint, core, 7 + core * 65536, 65536);
    touch(footprint, core, 1u << 20, 65536, 1);
  }
  footprint.end();
  const std::vector<FetchedByOthers> parts = footprint.fetched_by_others();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].first_line, 7u);
  EXPECT_NEAR(parts[0].part, 0, 0.04);
  EXPECT_EQ(parts[1].first_line, 1u << 20);
  EXPECT_DOUBLE_EQ(parts[1].part, 0.75);  // two of eight fetch a quarter
}

TEST(Footprint, StoredLinesFillTheL2AndNobodyFetchesThem) {
  Footprint footprint = two_of_8();
  for (std::uint32_t core = 0; core < 8; ++core) {
    touch(footprint, core, 0, 65536);
    touch(footprint, core, 65536 + core * 8192, 8192, 1, AccessKind::Store);
  }
  footprint.end();
  EXPECT_NEAR(footprint.share(), (65536 + 2 * 8192) / 131072., 0.01);
  ASSERT_EQ(footprint.fetched_by_others().size(), 1u);
  EXPECT_DOUBLE_EQ(footprint.fetched_by_others()[0].part, 0.75);
}

TEST(Footprint, SectorsOfALineAreFetchedOneByOne) {
  // Every core loads a sector of its own of lines that two cores share.
  Footprint footprint = two_of_8();
  for (std::uint32_t core = 0; core < 8; ++core) {
    std::vector<Transaction> transactions;
    for (std::uint64_t line = 0; line < 65536; ++line)
      transactions.emplace_back(LineAddr((core / 2 * 65536 + line) * kSectors + core % 2), OriginId(0),
                                AccessKind::Load, false, true);
    footprint.block({CoreId(core), {}, transactions});
  }
  footprint.end();
  EXPECT_NEAR(footprint.share(), 0.5, 0.01);
  EXPECT_NEAR(footprint.fetched_by_others()[0].part, 0, 0.04);
}

TEST(Footprint, LinesThatTwoCoresShareCountOnce) {
  // Core c touches blocks c and c + 1 of a ring of 8: cores 2 and 5 touch 4 of 8 blocks.
  Footprint footprint = two_of_8();
  for (std::uint32_t core = 0; core < 8; ++core)
    for (const std::uint32_t block : {core, (core + 1) % 8}) touch(footprint, core, block * 65536, 65536);
  footprint.end();
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
      touched[cores[i]].emplace_back(LineAddr(line * kSectors), OriginId(0), AccessKind::Load, false, true);
    }
  }
  const SampledCores six{1, 68, {3, 11, 30, 31, 47, 60}};
  Footprint all(six, 0, kRoom, kSectors, true), some(six, 0, kRoom, kSectors, false);
  const std::vector<Origin> origins = {{SiteId(0), BufferId(1)}};
  all.add_origins(origins);
  some.add_origins(origins);
  for (std::uint32_t core = 0; core < 68; ++core) {
    all.block({CoreId(core), {}, touched[core]});
    if (six.has(core)) some.block({CoreId(core), {}, touched[core]});
  }
  all.end();
  some.end();
  return {all.share(), some.share()};
}

TEST(Footprint, WithoutTheOthersIsEstimatedFromLinesOfOneAndOfTwoCores) {
  for (const std::uint32_t of_each : {1u, 2u, 3u, 6u, 12u, 68u}) {
    const auto [share, estimated] = six_of_68(of_each);
    EXPECT_NEAR(estimated, share, 0.03) << of_each;
  }
}

TEST(Footprint, WithoutTheOthersByHand) {
  Footprint footprint = two_of_8(false);
  touch(footprint, 2, 0, 2 * 65536);
  touch(footprint, 5, 65536, 2 * 65536);
  footprint.end();
  // Two blocks of one core, one of two: 2 * 2 / (2 / 1 * 2 * 1 + 1 / 3 * 2) = 6 / 7 of a block are others' alone. 3 / (3 + 6 / 7).
  EXPECT_NEAR(footprint.share(), 7. / 9, 0.01);
}

/// All cores load lines drawn from 2^18.
void touch_at_random(Footprint& footprint) {
  SplitMix64 random(1);
  for (std::uint32_t i = 0; i < (1u << 20); ++i) touch(footprint, i % 8, random.below(1u << 18), 1);
}

TEST(Footprint, WhatTheL2CannotKeepOthersHaveNotFetched) {
  Footprint large = two_of_8(), small = two_of_8(true, 1u << 14);
  for (Footprint* footprint : {&large, &small}) {
    touch_at_random(*footprint);
    footprint->end();
  }
  // Each line is loaded four times: by none with e^-4, by none of the two with e^-1.
  EXPECT_NEAR(large.share(), 1 - (std::exp(-1.) - std::exp(-4.)) / (1 - std::exp(-4.)), 0.02);
  // The small L2 keeps one of 16: about as many of its lines are loaded again, and half of those that the two have are an other's first.
  EXPECT_NEAR(small.share(), 0.25, 0.02);
  EXPECT_NEAR(small.fetched_by_others()[0].part, 0.045, 0.015);
}

TEST(Footprint, WithoutTheOthersWhatTheL2CannotKeepIsNotShared) {
  Footprint small = two_of_8(false, 1u << 14);
  SplitMix64 random(1);
  for (std::uint32_t i = 0; i < (1u << 20); ++i) {
    const std::uint64_t line = random.below(1u << 18);
    if (i % 8 == 2 || i % 8 == 5) touch(small, i % 8, line, 1);
  }
  small.end();
  EXPECT_NEAR(small.share(), 0.25, 0.03);
  EXPECT_NEAR(small.fetched_by_others()[0].part, 0, 0.1);
}

TEST(Footprint, TheNextLaunchFindsWhatOthersHaveLoaded) {
  const std::vector<Origin> origins = {{SiteId(0), BufferId(1)}, {SiteId(1), BufferId(2)}};
  for (const std::uint32_t core : {0u, 2u}) {
    Footprint footprint = two_of_8();
    touch(footprint, core, 0, 65536);
    footprint.begin_launch(LaunchId(1));
    footprint.add_origins(origins);
    touch(footprint, 5, 0, 65536);
    footprint.end();
    // Core 0's lines are another's. What core 2 has loaded is the two cores' own.
    EXPECT_EQ(footprint.fetched_by_others()[0].part, core == 0 ? 1 : 0);
  }
}

TEST(Footprint, AColdL2HasNothingOfTheLaunchBefore) {
  const std::vector<Origin> origins = {{SiteId(0), BufferId(1)}, {SiteId(1), BufferId(2)}};
  Footprint footprint({1, 8, {2, 5}}, 0, kRoom, kSectors, true, false);
  for (const std::uint32_t core : {0u, 5u}) {
    footprint.begin_launch(LaunchId(core));
    footprint.add_origins(origins);
    touch(footprint, core, 0, 65536);
  }
  footprint.end();
  EXPECT_EQ(footprint.fetched_by_others()[0].part, 0);
  EXPECT_EQ(footprint.share(), 0.5);  // of two launches as large the second is core 5's
}

TEST(Footprint, WhatWasBroughtLatelyIsOnItsWay) {
  for (const std::uint64_t lead : {0u, 4096u}) {
    Footprint footprint = two_of_8();
    touch(footprint, 2, 1u << 20, lead, 1);  // core 2 has other things to do first
    for (const std::uint32_t core : {0u, 1u, 2u}) touch(footprint, core, 0, 65536);
    footprint.end();
    EXPECT_EQ(footprint.fetched_by_others()[0].soon, lead == 0 ? 1 : 0);
    EXPECT_NEAR(footprint.fetched_by_others()[0].part, 2. / 3, 1e-9);  // any of the three may be first
  }
}

TEST(Footprint, WhatAnL1ServesDoesNotAskTheL2) {
  // Core 2 loads the same 512 lines again and again, core 0 others, eight times as many as the L2 holds.
  for (const std::uint64_t l1_lines : {0u, 1024u}) {
    Footprint footprint = two_of_8(true, 1u << 12, l1_lines);
    for (std::uint64_t round = 0; round < 64; ++round) {
      touch(footprint, 2, 0, 512);
      touch(footprint, 0, 1024 + round * 512, 512);
    }
    footprint.end();
    EXPECT_NEAR(footprint.share(), l1_lines == 0 ? 0.125 : 0, 0.02) << l1_lines;
  }
}

TEST(CoresInOrder, OfManyAccessesFewerLinesAreLookedAt) {
  CoresInOrder order(0, kSectors);
  constexpr std::uint64_t kLines = 3 * (std::uint64_t{1} << 24);
  for (std::uint64_t line = 0; line < kLines; ++line)
    order.add(static_cast<std::uint32_t>(line % 2), line * kSectors, false, 1);
  EXPECT_EQ(order.one_of(), 64u);  // one of 16 were three times as many as it keeps, of 32 half as many again
  const auto& accesses = order.sorted();
  EXPECT_NEAR(static_cast<double>(accesses.size()), static_cast<double>(kLines) / 64, kLines / 640.);
  for (std::size_t i = 1; i < accesses.size(); ++i) ASSERT_LE(accesses[i - 1].time, accesses[i].time);
}

TEST(Footprint, NothingKnownIsTheCoresShare) {
  for (const bool has_others : {false, true}) {
    Footprint footprint = two_of_8(has_others);
    footprint.end();
    EXPECT_EQ(footprint.share(), 0.25);
    EXPECT_TRUE(footprint.fetched_by_others().empty());
  }
}

}  // namespace
}  // namespace warpscope::timed
