// Threads that serve the L2 by lanes of slices: what they reply is what one system replies to all requests in order.
#include "timed/parallel/memory_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "timed/memory/slice_groups.h"
#include "traces/base/random.h"

namespace warpscope::timed {
namespace {

using Groups = std::vector<std::uint32_t>;

MemoryConfig of_slices(std::uint32_t slices, std::uint32_t channels, std::uint32_t parts = 1) {
  MemoryConfig config;
  config.l2_size_kib = std::uint64_t{2} * slices;  // four sets of four ways
  config.l2_ways = 4;
  config.l2_slices = slices;
  config.dram_channels = channels;
  config.l2_partitions = parts;
  config.l2_far_latency = parts == 1 ? 0 : 30;
  config.l2_store_cost = 1.5;
  return config;
}

TEST(SliceGroups, SlicesOfAChannelAreOne) {
  EXPECT_EQ(slice_groups(of_slices(4, 4)), (Groups{0, 1, 2, 3}));
  EXPECT_EQ(slice_groups(of_slices(4, 2)), (Groups{0, 0, 1, 1}));
  EXPECT_EQ(slice_groups(of_slices(5, 3)), (Groups{0, 0, 1, 1, 2}));  // channels 0, 0, 1, 1, 2
  EXPECT_EQ(slice_groups(of_slices(4, 1)), (Groups{0, 0, 0, 0}));
}

TEST(SliceGroups, SlicesThatKeepCopiesOfTheSameLinesAreOne) {
  EXPECT_EQ(slice_groups(of_slices(4, 4, 2)), (Groups{0, 1, 0, 1}));
  EXPECT_EQ(slice_groups(of_slices(8, 4, 2)), (Groups{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(slice_groups(of_slices(6, 4, 2)), (Groups{0, 0, 1, 0, 0, 1}));  // channels 0, 0, 1, 2, 2, 3
  EXPECT_EQ(slice_groups(of_slices(8, 3, 2)), Groups(8, 0));                // channels 0, 0, 0, 1, 1, 1, 2, 2
}

TEST(SliceGroups, ACacheBeforeTheL2WaitsForAnyOfThem) {
  MemoryConfig config = of_slices(4, 4);
  config.shared_l1.size_kib = 16;
  EXPECT_EQ(slice_groups(config), (Groups{0, 0, 0, 0}));
}

// A naive model: every request in order, one by one, by a system that nobody has split.

constexpr std::uint32_t kSenders = 6;
constexpr Cycle kExchangeWindow = 100;
constexpr std::uint64_t kAskedLines = 300;  ///< that are asked for

/// What some cores send in one window, in order of time; some of it leaves in later ones.
std::vector<MemoryRequest> random_outbox(SplitMix64& random, std::uint32_t core, Cycle begin,
                                         Cycle& sent_until, std::uint64_t& sent) {
  std::vector<MemoryRequest> outbox;
  sent_until = std::max(sent_until, begin);
  for (std::uint64_t left = random.below(40); left != 0; --left) {
    sent_until += random.below(6);
    const auto kind = static_cast<MemoryRequest::Kind>(random.below(3));
    outbox.push_back({sent_until, random.below(kAskedLines), static_cast<Token>(random.below(9)), core,
                      static_cast<std::uint8_t>(random.below(2)),
                      static_cast<SectorMask>(1 + random.below(15)), kind, kind != MemoryRequest::Kind::Store,
                      sent++});
  }
  return outbox;
}

/// Number of the core's request, and what came back.
using CoreReplies = std::vector<std::tuple<std::uint64_t, Cycle, std::uint64_t, Token, unsigned, unsigned>>;

struct Answered {
  std::vector<CoreReplies> of_core = std::vector<CoreReplies>(kSenders);
  MemoryCounts counts;
  std::vector<Cycle> afterwards;  ///< when loads of all lines come back that are sent one by one, long after
};

void expect_same(const Answered& one, const Answered& other) {
  EXPECT_EQ(one.of_core, other.of_core);
#define MEMORY_COUNTER(name, ...) EXPECT_EQ(one.counts.name, other.counts.name) << #name;
#include "cachesim/access/counters.def"
  EXPECT_EQ(one.afterwards, other.afterwards);
}

/// By core, of each window.
using Traffic = std::vector<std::vector<std::vector<MemoryRequest>>>;

Traffic random_traffic(std::uint64_t seed) {
  SplitMix64 random(seed);
  Traffic traffic;
  std::vector<Cycle> until(kSenders);
  std::vector<std::uint64_t> sent(kSenders);
  for (Cycle begin = 0; begin < 30 * kExchangeWindow; begin += kExchangeWindow) {
    traffic.emplace_back();
    for (std::uint32_t core = 0; core < kSenders; ++core)
      traffic.back().push_back(random_outbox(random, core, begin, until[core], sent[core]));
  }
  return traffic;
}

void finish(Answered& answered, MemorySystem& memory) {
  for (CoreReplies& replies : answered.of_core) std::sort(replies.begin(), replies.end());
  answered.counts = memory.counts();
  // What the L2 has and in which order it was used: every load drives out the oldest line of its set.
  Cycle at = 1'000'000;
  for (const SectorMask sectors : {SectorMask{1}, SectorMask{2}, SectorMask{4}, SectorMask{8}})
    for (std::uint64_t line = 0; line < kAskedLines; ++line, at += 10'000)
      for (std::uint32_t core = 0; core < 2; ++core)
        answered.afterwards.push_back(
            memory.serve({at, line, 0, core, 0, sectors, MemoryRequest::Kind::Load, true}) - at);
}

Answered in_order(const MemoryConfig& config, const Traffic& traffic) {
  MemorySystem memory(config, 32);
  memory.begin_launch(true);
  std::vector<MemoryRequest> all;
  for (const auto& window : traffic)
    for (const auto& outbox : window) all.insert(all.end(), outbox.begin(), outbox.end());
  std::sort(all.begin(), all.end(), [](const MemoryRequest& a, const MemoryRequest& b) {
    return std::tie(a.time, a.core, a.order) < std::tie(b.time, b.core, b.order);
  });
  Answered answered;
  for (const MemoryRequest& request : all) {
    const Cycle time = memory.serve(request);
    if (request.wants_reply)
      answered.of_core[request.core].emplace_back(request.order, time, request.line, request.token,
                                                  request.unit, request.sectors);
  }
  finish(answered, memory);
  return answered;
}

Answered by_lanes(const MemoryConfig& config, Traffic traffic, std::uint32_t lanes, std::uint32_t threads) {
  MemorySystem memory(config, 32);
  memory.split(lanes);
  memory.begin_launch(true);
  TaskPool pool(threads);
  MemoryExchange exchange(memory, kSenders, pool);
  Answered answered;
  const auto serve = [&](Cycle end) {
    exchange.serve(end);
    for (std::uint32_t core = 0; core < kSenders; ++core)
      exchange.reply_to(core, [&](const MemoryReply& reply) {
        answered.of_core[core].emplace_back(reply.order, reply.time, reply.line, reply.token, reply.unit,
                                            reply.sectors);
      });
  };
  Cycle end = 0;
  for (auto& window : traffic) {
    for (std::uint32_t core = 0; core < kSenders; ++core) {
      exchange.take(core, window[core]);
      EXPECT_TRUE(window[core].empty());
    }
    serve(end += kExchangeWindow);
  }
  serve(kNever);
  finish(answered, memory);
  return answered;
}

TEST(MemoryExchange, LanesReplyAsOneSystemDoes) {
  std::vector<MemoryConfig> configs = {of_slices(8, 8), of_slices(8, 3), of_slices(8, 4, 2),
                                       of_slices(6, 4, 2), of_slices(1, 1)};
  configs[1].dram_access_bytes = 64;
  configs.push_back(of_slices(12, 5));
  configs.back().l2_slice_index = "linear";
  configs.back().l2_requests_per_cycle = 0.5;
  configs.push_back(of_slices(16, 16));
  configs.back().shared_l1 = {8, 4, 2, 64, 90};
  for (std::size_t c = 0; c < configs.size(); ++c) {
    const Traffic traffic = random_traffic(c);
    const Answered expected = in_order(configs[c], traffic);
    for (const std::uint32_t lanes : {1, 2, 3, 64}) {
      SCOPED_TRACE(::testing::Message() << "configuration " << c << ", " << lanes << " lanes");
      expect_same(by_lanes(configs[c], traffic, lanes, 1 + lanes % 4), expected);
    }
  }
}

TEST(MemoryExchange, WhatLeavesLateIsServedInItsTurn) {
  const MemoryConfig config = of_slices(1, 1);
  Traffic traffic(2, {kSenders, std::vector<MemoryRequest>()});
  // Core 1 sends in the first window what leaves in the second, at the time of what core 0 sends then: core 0 is first.
  traffic[0][1] = {{150, 7, 0, 1, 0, 1, MemoryRequest::Kind::Load, true, 0}};
  traffic[1][0] = {{150, 7, 0, 0, 0, 1, MemoryRequest::Kind::Load, true, 0}};
  const Answered answered = by_lanes(config, traffic, 1, 1);
  EXPECT_EQ(answered.counts.l2_load_misses, 1u);
  EXPECT_EQ(answered.counts.l2_load_pending, 1u);
  ASSERT_EQ(answered.of_core[0].size(), 1u);
  ASSERT_EQ(answered.of_core[1].size(), 1u);
  EXPECT_LE(std::get<1>(answered.of_core[0][0]), std::get<1>(answered.of_core[1][0]));
  expect_same(answered, in_order(config, traffic));
}

TEST(MemoryExchange, ALaunchMayEndLongAfterItsCores) {
  Traffic traffic(1, {kSenders, std::vector<MemoryRequest>()});
  for (std::uint32_t core = 0; core < kSenders; ++core)
    for (std::uint64_t n = 0; n < 50; ++n)
      traffic[0][core].push_back({n * 5000, n % 11, 0, core, 0, 3, MemoryRequest::Kind::Store, false, n});
  expect_same(by_lanes(of_slices(4, 2), traffic, 2, 2), in_order(of_slices(4, 2), traffic));
}

TEST(MemorySystem, HasAsManyLanesAsItCan) {
  MemorySystem memory(of_slices(8, 4), 32);
  for (const auto& [wanted, lanes] : {std::pair{1u, 1u}, {3u, 3u}, {4u, 4u}, {9u, 4u}, {0u, 1u}}) {
    memory.split(wanted);
    EXPECT_EQ(memory.lanes(), lanes);
    for (std::uint64_t line = 0; line < 1000; ++line) ASSERT_LT(memory.lane_of(line), lanes);
  }
}

TEST(MemorySystem, KeepsItsCountsWhenItIsSplit) {
  MemorySystem memory(of_slices(8, 4), 32);
  memory.split(4);
  for (std::uint64_t line = 0; line < 100; ++line)
    memory.serve({line, line, 0, 0, 0, 1, MemoryRequest::Kind::Load, true});
  memory.split(3);
  EXPECT_EQ(memory.counts().l2_load_misses, 100u);
}

}  // namespace
}  // namespace warpscope::timed
