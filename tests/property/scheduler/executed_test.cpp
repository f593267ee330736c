// The replay in recorded turns against a naive machine whose lanes part and meet at random, on random kernels.
#include <gtest/gtest.h>

#include <algorithm>

#include "scheduler/run_launch.h"
#include "tests/property/scheduler/random_kernel.h"
#include "traces/base/error.h"
#include "traces/capture/walk.h"

namespace warpscope::testing {
namespace {

/// Code, a gate, an access behind it, code, …; some of the code leads back.
KernelInfo gated_kernel(SplitMix64& random) {
  KernelBuilder builder;
  const auto gates = static_cast<std::uint32_t>(1 + random.below(4));
  for (std::uint32_t gate = 0; gate < gates; ++gate) {
    const std::uint32_t code = 3 * gate;
    const bool has_site = random.below(2) == 0;
    std::vector<std::uint32_t> ways{code + 1};
    if (gate > 0 && random.below(2) == 0) ways.push_back(3 * static_cast<std::uint32_t>(random.below(gate)));
    builder.block(has_site ? std::vector{builder.load()} : std::vector<SiteId>(), ways);
    builder.block({}, {code + 2, code + 3});
    builder.block({builder.store()}, {code + 3});
  }
  builder.block({builder.store()}, {});
  KernelInfo kernel = builder.finish();
  for (std::uint32_t block = 0; block < kernel.blocks.size(); ++block)
    kernel.blocks[block].instructions = block % 3 == 1 ? 0 : 1;
  return kernel;
}

KernelInfo random_kernel(SplitMix64& random, int kind) {
  if (kind % 3 == 0) return gated_kernel(random);
  KernelInfo kernel = kind % 3 == 1 ? StructuredKernel(random).make() : random_graph(random);
  for (BlockInfo& block : kernel.blocks) block.instructions = 1;
  return kernel;
}

/// The lanes of one warp; in each step some that are at the same block execute it.
class NaiveWarp {
 public:
  NaiveWarp(const KernelInfo& kernel, const std::vector<Outcomes>& outcomes, const AddressOf& address,
            SplitMix64& random)
      : kernel_(kernel), address_(address), random_(random) {
    for (const Outcomes& one : outcomes) {
      Lane& lane = lanes_.emplace_back();
      lane.counts.resize(kernel.sites.size());
      std::size_t used = 0;
      for (std::uint32_t block = 0;;) {
        lane.blocks.push_back(block);
        const auto& successors = kernel.blocks[block].successors;
        if (successors.empty()) break;
        block = successors[successors.size() == 1 ? 0 : one[used++]].value();
      }
    }
  }

  void run() {
    for (LaneMask together = choose(); together != 0; together = choose()) step(together);
    walk.hash = hash_.value();
  }

  std::vector<Seen> seen;
  WarpWalk walk;

 private:
  struct Lane {
    std::vector<std::uint32_t> blocks;
    std::size_t at = 0;
    std::vector<std::uint64_t> counts;
    [[nodiscard]] bool has_ended() const { return at == blocks.size(); }
  };

  /// Some lanes that are at the block of a random one; often those of the last step.
  LaneMask choose() {
    std::vector<std::size_t> live;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      if (!lanes_[lane].has_ended()) live.push_back(lane);
    if (live.empty()) return 0;
    const Lane& chosen = lanes_[live[random_.below(live.size())]];
    const bool all = random_.below(3) != 0;
    LaneMask together = 0;
    for (const std::size_t lane : live) {
      const bool is_there = lanes_[lane].blocks[lanes_[lane].at] == chosen.blocks[chosen.at];
      if (is_there && (all || &lanes_[lane] == &chosen || random_.below(2) == 0))
        together |= LaneMask{1} << lane;
    }
    return together;
  }

  void step(LaneMask together) {
    const auto lanes = static_cast<std::uint32_t>(together);
    LaneMask ended = 0;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      if (lanes_[lane].has_ended()) ended |= LaneMask{1} << lane;
    if (!walk.turns.empty() && (walk.turns.back().lanes & ~ended) == together)
      ++walk.turns.back().blocks;
    else
      walk.turns.push_back({lanes, 1});
    const std::uint32_t block = execute(together);
    const BlockInfo& info = kernel_.blocks[block];
    if (info.instructions != 0) return;
    LaneMask behind = 0;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      if ((together >> lane & 1) != 0 && lanes_[lane].blocks[lanes_[lane].at] == info.successors[0].value())
        behind |= LaneMask{1} << lane;
    if (behind != 0) execute(behind);
  }

  std::uint32_t execute(LaneMask together) {
    const Lane& first = lanes_[static_cast<std::size_t>(std::countr_zero(together))];
    const std::uint32_t block = first.blocks[first.at];
    hash_.add(block, static_cast<std::uint32_t>(together));
    for (const SiteId site : kernel_.blocks[block].sites) {
      Seen access{0, 0, 0, site.value(), together, {}};
      for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
        if ((together >> lane & 1) != 0)
          access.keys.push_back(
              address_(0, static_cast<std::uint32_t>(lane), site, lanes_[lane].counts[site.value()]++));
      if (has_address(kernel_.sites[site.value()].kind)) seen.push_back(access);
    }
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      if ((together >> lane & 1) != 0) ++lanes_[lane].at;
    return block;
  }

  const KernelInfo& kernel_;
  const AddressOf& address_;
  SplitMix64& random_;
  std::vector<Lane> lanes_;
  WalkHash hash_;
};

struct ExecutedCase {
  KernelInfo kernel;
  WorkGroupTrace trace;
  std::vector<Seen> seen;
};

ExecutedCase executed_case(const KernelInfo& kernel, SplitMix64& random) {
  const auto items = static_cast<std::uint32_t>(1 + random.below(32));
  std::vector<Outcomes> kinds, outcomes;
  for (std::uint64_t k = 1 + random.below(5); k != 0; --k) kinds.push_back(random_walk(kernel, random, 20));
  for (std::uint32_t item = 0; item < items; ++item) outcomes.push_back(kinds[random.below(kinds.size())]);
  const std::uint64_t seed = random.next();
  const AddressOf address = [=](std::uint32_t, std::uint32_t item, SiteId site, std::uint64_t count) {
    return BufferAddr(BufferId(1), SplitMix64(seed + item * 977 + site.value() * 31 + count).below(1 << 20))
        .key();
  };
  NaiveWarp naive(kernel, outcomes, address, random);
  naive.run();
  ExecutedCase made{
      kernel,
      make_group(
          kernel, 0, items, [&](std::uint32_t, std::uint32_t item) { return outcomes[item]; }, address),
      naive.seen};
  made.trace.walks.add(naive.walk);
  return made;
}

std::vector<Seen> replayed_turns(const ExecutedCase& one) {
  VectorSource source(one.kernel, {1, 1, 1}, {one.trace.work_items, 1, 1});
  source.add(one.trace);
  ScheduleOptions options;
  options.self_check = true;
  RecordingSink sink;
  run_launch(source, options, sink);
  return sink.seen;
}

TEST(ExecutedProperty, TurnsEqualTheNaiveMachine) {
  SplitMix64 random(20261129);
  int compared = 0, parted = 0, gates = 0;
  for (int k = 0; k < 600; ++k) {
    SCOPED_TRACE(::testing::Message() << "kernel " << k);
    const KernelInfo kernel = random_kernel(random, k);
    if (kernel.blocks.empty()) continue;
    const ExecutedCase one = executed_case(kernel, random);
    ASSERT_EQ(replayed_turns(one), one.seen);
    const WarpWalk& walk = one.trace.walks.walks.front();
    ASSERT_EQ(hash_of_walk(one.kernel, one.trace, 0), walk.hash);
    ++compared;
    parted += walk.turns.size() > 1 ? 1 : 0;
    for (const BlockInfo& block : one.kernel.blocks) gates += block.instructions == 0 ? 1 : 0;
  }
  EXPECT_GT(compared, 300);
  EXPECT_GT(parted, 200);
  EXPECT_GT(gates, 50);
}

// Whatever is wrong with turns, there is one message, and the replay ends.
TEST(ExecutedProperty, WrongTurnsAreRefused) {
  SplitMix64 random(20261130);
  int refused = 0, tried = 0;
  for (int k = 0; k < 600; ++k) {
    SCOPED_TRACE(::testing::Message() << "kernel " << k);
    const KernelInfo kernel = random_kernel(random, k);
    if (kernel.blocks.empty()) continue;
    ExecutedCase one = executed_case(kernel, random);
    WarpWalk& walk = one.trace.walks.walks.front();
    WarpTurn& turn = walk.turns[random.below(walk.turns.size())];
    switch (random.below(4)) {
      case 0:
        turn.lanes ^= std::uint32_t{1} << random.below(one.trace.work_items);
        break;
      case 1:
        turn.blocks += 1;
        break;
      case 2:
        walk.turns.pop_back();
        break;
      default:
        walk.hash ^= 1;
    }
    ++tried;
    try {
      const std::vector<Seen> seen = replayed_turns(one);
      ASSERT_EQ(seen, one.seen);  // a lane that had ended, or a block more after the end
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, tried / 2);
}

// Lanes 0 and 1 come to the barrier first; those of the other warp and lane 2 are there later. Behind it all go on.
TEST(Executed, ALaneMayWaitAtTheBarrierForOthersOfItsWarp) {
  KernelBuilder k;
  const SiteId load = k.load(), barrier = k.barrier(), store = k.store();
  k.block({}, {1, 2});
  k.block({load}, {2});
  k.block({barrier}, {3});
  k.block({store}, {});
  KernelInfo kernel = k.finish();
  for (BlockInfo& block : kernel.blocks) block.instructions = 2;
  ExecutedCase one{
      kernel,
      make_group(
          kernel, 0, 3, [](std::uint32_t, std::uint32_t item) { return Outcomes{item < 2 ? 1U : 0U}; },
          [](std::uint32_t, std::uint32_t item, SiteId, std::uint64_t) {
            return BufferAddr(BufferId(1), 4 * item).key();
          }),
      {}};
  WarpWalk walk{{{7, 1}, {3, 1}, {4, 2}, {7, 1}}, 0};
  WalkHash hash;
  for (const auto& [block, lanes] : {std::pair{0U, 7U}, {2U, 3U}, {1U, 4U}, {2U, 4U}, {3U, 7U}})
    hash.add(block, lanes);
  walk.hash = hash.value();
  one.trace.walks.add(walk);
  const std::vector<Seen> seen = replayed_turns(one);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].mask, 4U);
  EXPECT_EQ(seen[1].mask, 7U);
  EXPECT_EQ(hash_of_walk(kernel, one.trace, 0), walk.hash);
}

TEST(Executed, WarpsHaveThirtyTwoLanes) {
  SplitMix64 random(1);
  const ExecutedCase one = executed_case(random_kernel(random, 0), random);
  VectorSource source(one.kernel, {1, 1, 1}, {one.trace.work_items, 1, 1});
  source.add(one.trace);
  ScheduleOptions options;
  options.warp_size = 16;
  RecordingSink sink;
  EXPECT_THROW(run_launch(source, options, sink), InputError);
}

}  // namespace
}  // namespace warpscope::testing
