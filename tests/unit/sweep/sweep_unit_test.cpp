// Parts of a sweep by hand: lists of numbers, which caches they make, stacks, knees, threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../random.h"
#include "cachesim/sweep/lru_stack.h"
#include "cachesim/sweep/miss_curve.h"
#include "cachesim/sweep/sectored_stack.h"
#include "cachesim/sweep/sweep_space.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::uint64_t> numbers(const std::string& text) {
  return values_of(parse_number_list("--ways", text, 1000));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(NumberList, HasNumbersRangesStepsAndFactors) {
  EXPECT_THAT(numbers("16,32,48"), ElementsAre(16, 32, 48));
  EXPECT_THAT(numbers("3-6"), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(numbers("8-30:8"), ElementsAre(8, 16, 24));
  EXPECT_THAT(numbers("8-100*2"), ElementsAre(8, 16, 32, 64));
  EXPECT_THAT(numbers("4,1-4,2"), ElementsAre(1, 2, 3, 4));  // each once, ascending
}

TEST(NumberList, SaysWhatItExpects) {
  for (const char* bad :
       {"", "x", "4,", "1-", "-3", "1-8:", "1-8:0", "1-8*1", "1-8/2", "4 5", "1.5", "99999999999999999999"})
    EXPECT_THAT(message_of([&] { numbers(bad); }), HasSubstr("--ways: '")) << bad;
  EXPECT_THAT(message_of([] { numbers("1-1001"); }), HasSubstr("expected numbers from 1 to 1000"));
  EXPECT_THAT(message_of([] { numbers("0"); }), HasSubstr("expected numbers from 1 to 1000"));
  EXPECT_THAT(message_of([] { numbers("5-4"); }), HasSubstr("the smaller one first"));
}

SweepSpace space(const std::string& sizes, const std::string& ways, const std::string& sets) {
  SweepSpace space;
  if (!sizes.empty()) space.sizes_kib = parse_number_list("--size", sizes, 1 << 20);
  if (!ways.empty()) space.ways = parse_number_list("--ways", ways, 1 << 20);
  if (!sets.empty()) space.sets = parse_number_list("--sets", sets, 1 << 20);
  space.lines = parse_number_list("--line", "128", 65536);
  space.sectors = parse_number_list("--sector", "0", 65536, 0);
  space.indexes = {"linear"};
  space.replacements = {"LRU"};
  space.writes = {"WTNA"};
  return space;
}

std::vector<std::string> shapes(const SweepConfigurations& configurations) {
  std::vector<std::string> texts;
  for (const CacheConfig& cache : configurations.caches)
    texts.push_back(std::to_string(cache.size_kib) + "=" + std::to_string(cache.sets()) + "x" +
                    std::to_string(cache.ways));
  return texts;
}

TEST(SweepSpace, TwoOfSizeWaysAndSetsGiveTheThird) {
  EXPECT_THAT(shapes(expand(space("", "1-2", "32,64"))),
              ElementsAre("4=32x1", "8=32x2", "8=64x1", "16=64x2"));
  EXPECT_THAT(shapes(expand(space("16,48", "4,6", ""))), ElementsAre("16=32x4", "48=96x4", "48=64x6"));
  EXPECT_THAT(shapes(expand(space("16,48", "", "32"))), ElementsAre("16=32x4", "48=32x12"));
}

TEST(SweepSpace, AllThreeKeepWhatFits) {
  const auto found = expand(space("8,16", "1-4", "32,64"));
  EXPECT_THAT(shapes(found), ElementsAre("8=32x2", "16=32x4", "8=64x1", "16=64x2"));
  EXPECT_EQ(found.refused, 4u);
  EXPECT_EQ(found.why, "32 sets of 1 ways of 128 bytes are 4 KiB, which --size does not list");
}

TEST(SweepSpace, RefusesWhatOccursInNoCache) {
  EXPECT_THAT(message_of([] { expand(space("16", "", "")); }), HasSubstr("two of --size, --ways and --sets"));
  EXPECT_THAT(message_of([] { expand(space("16,17", "4", "32")); }),
              ::testing::StartsWith("--size 17: no combination makes a cache"));
  SweepSpace hashed = space("", "4", "128");
  hashed.indexes = {"linear", "fermi-xor"};
  EXPECT_THAT(message_of([&] { expand(hashed); }),
              ::testing::AllOf(::testing::StartsWith("--index fermi-xor: no combination makes a cache"),
                               HasSubstr("defined for 32 or 64 sets")));
  EXPECT_THAT(message_of([] { expand(space("", "1-1000", "8-8000:8")); }), HasSubstr("expected fewer"));
}

/// One set of 4 ways at most; kinds 'l' and 's', then the line. Levels by hand.
StackCounts run_stack(const char* write, const std::vector<std::pair<char, std::uint32_t>>& references) {
  LruStack stack(1, 4, write_policy(write));
  for (const auto& [kind, line] : references) {
    const std::uint32_t tag = line + 1, set = 0;
    const auto access = static_cast<std::uint8_t>(kind == 's' ? AccessKind::Store : AccessKind::Load);
    stack.process({&tag, &set, &access, 1});
  }
  stack.invalidate();
  return stack.counts();
}

std::vector<std::uint64_t> load_hits(const char* write,
                                     const std::vector<std::pair<char, std::uint32_t>>& references) {
  std::vector<std::uint64_t> hits;
  const StackCounts counts = run_stack(write, references);
  for (std::uint32_t ways = 1; ways <= 4; ++ways)
    hits.push_back(counts.of_ways(ways, write_policy(write)).of(AccessKind::Load).hits);
  return hits;
}

// Loads of 1 2 3, then 1 at level 3.
TEST(LruStack, HitsFromTheLevelOn) {
  EXPECT_THAT(load_hits("WTNA", {{'l', 1}, {'l', 2}, {'l', 3}, {'l', 1}}), ElementsAre(0, 0, 1, 1));
}

// The store makes 1 the newest where it still is: with 3 ways and more. Line 4 then drives out 2 there, and 1
// stays; with 2 ways 1 had gone before.
TEST(LruStack, AStoreThatDoesNotAllocateRenewsOnlyWhereTheLineIs) {
  EXPECT_THAT(load_hits("WTNA", {{'l', 1}, {'l', 2}, {'l', 3}, {'s', 1}, {'l', 4}, {'l', 1}}),
              ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(load_hits("WTNA", {{'l', 1}, {'l', 2}, {'l', 3}, {'s', 1}, {'l', 4}, {'l', 2}}),
              ElementsAre(0, 0, 0, 1));
}

// The store frees a way where 1 was: with 3 ways 4 comes into it and 2 stays.
TEST(LruStack, AStoreThatRemovesLeavesAFreeWay) {
  EXPECT_THAT(load_hits("WENA", {{'l', 1}, {'l', 2}, {'l', 3}, {'s', 1}, {'l', 4}, {'l', 2}}),
              ElementsAre(0, 0, 1, 1));
  const StackCounts counts = run_stack("WENA", {{'l', 1}, {'l', 2}, {'l', 3}, {'s', 1}, {'l', 4}});
  std::vector<std::uint64_t> evictions;
  for (std::uint32_t ways = 1; ways <= 4; ++ways)
    evictions.push_back(counts.of_ways(ways, write_policy("WENA")).evictions);
  EXPECT_THAT(evictions, ElementsAre(3, 2, 1, 1));  // 1 2 3 driven out; 1 2; only the removal
}

struct SectorReference {
  char kind;  ///< 'l' or 's'
  std::uint32_t line;
  std::uint8_t sector;
};

/// One set of 1 to 4 ways, four sectors per line.
SectoredCounts run_sectors(const char* write, const std::vector<SectorReference>& references) {
  SectoredStack stack(1, {1, 2, 3, 4}, 2, write_policy(write));
  for (const auto& [kind, line, sector] : references) {
    const std::uint32_t tag = line + 1, set = 0;
    const auto access = static_cast<std::uint8_t>(kind == 's' ? AccessKind::Store : AccessKind::Load);
    const std::uint8_t first = 1;
    stack.process({{&tag, &set, &access, 1}, &sector, &first});
  }
  stack.invalidate();
  return stack.counts();
}

/// "hits/sector misses/misses" of loads, by ways.
std::vector<std::string> load_outcomes(const char* write, const std::vector<SectorReference>& references) {
  std::vector<std::string> outcomes;
  const SectoredCounts counts = run_sectors(write, references);
  for (std::uint32_t ways = 1; ways <= 4; ++ways) {
    const Counts cache = counts.of_cache(ways - 1, ways, write_policy(write));
    const KindCounts& loads = cache.of(AccessKind::Load);
    outcomes.push_back(std::to_string(loads.hits) + "/" + std::to_string(loads.sector_misses) + "/" +
                       std::to_string(loads.misses));
  }
  return outcomes;
}

// Line 1 comes back with sector 1 where it had gone, with 1 way; sector 0 is then only where it had stayed.
TEST(SectoredStack, ALineThatComesBackHasOneSector) {
  EXPECT_THAT(load_outcomes("WTWA", {{'l', 1, 0}, {'l', 2, 0}, {'l', 1, 1}, {'l', 1, 0}}),
              ElementsAre("0/1/3", "1/1/2", "1/1/2", "1/1/2"));
}

// Line 1 came back with sector 1 where it had gone, with 1 and 2 ways. So with 2 ways the store to sector 0
// passes, and 4 drives out 1. With 3 ways and more the store hits.
TEST(SectoredStack, AStoreThatDoesNotAllocateTouchesOnlyWhereTheSectorIs) {
  const std::vector<SectorReference> common = {{'l', 1, 0}, {'l', 2, 0}, {'l', 5, 0}, {'l', 1, 1},
                                               {'l', 3, 0}, {'s', 1, 0}, {'l', 4, 0}};
  auto one = common, three = common;
  one.push_back({'l', 1, 1});
  three.push_back({'l', 3, 0});
  EXPECT_THAT(load_outcomes("WTNA", one), ElementsAre("0/0/7", "0/0/7", "1/1/5", "1/1/5"));
  EXPECT_THAT(load_outcomes("WTNA", three), ElementsAre("0/0/7", "1/0/6", "1/1/5", "1/1/5"));
}

// The caches order their lines in the same way once each has seen as many other lines as it has ways.
TEST(SectoredStack, CachesThatAgreeShareAListAgain) {
  std::vector<SectorReference> references = {{'l', 1, 0}, {'l', 2, 0}, {'s', 1, 0}};
  for (std::uint32_t i = 0; i < 200; ++i) references.push_back({'l', 3 + i % 5, 0});
  EXPECT_EQ(run_sectors("WTNA", references).apart_references, 64u);
  EXPECT_EQ(run_sectors("WTWA", references).apart_references, 0u);
}

TEST(SectoredStack, HasTheSameResultsWithoutAvx2) {
  testing::Random random(7);
  for (const char* write : {"WTNA", "WENA", "WTWA", "WBWA", "WTWL"}) {
    SectoredStack one(4, {1, 3, 8, 21}, 1, write_policy(write)),
        other(4, {1, 3, 8, 21}, 1, write_policy(write));
    for (int i = 0; i < 5000; ++i) {
      const auto line = static_cast<std::uint32_t>(random.below(100));
      const std::uint32_t tag = line + 1, set = line % 4;
      const auto sector = static_cast<std::uint8_t>(random.below(2)), first = static_cast<std::uint8_t>(1);
      const auto kind =
          static_cast<std::uint8_t>(random.below(5) == 0 ? AccessKind::Store : AccessKind::Load);
      one.process({{&tag, &set, &kind, 1}, &sector, &first});
      other.process_without_avx2({{&tag, &set, &kind, 1}, &sector, &first});
    }
    for (const std::uint32_t place : {0u, 1u, 2u, 3u}) {
      constexpr std::uint32_t kWays[] = {1, 3, 8, 21};
      EXPECT_EQ(one.counts().of_cache(place, kWays[place], write_policy(write)),
                other.counts().of_cache(place, kWays[place], write_policy(write)))
          << write << " " << kWays[place];
    }
  }
}

// Dirty line 1 is written back where it goes before the next store: with 1 way by 2, with 2 ways by 3.
TEST(LruStack, WritesBackOncePerCacheThatLostTheLine) {
  const StackCounts counts = run_stack("WBWA", {{'s', 1}, {'l', 2}, {'l', 3}, {'l', 1}, {'l', 2}, {'l', 3}});
  std::vector<std::uint64_t> write_backs;
  for (std::uint32_t ways = 1; ways <= 4; ++ways)
    write_backs.push_back(counts.of_ways(ways, write_policy("WBWA")).write_backs);
  EXPECT_THAT(write_backs, ElementsAre(1, 1, 0, 0));
}

TEST(LruStack, BothInstructionSetsCountTheSame) {
  testing::Random random(7);
  for (const WritePolicy& write : write_policies()) {
    LruStack best(4, 24, write), plain(4, 24, write);
    for (int round = 0; round < 20; ++round) {
      std::vector<std::uint32_t> tags, sets;
      std::vector<std::uint8_t> kinds;
      for (int i = 0; i < 200; ++i) {
        const auto line = static_cast<std::uint32_t>(random.below(30 + 10 * round));
        tags.push_back(line + 1);
        sets.push_back(line % 4);
        kinds.push_back(static_cast<std::uint8_t>(random.below(4) == 0 ? 1 : 0));
      }
      best.process({tags.data(), sets.data(), kinds.data(), tags.size()});
      plain.process_without_avx2({tags.data(), sets.data(), kinds.data(), tags.size()});
    }
    best.invalidate();
    plain.invalidate();
    for (std::uint32_t ways = 1; ways <= 24; ++ways)
      EXPECT_EQ(best.counts().of_ways(ways, write), plain.counts().of_ways(ways, write))
          << write.name << ", " << ways << " ways";
  }
}

TEST(Knees, AreWhereMoreCapacityPaysLess) {
  // 100 % falls to 40 at 16 KiB, stays, falls to 10 at 48 and stays.
  const CurvePoint curve[] = {{8, 100}, {12, 98}, {16, 40}, {24, 39}, {48, 10}, {64, 9}, {96, 9}};
  EXPECT_THAT(knees(curve), ElementsAre(2, 4));
  const CurvePoint straight[] = {{8, 90}, {16, 80}, {24, 70}, {32, 60}};
  EXPECT_THAT(knees(straight), ElementsAre());
  const CurvePoint flat[] = {{8, 50}, {16, 50}, {24, 50}};
  EXPECT_THAT(knees(flat), ElementsAre());
  EXPECT_THAT(knees({}), ElementsAre());
}

}  // namespace
}  // namespace warpscope
