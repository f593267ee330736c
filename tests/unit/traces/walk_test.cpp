#include "traces/capture/walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/capture/invariants.h"

namespace warpscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

KernelInfo graph(const std::vector<std::vector<std::uint32_t>>& successors) {
  KernelInfo kernel;
  for (const auto& ids : successors) {
    BlockInfo& block = kernel.blocks.emplace_back();
    for (const auto id : ids) block.successors.emplace_back(id);
  }
  return kernel;
}

std::vector<std::uint32_t> walk(const KernelInfo& kernel, std::uint64_t bits, std::uint64_t count) {
  const Path path{{bits}, count, {}};
  std::vector<std::uint32_t> blocks;
  for (PathWalker walker(kernel, path); !walker.done(); walker.advance())
    blocks.push_back(walker.block().value());
  return blocks;
}

TEST(PathWalker, FollowsOutcomesLowestBitFirst) {
  const KernelInfo kernel = testing::sample_kernel();
  // Block 1: outcome 0 leads to 2, 1 to 3; block 3: 0 leads to the exit 4, 1 back to 1.
  EXPECT_THAT(walk(kernel, 0b0110, 4), ElementsAre(0, 1, 2, 3, 1, 3, 4));
}

TEST(PathWalker, ReadsSwitchesWithSeveralBits) {
  const KernelInfo kernel = graph({{1, 2, 3}, {}, {}, {0}});
  EXPECT_THAT(walk(kernel, 0b01'10, 4), ElementsAre(0, 3, 0, 2));
  EXPECT_THROW(walk(kernel, 0b11, 2), InputError);  // a fourth successor
}

TEST(PathWalker, ReadsOutcomesAcrossWords) {
  const KernelInfo kernel = graph({{1, 2, 3, 4, 0}, {}, {}, {}, {}});  // three bits each, 4 = again
  Path path{{0, 0}, 66, {}};
  for (std::uint64_t step = 0; step < 21; ++step) {
    for (const std::uint64_t bit : {2})
      path.bits[(step * 3 + bit) / 64] |= std::uint64_t{1} << ((step * 3 + bit) % 64);
  }
  path.bits[0] |= std::uint64_t{1} << 63;  // the last outcome, bits 63 to 65: 1 + 2
  path.bits[1] |= 1;
  std::size_t steps = 0;
  BlockId last;
  for (PathWalker walker(kernel, path); !walker.done(); walker.advance(), ++steps) last = walker.block();
  EXPECT_EQ(steps, 23u);
  EXPECT_EQ(last, BlockId(4));
}

TEST(PathWalker, RefusesTooFewAndTooManyOutcomes) {
  const KernelInfo kernel = testing::sample_kernel();
  EXPECT_THROW(walk(kernel, 0b0110, 3), InputError);
  EXPECT_THROW(walk(kernel, 0b0110, 5), InputError);
}

TEST(PathWalker, RefusesALoopWithoutBranch) {
  EXPECT_THROW(walk(graph({{1}, {0}}), 0, 0), InputError);
}

TEST(LocationCursor, AddsTheRuns) {
  SiteColumn column;
  column.shapes = {{}, {{4, 2}, {-8, 1}}};
  column.shape_of = {1, 0};
  column.first = {100, 7};
  std::vector<std::uint64_t> keys;
  for (LocationCursor cursor(column, WorkItemId(0)); cursor.has_next();) keys.push_back(cursor.next().key());
  EXPECT_THAT(keys, ElementsAre(100, 104, 108, 100));
  LocationCursor single(column, WorkItemId(1));
  EXPECT_EQ(single.next().key(), 7u);
  EXPECT_FALSE(single.has_next());
}

WorkGroupTrace one_item() {
  testing::TraceBuilder builder(0, 0, 1);
  const auto in = [](std::uint64_t offset) { return BufferAddr(BufferId(1), offset).key(); };
  builder.item({false, true, true, false},
               {{in(0), in(8)}, {in(100)}, {0}, {BufferAddr(BufferId(2), 4).key()}, {in(0)}});
  return std::move(builder.trace());
}

TEST(WalkWorkItem, NamesEveryAccessInOrder) {
  std::vector<std::uint32_t> sites;
  std::vector<std::uint64_t> offsets;
  walk_work_item(testing::sample_kernel(), one_item(), WorkItemId(0), [&](const WalkStep& step) {
    sites.push_back(step.site.value());
    offsets.push_back(step.where.offset());
  });
  EXPECT_THAT(sites, ElementsAre(0, 1, 4, 0, 2, 3));
  EXPECT_THAT(offsets, ElementsAre(0, 100, 0, 8, 0, 4));
}

std::vector<std::string> violations(const WorkGroupTrace& trace) {
  CheckResult result;
  check_work_group(testing::sample_kernel(), testing::sample_buffers(), trace, result);
  EXPECT_EQ(result.violations.size(), result.violation_count);
  return result.violations;
}

TEST(Invariants, HoldForASoundWorkGroup) {
  EXPECT_THAT(violations(one_item()), ElementsAre());
}

TEST(Invariants, FindWrongCounts) {
  WorkGroupTrace trace = one_item();
  trace.paths[0].site_counts[2] = 2;
  EXPECT_THAT(violations(trace), ElementsAre(HasSubstr("site 2 is walked 1 times, but recorded 2 times")));
}

TEST(Invariants, FindOutcomesThatDoNotFitTheGraph) {
  WorkGroupTrace trace = one_item();
  trace.paths[0].bit_count = 3;
  EXPECT_THAT(violations(trace), ElementsAre(HasSubstr("outcomes run out in block 3")));
}

TEST(Invariants, FindAccessesBeyondTheirBuffer) {
  WorkGroupTrace trace = one_item();
  trace.columns[0].first[0] = BufferAddr(BufferId(1), (1u << 16) - 4).key();
  EXPECT_THAT(violations(trace),
              ElementsAre(HasSubstr("offset 65540 of buffer 'in' is beyond its 65536 bytes")));
  trace.columns[0].first[0] =
      BufferAddr(BufferId(1), (1u << 16) - 12).key();  // second access: the last 4 bytes
  EXPECT_THAT(violations(trace), ElementsAre());
  trace.columns[0].first[0] = BufferAddr(BufferId(3), 0).key();
  EXPECT_THAT(violations(trace), ElementsAre(HasSubstr("buffer 3 does not exist")));
}

TEST(Invariants, FollowASiteThatReachesTwoBuffers) {
  WorkGroupTrace trace = one_item();
  const std::uint64_t first = BufferAddr(BufferId(1), 0).key();
  const auto apart = static_cast<std::int64_t>(BufferAddr(BufferId(2), 1020).key() - first);
  trace.columns[0].shapes = {{{apart, 1}}};
  EXPECT_THAT(violations(trace), ElementsAre());
  trace.columns[0].shapes = {{{apart + 4, 1}}};
  EXPECT_THAT(violations(trace), ElementsAre(HasSubstr("offset 1024 of buffer 'tile'")));
}

TEST(Invariants, CountAccessesOutsideEveryObject) {
  WorkGroupTrace trace = one_item();
  trace.columns[0].first[0] = 64;
  CheckResult result;
  check_work_group(testing::sample_kernel(), testing::sample_buffers(), trace, result);
  EXPECT_EQ(result.violation_count, 0u);
  EXPECT_EQ(result.outside_every_object, 2u);
  EXPECT_EQ(result.accesses, 5u);
}

TEST(Invariants, CompareTheRecordedOrder) {
  WorkGroupTrace trace = one_item();
  trace.recorded_order = {{SiteId(0), SiteId(1), SiteId(4), SiteId(0), SiteId(2), SiteId(3)}};
  EXPECT_THAT(violations(trace), ElementsAre());
  std::swap(trace.recorded_order[0][1], trace.recorded_order[0][2]);
  EXPECT_THAT(violations(trace), ElementsAre(HasSubstr("recorded and walked order differ at access 1")));
}

}  // namespace
}  // namespace warpscope
