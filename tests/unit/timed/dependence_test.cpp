// How much of its own latency a warp waits for, by hand.
#include "timed/program/dependence.h"

#include <gtest/gtest.h>

#include "tests/unit/timed/line_kernel.h"

namespace warpscope::timed {
namespace {

using testing::cycles_of;
using testing::LineKernel;

/// int_alu and fp32_fma take 4 cycles, int_div 18 instructions of 5, fp64 8, fp32_special 2 of 20 (timed/config/instruction_class.def).
BlockInfo block_of(std::map<std::string, std::uint32_t> mix, std::map<std::string, std::uint32_t> path) {
  BlockInfo block;
  block.mix = std::move(mix);
  block.parallelism = BlockParallelism{std::move(path)};
  return block;
}

TEST(ExposedLatency, ChainOverAllInstructions) {
  const IssueConfig config;
  EXPECT_DOUBLE_EQ(exposed_latency(block_of({{"int_alu", 8}}, {{"int_alu", 2}}), 1, config), 0.25);
  EXPECT_DOUBLE_EQ(exposed_latency(block_of({{"int_alu", 8}}, {{"int_alu", 8}}), 1, config), 1);
  // (4 + 40) / (3 · 4 + 40)
  EXPECT_DOUBLE_EQ(
      exposed_latency(block_of({{"int_alu", 3}, {"fp32_special", 1}}, {{"int_alu", 1}, {"fp32_special", 1}}),
                      1, config),
      44.0 / 52);
  // 90 / (90 + 20)
  EXPECT_DOUBLE_EQ(exposed_latency(block_of({{"int_div", 1}, {"int_alu", 5}}, {{"int_div", 1}}), 1, config),
                   90.0 / 110);
}

TEST(ExposedLatency, MemoryBarriersAndPhisAreNotInIt) {
  const BlockInfo block =
      block_of({{"int_alu", 4}, {"load_global", 9}, {"phi", 3}, {"barrier", 1}, {"store_local", 2}},
               {{"int_alu", 1}, {"load_global", 1}, {"barrier", 1}});
  EXPECT_DOUBLE_EQ(exposed_latency(block, 1, {}), 0.25);
  EXPECT_DOUBLE_EQ(exposed_latency(block_of({{"load_global", 2}}, {{"load_global", 2}}), 1, {}), 1);
}

TEST(ExposedLatency, IterationsOfOneBodyAddALinkEach) {
  const BlockInfo block = block_of({{"int_alu", 6}, {"fp32_fma", 2}}, {{"int_alu", 2}, {"fp32_fma", 1}});
  EXPECT_DOUBLE_EQ(exposed_latency(block, 1, {}), 12.0 / 32);
  EXPECT_DOUBLE_EQ(exposed_latency(block, 4, {}), (12.0 + 3 * 4) / (4 * 32));
  EXPECT_DOUBLE_EQ(exposed_latency(block_of({{"fp64", 4}}, {{"fp64", 1}}), 4, {}), (8.0 + 3 * 8) / (4 * 32));
}

TEST(ExposedLatency, WhatBranchesToASlowWayIsAChain) {
  for (const char* slow : {"fp32_div", "fp32_sqrt"})
    EXPECT_DOUBLE_EQ(exposed_latency(block_of({{"int_alu", 8}, {slow, 1}}, {{"int_alu", 1}}), 4, {}), 1)
        << slow;
}

TEST(ExposedLatency, AHalfWhereNothingIsRecorded) {
  EXPECT_DOUBLE_EQ(exposed_latency(BlockInfo{}, 1, {}), 0.5);
}

TEST(ExposedLatency, AsGiven) {
  IssueConfig config;
  config.independent = 3;
  EXPECT_DOUBLE_EQ(exposed_latency(block_of({{"int_alu", 8}}, {{"int_alu", 8}}), 1, config), 1.0 / 3);
}

/// Five instructions of 4 cycles, of which the longest chain has `links`.
std::uint64_t cycles_of_five(std::uint32_t links) {
  TimedConfig config = testing::plain_config();
  config.issue.independent.reset();
  config.issue.costs[instruction_class_named("int_alu")].latency = 4;
  KernelInfo kernel = LineKernel().compute(5).finish();
  kernel.blocks[0].parallelism = BlockParallelism{{{"int_alu", links}}};
  return cycles_of(kernel, 1, config);
}

TEST(ExposedLatency, IsWhatAWarpWaits) {
  EXPECT_EQ(cycles_of_five(5), 17u);  // 0, 4, 8, 12, 16
  EXPECT_EQ(cycles_of_five(4), 13u);  // 3.2 apart: 0, 3, 6, 9, 12
  EXPECT_EQ(cycles_of_five(3), 10u);  // 2.4 apart: 0, 2, 4, 7, 9
  EXPECT_EQ(cycles_of_five(1), 5u);   // 0.8, but one per cycle at most
}

}  // namespace
}  // namespace warpscope::timed
