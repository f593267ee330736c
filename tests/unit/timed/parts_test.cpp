// Small parts against naive models.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "timed/issue/event_wheel.h"
#include "timed/issue/issue_stage.h"
#include "timed/memory/line_index.h"
#include "timed/memory/line_table.h"
#include "timed/memory/rate_limiter.h"
#include "timed/occupancy_series.h"
#include "traces/base/random.h"

namespace warpscope::timed {
namespace {

TEST(LineTable, EqualsAMap) {
  SplitMix64 random(1);
  LineTable table(8);
  std::map<std::uint64_t, std::uint32_t> naive;
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t line = random.below(200) * (step % 2 == 0 ? 1 : 4096);
    const auto found = naive.find(line);
    ASSERT_EQ(table.find(line), found == naive.end() ? LineTable::kNone : found->second);
    if (found == naive.end()) {
      const auto value = static_cast<std::uint32_t>(random.below(1000));
      naive[line] = value;
      table.insert(line, value);
    } else if (random.below(2) == 0) {
      naive.erase(found);
      table.erase(line);
    }
    ASSERT_EQ(table.size(), naive.size());
  }
}

TEST(EventWheel, GivesEveryEventInItsCycle) {
  SplitMix64 random(2);
  EventWheel wheel;
  std::multimap<Cycle, std::uint32_t> naive;
  Cycle now = 0;
  for (int step = 0; step < 20000; ++step) {
    for (std::uint64_t added = random.below(3); added > 0; --added) {
      const Cycle distance = 1 + random.below(random.below(4) == 0 ? 2000 : 40);
      const auto event = static_cast<std::uint32_t>(random.below(1000));
      wheel.add(now, now + distance, event);
      naive.emplace(now + distance, event);
    }
    const Cycle next = wheel.next_after(now);
    ASSERT_EQ(next, naive.empty() ? kNever : naive.begin()->first);
    // Empty cycles may be taken or skipped.
    now = next == kNever || random.below(3) == 0 ? now + 1 : next;
    std::multiset<std::uint32_t> events, expected;
    wheel.take(now, [&](std::uint32_t event) { events.insert(event); });
    for (auto [at, end] = naive.equal_range(now); at != end; ++at) expected.insert(at->second);
    naive.erase(now);
    ASSERT_EQ(events, expected);
    ASSERT_TRUE(naive.empty() || naive.begin()->first > now);
  }
}

// Each of ten has at most one event of its own at a time, near or far, among those of others.
TEST(EventWheel, KeepsPlacesOfTheirOwn) {
  SplitMix64 random(3);
  EventWheel wheel(10);
  std::map<std::uint32_t, Cycle> own;
  std::multiset<Cycle> others;
  for (Cycle now = 1; now < 20000; ++now) {
    const auto who = static_cast<std::uint32_t>(random.below(10));
    const Cycle at = now + random.below(random.below(8) == 0 ? 600 : 30);
    if (own.emplace(who, at).second)
      wheel.add_own(now - 1, at, who, who | 1024);
    else
      wheel.add(now - 1, *others.insert(at), 2048);
    wheel.take(now, [&](std::uint32_t event) {
      if (event == 2048) {
        ASSERT_TRUE(others.contains(now));
        others.erase(others.find(now));
        return;
      }
      ASSERT_EQ(own.at(event & 1023), now);
      own.erase(event & 1023);
    });
    ASSERT_EQ(others.count(now), 0u);
    for (const auto& [waiting, until] : own) ASSERT_GT(until, now) << waiting;
  }
}

TEST(RateLimiter, StartsWhenTheBytesBeforeHaveMoved) {
  RateLimiter port(32);
  EXPECT_EQ(port.take(10, 128), 10u);
  EXPECT_EQ(port.take(10, 32), 14u);
  EXPECT_EQ(port.take(12, 16), 15u);
  EXPECT_EQ(port.take(12, 16), 15u);  // the rest of cycle 15
  EXPECT_EQ(port.take(12, 1), 16u);
  EXPECT_EQ(port.take(100, 1), 100u);
}

TEST(RateLimiter, KeepsFractionsOfAByte) {
  RateLimiter port(12.8);
  Cycle last = 0;
  for (int i = 0; i < 101; ++i) last = port.take(0, 128);
  EXPECT_NEAR(static_cast<double>(last), 1000, 1);
}

TEST(RateLimiter, WithoutALimitNothingWaits) {
  RateLimiter port(0);
  EXPECT_EQ(port.take(5, 1u << 30), 5u);
  EXPECT_EQ(port.take(5, 1), 5u);
}

TEST(OccupancySeries, KeepsSumsInABoundedNumberOfPoints) {
  OccupancySeries series;
  Cycle cycles = 0;
  std::uint64_t warp_cycles = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    series.add(10, i);
    cycles += 10;
    warp_cycles += i;
    ASSERT_LE(series.spans().size(), OccupancySeries::kMost);
  }
  for (const OccupancySeries::Span& span : series.spans()) {
    cycles -= span.cycles;
    warp_cycles -= span.warp_cycles;
  }
  EXPECT_EQ(cycles, 0u);
  EXPECT_EQ(warp_cycles, 0u);
  EXPECT_GT(series.spans().size(), OccupancySeries::kMost / 4);
}

/// Step by step, as the definition says.
TEST(OccupancySeries, WarpsThatComeAndLeaveInAnyOrder) {
  const std::vector<std::pair<Cycle, std::int64_t>> first = {{0, 3}, {7, -1}, {3, 2}, {12, 4}},
                                                    then = {{19, -2}, {12, 1}};
  OccupancySeries at_once, step_by_step;
  for (const auto& [from, changes] : {std::pair(Cycle{0}, first), std::pair(Cycle{12}, then)}) {
    at_once.begin(from, from == 0 ? 12 : 20, 4);
    for (const auto& [at, more] : changes) at_once.change(at, more);
    at_once.end();
  }
  for (Cycle step = 0; step < 20; step += 4) {
    std::int64_t warp_cycles = 0;
    for (Cycle now = step; now < step + 4; ++now)
      for (const auto& changes : {first, then})
        for (const auto& [at, more] : changes) warp_cycles += at <= now ? more : 0;
    step_by_step.add(4, static_cast<std::uint64_t>(warp_cycles));
  }
  ASSERT_EQ(at_once.spans().size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(at_once.spans()[i].cycles, step_by_step.spans()[i].cycles);
    EXPECT_EQ(at_once.spans()[i].warp_cycles, step_by_step.spans()[i].warp_cycles);
  }
}

}  // namespace
struct NumberedWay {
  std::uint64_t line = 0;
};

TEST(LineIndex, FindsWhatAMapFinds) {
  constexpr std::uint32_t kWays = 48;
  std::vector<NumberedWay> ways(kWays);
  LineIndex<NumberedWay> index(ways);
  std::map<std::uint64_t, std::uint32_t> naive;
  SplitMix64 random(7);
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t line = random.below(200);
    const auto way = static_cast<std::uint32_t>(random.below(kWays));
    const bool has_line =
        std::any_of(naive.begin(), naive.end(), [&](const auto& one) { return one.second == way; });
    if (has_line) {
      naive.erase(ways[way].line);
      index.erase(way);
    } else if (naive.count(line) == 0) {
      ways[way].line = line;
      naive[line] = way;
      index.insert(way);
    }
    ASSERT_EQ(index.size(), naive.size());
    for (std::uint64_t l = 0; l < 200; ++l)
      ASSERT_EQ(index.find(l), naive.count(l) == 0 ? LineIndex<NumberedWay>::kNone : naive[l]) << step;
  }
}

TEST(RateLimiter, IsFreeFromTheCycleOnThatItSays) {
  SplitMix64 random(3);
  for (const double rate : {0.0, 0.3, 1.0, 20.3, 32.0}) {
    RateLimiter limiter(rate);
    for (Cycle now = 0; now < 300; now += random.below(4)) {
      limiter.take(now, random.below(70));
      for (Cycle c = now; c < now + 40; ++c) ASSERT_EQ(limiter.is_free(c), limiter.free_at() <= c) << rate;
    }
  }
}

TEST(IssueStage, EndsPausesInTheirCycle) {
  IssueConfig config;
  config.schedulers = 3;
  IssueStage stage(config, 192);
  std::multimap<Cycle, std::uint32_t> naive;
  SplitMix64 random(5);
  std::vector<bool> pauses(192);
  for (Cycle now = 1; now < 3000; ++now) {
    std::set<std::uint32_t> ended, expected;
    stage.end_pauses(now, [&](std::uint32_t warp) { ended.insert(warp); });
    for (auto [at, end] = naive.equal_range(now); at != end; ++at) expected.insert(at->second);
    ASSERT_EQ(ended, expected) << now;
    for (const std::uint32_t warp : ended) pauses[warp] = false;
    for (int i = 0; i < 3; ++i) {
      const auto warp = static_cast<std::uint32_t>(random.below(192));
      const Cycle until = now + 1 + random.below(40);
      if (pauses[warp] || !IssueStage::takes_pause(now, until)) continue;
      stage.pause(warp, until);
      naive.emplace(until, warp);
      pauses[warp] = true;
    }
    const auto next = naive.upper_bound(now);
    ASSERT_EQ(stage.next_pause(now), next == naive.end() ? kNever : next->first);
  }
}

/// Two pipes of 16 lanes: a multiplication of floats takes the light one if it is free, one of integers the heavy one.
TEST(IssueStage, CountsTheCyclesInWhichBothPipesAreBusy) {
  IssueConfig config;
  config.schedulers = 1;
  IssueStage stage(config, 8);
  MachineOp floats, integers;
  floats.unit = Unit::Float;
  integers.unit = Unit::Heavy;
  floats.occupies = integers.occupies = MachineOp::Occupies::FmaPipe;
  floats.interval = integers.interval = 4;
  SplitMix64 random(7);
  Cycle light = 0, heavy = 0, busy = 0;
  for (Cycle now = 0; now < 4000; ++now) {
    ASSERT_EQ(stage.busy_until(0, Unit::Float, now), busy) << now;
    const bool is_float = random.below(2) == 0;
    if (random.below(3) == 0 && (heavy <= now || (is_float && light <= now))) {
      const MachineOp& op = is_float ? floats : integers;
      stage.make_ready(0, 0, op.unit);
      stage.issued(0, 0, op, now);
      (is_float && light <= now ? light : heavy) = now + 4;
    }
    busy += light > now && heavy > now;
  }
}

}  // namespace warpscope::timed
