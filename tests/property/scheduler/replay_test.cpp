// The replay against a naive SIMT machine, on random kernels with random branches and addresses.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "scheduler/run_launch.h"
#include "tests/property/scheduler/naive_simt.h"
#include "tests/property/scheduler/random_kernel.h"

namespace warpscope::testing {
namespace {

constexpr int kKernels = 400;

/// One random work-group of a kernel, in both forms.
struct Case {
  KernelInfo kernel;
  std::uint32_t items = 0;
  std::vector<LaneRun> lanes;
  WorkGroupTrace trace;
};

Case random_case(const KernelInfo& kernel, SplitMix64& random) {
  Case made;
  made.kernel = kernel;
  made.items = static_cast<std::uint32_t>(1 + random.below(80));
  std::vector<Outcomes>
      walks;  // few of them: work-items that share a path are what the replay is built around
  const std::uint64_t kinds = 1 + random.below(random.below(2) == 0 ? 3 : 20);
  for (std::uint64_t k = 0; k < kinds; ++k) walks.push_back(random_walk(kernel, random, 30));
  std::vector<Outcomes> outcomes;
  for (std::uint32_t i = 0; i < made.items; ++i) outcomes.push_back(walks[random.below(kinds)]);
  const std::uint64_t seed = random.next();
  const std::uint64_t regular = random.below(3);  // 0: strides; 1: scattered; 2: site by site
  const AddressOf address = [=](std::uint32_t, std::uint32_t item, SiteId site, std::uint64_t count) {
    SplitMix64 own(seed + item * 977 + site.value() * 31 + count);
    const bool strides = regular == 0 || (regular == 2 && site.value() % 2 == 0);
    const std::uint64_t offset = 4096 + (strides ? item * 4 + count * 256 : own.below(1 << 20) * 4);
    return BufferAddr(BufferId(site.value() % 3 + 1), offset).key();
  };
  const auto outcomes_of = [&](std::uint32_t, std::uint32_t item) { return outcomes[item]; };
  for (std::uint32_t i = 0; i < made.items; ++i)
    made.lanes.push_back(lane_run(kernel, outcomes[i], 0, i, address));
  made.trace = make_group(kernel, 0, made.items, outcomes_of, address);
  return made;
}

std::vector<Seen> replayed(const Case& one, std::uint32_t warp_size, const std::string& reconvergence) {
  VectorSource source(one.kernel, {1, 1, 1}, {one.items, 1, 1});
  source.add(one.trace);
  ScheduleOptions options;
  options.warp_size = warp_size;
  options.reconvergence = reconvergence;
  options.self_check = true;
  RecordingSink sink;
  run_launch(source, options, sink);
  EXPECT_TRUE(sink.patterns_hold);
  return sink.seen;
}

/// The witness's accesses of one warp, as a sink would see them.
template <class Naive>
std::vector<Seen> expected_of_warp(const Case& one, std::uint32_t warp, std::uint32_t warp_size) {
  const auto begin = one.lanes.begin() + warp * warp_size;
  const auto end = one.lanes.begin() + std::min<std::ptrdiff_t>((warp + 1) * warp_size, one.items);
  const std::vector<LaneRun> lanes(begin, end);
  std::vector<Seen> expected;
  for (const NaiveStep& step : Naive(one.kernel, lanes).run()) {
    if (!has_address(step.kind)) continue;
    Seen seen{0, 0, warp, step.site.value(), 0, {}};
    for (const auto& [lane, key] : step.keys) {
      seen.mask |= LaneMask{1} << lane;
      seen.keys.push_back(key);
    }
    expected.push_back(seen);
  }
  return expected;
}

template <class Naive>
void compare(const Case& one, std::uint32_t warp_size, const std::string& reconvergence) {
  const std::vector<Seen> all = replayed(one, warp_size, reconvergence);
  for (std::uint32_t warp = 0; warp * warp_size < one.items; ++warp) {
    std::vector<Seen> of_warp;
    for (const Seen& seen : all) {
      if (seen.warp == warp) of_warp.push_back(seen);
    }
    ASSERT_EQ(of_warp, expected_of_warp<Naive>(one, warp, warp_size))
        << "warp " << warp << " of width " << warp_size;
  }
}

template <class Naive>
void compare_on_random_kernels(std::uint64_t seed, bool structured, const std::string& reconvergence) {
  SplitMix64 random(seed);
  int compared = 0;
  for (int k = 0; k < kKernels; ++k) {
    const KernelInfo kernel = structured ? StructuredKernel(random).make() : random_graph(random);
    if (kernel.blocks.empty()) continue;
    const Case one = random_case(kernel, random);
    for (const std::uint32_t width : {1u, 2u, 5u, 16u, 32u, 64u}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", kernel " << k << ", width " << width);
      compare<Naive>(one, width, reconvergence);
      if (::testing::Test::HasFatalFailure() || ::testing::Test::HasNonfatalFailure()) return;
    }
    ++compared;
  }
  EXPECT_GT(compared, kKernels / 2);
}

TEST(ReplayProperty, IpdomEqualsNaiveMachineOnArbitraryGraphs) {
  compare_on_random_kernels<NaiveIpdom>(20261121, false, "ipdom");
}
TEST(ReplayProperty, IpdomEqualsNaiveMachineOnStructuredKernels) {
  compare_on_random_kernels<NaiveIpdom>(20261122, true, "ipdom");
}
TEST(ReplayProperty, LoopsEqualsNaiveRuleOnArbitraryGraphs) {
  compare_on_random_kernels<NaiveLoops>(20261123, false, "loops");
}
TEST(ReplayProperty, LoopsEqualsNaiveRuleOnStructuredKernels) {
  compare_on_random_kernels<NaiveLoops>(20261124, true, "loops");
}

// Where every loop has one exit and nothing jumps out of or into a statement, both rules say the same,
// whatever diverges: branches, switches and numbers of iterations.
TEST(ReplayProperty, LoopsAgreesWithIpdomOnStructuredKernels) {
  SplitMix64 random(20261125);
  for (int k = 0; k < kKernels; ++k) {
    const Case one = random_case(StructuredKernel(random).make(), random);
    ASSERT_EQ(replayed(one, 32, "ipdom"), replayed(one, 32, "loops")) << "kernel " << k;
  }
}

std::vector<Seen> formed(const Case& one, std::uint32_t warp_size, Formation formation) {
  VectorSource source(one.kernel, {1, 1, 1}, {one.items, 1, 1});
  source.add(one.trace);
  ScheduleOptions options;
  options.warp_size = warp_size;
  options.formation = formation;
  RecordingSink sink;
  run_launch(source, options, sink);
  EXPECT_TRUE(sink.patterns_hold);
  return sink.seen;
}

/// (lane, site, location) of every access of a work-item, sorted.
using LaneAccesses = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>>;

LaneAccesses lanes_of(const std::vector<Seen>& seen) {
  LaneAccesses found;
  for (const Seen& one : seen) {
    LaneMask mask = one.mask;
    for (const std::uint64_t key : one.keys) {
      found.emplace_back(std::countr_zero(mask), one.site, key);
      mask &= mask - 1;
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// How a warp is formed changes which work-items are together, and nothing that a work-item does, nor its lane. A large warp never takes more
// warps than the warps it consists of.
TEST(ReplayProperty, FormedWarpsMakeTheAccessesOfTheirWorkItems) {
  SplitMix64 random(20261126);
  for (int k = 0; k < kKernels; ++k) {
    const bool structured = k % 2 == 0;
    const KernelInfo kernel = structured ? StructuredKernel(random).make() : random_graph(random);
    if (kernel.blocks.empty()) continue;
    const Case one = random_case(kernel, random);
    const auto width = static_cast<std::uint32_t>(1 + random.below(16));
    SCOPED_TRACE(::testing::Message() << "kernel " << k << ", width " << width);
    const LaneAccesses expected = lanes_of(replayed(one, width, "ipdom"));
    for (const Formation formation :
         {Formation::Static, Formation::Dynamic, Formation::Majority, Formation::Large})
      ASSERT_EQ(lanes_of(formed(one, width, formation)), expected) << static_cast<int>(formation);
    if (structured) {
      ASSERT_LE(formed(one, width, Formation::Large).size(), formed(one, width, Formation::Static).size());
    }
  }
}

}  // namespace
}  // namespace warpscope::testing
