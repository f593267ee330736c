// Lists that begin anywhere in their rows, and what the times of last uses spare them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "../random.h"
#include "cachesim/classes/last_uses.h"
#include "cachesim/sweep/lru_stack.h"
#include "cachesim/sweep/sectored_stack.h"

namespace warpscope {
namespace {

TEST(LastUses, SaysWhenALineWasUsedBefore) {
  LastUses uses(10, 0, LastUses::kNever);
  std::vector<std::uint32_t> lines(200, 5), before(200);
  lines[0] = lines[130] = 7;
  uses.use(lines, before.data());
  EXPECT_EQ(before[0], 0u);
  EXPECT_EQ(before[1], 0u);
  EXPECT_EQ(before[2], 2u);
  EXPECT_EQ(before[4], 2u);
  EXPECT_EQ(before[5], 3u);  // times are of 4 references
  EXPECT_EQ(before[130], 2u);
  EXPECT_EQ(uses.references(), 200u);
}

TEST(LastUses, ErrsOnlyTowardsLater) {
  testing::Random random(3);
  for (const int place_bits : {2, 6, 12}) {
    LastUses uses(place_bits, 2, LastUses::kNever);
    std::vector<std::uint32_t> last(5000 / 4);
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const auto number = static_cast<std::uint32_t>(random.below(5000));
      std::uint32_t before = 0;
      uses.use({&number, 1}, &before);
      std::uint32_t& exact = last[number / 4];
      ASSERT_GE(before, exact);
      ASSERT_LE(before, LastUses::time_of(i));
      if (place_bits == 12) {  // a place for each
        ASSERT_EQ(before, exact);
      }
      exact = LastUses::time_of(i);
    }
  }
}

TEST(LastUses, TimesEndBeforeTheyWrap) {
  constexpr std::uint64_t kUnits = std::uint64_t{1} << 32;
  EXPECT_EQ(LastUses::time_of((kUnits - 2) << LastUses::kUnitBits), kUnits - 1);
  EXPECT_EQ(LastUses::time_of(kUnits << LastUses::kUnitBits), kUnits - 1);
}

// 24 lines, a miss in each unit of time: a row has 6 free places, so the list moves at the 7th miss, the 13th
// and so on, and at the 31st there have been 24 since the 7th, inclusive.
TEST(SetLists, WhatWasUsedBeforeTheLastMissesHasGone) {
  SetLists lists(2, 24);
  const auto miss = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i <= to; ++i)
      lists.bring_in(lists[1], i, std::uint64_t{i} << LastUses::kUnitBits);
    return lists[1].horizon;
  };
  EXPECT_EQ(miss(1, 30), 0u);
  EXPECT_EQ(miss(31, 36), 7u + 2);  // times begin at 2
  EXPECT_EQ(miss(37, 37), 13u + 2);
  EXPECT_EQ(lists[0].horizon, 0u);
  lists.clear(1);
  EXPECT_EQ(miss(38, 37 + 24), 0u);
  EXPECT_EQ(miss(37 + 25, 37 + 30), 37u + 6 + 2);
}

TEST(SetLists, KeepTheirOrderWhereTheyMoveInTheirRow) {
  constexpr std::uint32_t kDepth = 40;
  SetLists lists(2, kDepth);
  std::vector<std::uint32_t> other(lists.places());  // what is kept at the places of the tags
  for (std::uint32_t tag = 1; tag <= 1000; ++tag) {
    lists.bring_in(lists[1], tag, 0, [&](std::size_t from, std::size_t to, std::size_t count) {
      std::memmove(&other[to], &other[from], count * sizeof(other.front()));
    });
    other[lists[1].front] = tag;
    for (std::uint32_t at = 0; at < kDepth; ++at) {
      ASSERT_EQ(lists.tags(1)[at], tag > at ? tag - at : 0);
      ASSERT_EQ(other[lists[1].front + at], tag > at ? tag - at : 0);
    }
  }
  EXPECT_EQ(lists.tags(0)[0], 0u);
}

/// References in batches of random length, with the times of last uses or without.
template <class Stack, class Process>
void feed(Stack& stack, LastUses* uses, std::span<const std::uint32_t> lines,
          std::span<const std::uint8_t> kinds, std::uint32_t sets, Process&& process) {
  testing::Random random(11);
  for (std::size_t at = 0, count = 0; at < lines.size(); at += count) {
    count = std::min<std::size_t>(1 + random.below(300), lines.size() - at);
    std::vector<std::uint32_t> tags, set_numbers, last(count);
    for (std::size_t i = at; i < at + count; ++i) {
      tags.push_back(lines[i] + 1);
      set_numbers.push_back(lines[i] % sets);
    }
    StackBatch batch{tags.data(), set_numbers.data(), &kinds[at], count};
    if (uses != nullptr) {
      batch.first = uses->references();
      uses->use(lines.subspan(at, count), last.data());
      batch.last_uses = last.data();
    }
    process(stack, batch);
  }
}

struct Loads {
  std::vector<std::uint32_t> lines;
  std::vector<std::uint8_t> kinds;
};

/// Hits of loads in caches of one set, by ways: lines 0 … count - 1 again and again.
std::vector<std::uint64_t> cyclic_hits(std::uint32_t count, const std::vector<std::uint32_t>& ways) {
  Loads loads;
  for (std::uint32_t i = 0; i < 40 * count; ++i) loads.lines.push_back(i % count);
  loads.kinds.resize(loads.lines.size());
  LruStack stack(1, ways.back(), write_policy("WTNA"));
  LastUses uses(12, 0, LastUses::kNever);
  feed(stack, &uses, loads.lines, loads.kinds, 1,
       [](LruStack& each, const StackBatch& batch) { each.process(batch); });
  std::vector<std::uint64_t> hits;
  for (const std::uint32_t each : ways)
    hits.push_back(stack.counts().of_ways(each, write_policy("WTNA")).of(AccessKind::Load).hits);
  return hits;
}

// All hit but the first of each, or none does.
TEST(LruStack, HasALineThatReturnsWhenAsManyOthersWereUsedAsThereAreWays) {
  const std::vector<std::uint32_t> ways = {23, 24, 95, 96, 128};
  using ::testing::ElementsAre;
  EXPECT_THAT(cyclic_hits(24, ways), ElementsAre(0, 39 * 24, 39 * 24, 39 * 24, 39 * 24));
  EXPECT_THAT(cyclic_hits(96, ways), ElementsAre(0, 0, 0, 39 * 96, 39 * 96));
  EXPECT_THAT(cyclic_hits(128, ways), ElementsAre(0, 0, 0, 0, 39 * 128));
  EXPECT_THAT(cyclic_hits(129, ways), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(cyclic_hits(600, ways), ElementsAre(0, 0, 0, 0, 0));
}

// 1,000 lines, each once, drive out all but 24. A store removes the oldest of these, and the next line finds its
// way free.
TEST(LruStack, ALineThatHasGoneComesIntoAFreeWay) {
  Loads loads;
  loads.lines.resize(1000);
  std::iota(loads.lines.begin(), loads.lines.end(), 1);
  loads.kinds.resize(loads.lines.size());
  loads.lines.insert(loads.lines.end(), {1000 - 23, 5});
  loads.kinds.insert(loads.kinds.end(), {1, 0});
  LruStack stack(1, 24, write_policy("WENA"));
  LastUses uses(12, 0, LastUses::kNever);
  feed(stack, &uses, loads.lines, loads.kinds, 1,
       [](LruStack& each, const StackBatch& batch) { each.process(batch); });
  EXPECT_EQ(stack.counts().of_ways(24, write_policy("WENA")).evictions, 976u + 1);
  EXPECT_EQ(stack.counts().of_ways(23, write_policy("WENA")).evictions, 977u + 1);
}

/// Phases of many lines, of few, and of lines that return after as many others as the lists are long.
Loads random_loads(testing::Random& random, std::uint32_t sets, std::uint32_t depth) {
  Loads loads;
  for (int phase = 0; phase < 12; ++phase) {
    const std::uint64_t among[] = {3, depth / 2, depth, depth + 2, 3 * depth, 100000};
    const std::uint64_t lines = sets * among[random.below(std::size(among))], first = random.below(5) * lines;
    const bool cyclic = random.below(3) == 0, stores = random.below(2) == 0;
    for (std::uint64_t i = 0; i < 8 * std::uint64_t{sets} * depth; ++i) {
      const std::uint64_t line = first + (cyclic ? i % lines : random.below(lines));
      loads.lines.push_back(static_cast<std::uint32_t>(line));
      loads.kinds.push_back(stores && random.below(16) == 0 ? 1 : 0);
    }
  }
  return loads;
}

TEST(LruStack, CountsTheSameWithAndWithoutLastUses) {
  testing::Random random(5);
  for (const WritePolicy& write : write_policies()) {
    for (const std::uint32_t ways : {17u, 24u, 40u, 128u}) {
      const std::uint32_t sets = 1 + static_cast<std::uint32_t>(random.below(5));
      LruStack with(sets, ways, write), without(sets, ways, write);
      LastUses uses(ways == 40 ? 5 : 14, 0, LastUses::kNever);
      for (int launch = 0; launch < 3; ++launch) {
        const Loads loads = random_loads(random, sets, ways);
        feed(with, &uses, loads.lines, loads.kinds, sets, [](LruStack& stack, const StackBatch& batch) {
          batch.count % 2 == 0 ? stack.process(batch) : stack.process_without_avx2(batch);
        });
        feed(without, nullptr, loads.lines, loads.kinds, sets,
             [](LruStack& stack, const StackBatch& batch) { stack.process(batch); });
        with.invalidate();
        without.invalidate();
      }
      for (std::uint32_t each = 1; each <= ways; ++each)
        ASSERT_EQ(with.counts().of_ways(each, write), without.counts().of_ways(each, write))
            << write.name << ", " << each << " of " << ways << " ways";
    }
  }
}

TEST(SectoredStack, CountsTheSameWithAndWithoutLastUses) {
  testing::Random random(6);
  const std::vector<std::uint32_t> ways = {1, 5, 24, 33};
  for (const WritePolicy& write : write_policies()) {
    if (!SectoredStack::can(ways.back(), write)) continue;
    for (const std::uint32_t sets : {1u, 4u}) {
      SectoredStack with(sets, ways, 2, write), without(sets, ways, 2, write);
      LastUses uses(14, 0, LastUses::kNever);
      for (int launch = 0; launch < 3; ++launch) {
        const Loads loads = random_loads(random, sets, 40);
        const auto process = [](SectoredStack& stack, const StackBatch& batch) {
          std::vector<std::uint8_t> sectors, firsts;
          for (std::size_t i = 0; i < batch.count; ++i) {
            sectors.push_back(static_cast<std::uint8_t>(batch.tags[i] / 7 % 4 ^ (i & 1)));
            firsts.push_back(i % 3 == 0 ? 1 : 0);
          }
          stack.process({batch, sectors.data(), firsts.data()});
        };
        feed(with, &uses, loads.lines, loads.kinds, sets, process);
        feed(without, nullptr, loads.lines, loads.kinds, sets, process);
        with.invalidate();
        without.invalidate();
      }
      for (std::size_t place = 0; place < ways.size(); ++place)
        ASSERT_EQ(with.counts().of_cache(place, ways[place], write),
                  without.counts().of_cache(place, ways[place], write))
            << write.name << ", " << ways[place] << " ways";
    }
  }
}

}  // namespace
}  // namespace warpscope
