// Registers of a kernel of which only the live values are known; the formula by hand.
#include "gpus/registers.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

/// A loop of one block that loads and adds, with a phi.
KernelInfo kernel_of(std::uint32_t live, std::uint32_t body, bool counted) {
  KernelInfo kernel;
  kernel.registers_estimate = live;
  kernel.sites.resize(2);
  kernel.sites[1].kind = AccessKind::Barrier;
  kernel.blocks.resize(2);
  kernel.blocks[0].successors = {BlockId(1)};
  BlockInfo& block = kernel.blocks[1];
  block.successors = {BlockId(1)};
  block.instructions = body + 1;
  block.mix = {{"phi", 1}, {"int_alu", body - 1}, {"load_global", 1}};
  block.sites = {SiteId(0)};
  kernel.loops.push_back({BlockId(1), std::nullopt});
  kernel.loops[0].is_counted = counted;
  return kernel;
}

std::uint32_t on(const char* gpu, const KernelInfo& kernel) {
  return registers_of(kernel, load_preset(gpu));
}

// 10.9 + 0.72 values + 15.1 for the loop that is unrolled: 7 live values are 15.94 or 31.04.
TEST(Registers, AreFittedToLiveValuesAndLoops) {
  EXPECT_EQ(on("t4", kernel_of(7, 13, true)), 32u);
  EXPECT_EQ(on("t4", kernel_of(7, 50, true)), 32u);
  EXPECT_EQ(on("t4", kernel_of(7, 51, true)), 16u) << "too long to be unrolled";
  EXPECT_EQ(on("t4", kernel_of(7, 13, false)), 16u) << "nobody knows how often";
  KernelInfo waiting = kernel_of(7, 13, true);
  waiting.blocks[1].sites.emplace_back(1);
  EXPECT_EQ(on("t4", waiting), 16u) << "a barrier in it";
  KernelInfo storing = kernel_of(7, 13, true);
  storing.sites[0].kind = AccessKind::Store;
  EXPECT_EQ(on("t4", storing), 16u) << "no load in it";
  KernelInfo branching = kernel_of(7, 13, true);
  branching.blocks[1].successors = {BlockId(0)};
  EXPECT_EQ(on("t4", branching), 16u) << "of several blocks";
}

// 20 live values in such a loop: 40.4. All warps of a core can have 65,536 / 2,048 = 32 on an A100, 65,536 / 1,536 = 42.7, so 40, on an
// RTX 3090, 64 on a T4.
TEST(Registers, AreSparedFromVoltaOn) {
  const KernelInfo kernel = kernel_of(20, 13, true);
  EXPECT_EQ(on("a100", kernel), 32u);
  EXPECT_EQ(on("v100", kernel), 32u);
  EXPECT_EQ(on("rtx3090", kernel), 40u);
  EXPECT_EQ(on("t4", kernel), 41u);
  EXPECT_EQ(on("k40", kernel), 41u) << "measured ones of a GTX 1070 are 38, more than all warps can have";
  EXPECT_EQ(on("gtx480", kernel), 41u);
  EXPECT_EQ(on("a100", kernel_of(39, 13, true)), 39u) << "values that do not fit";
  EXPECT_EQ(on("h100", kernel_of(255, 13, true)), 255u);
}

TEST(Registers, AreNoFitWhereACompilerCountedOrNothingIsKnown) {
  KernelInfo counted = kernel_of(7, 13, true);
  counted.registers_from = "nvcc 13.0, sm_75";
  EXPECT_EQ(on("t4", counted), 7u);
  EXPECT_EQ(on("t4", kernel_of(0, 13, true)), 0u);
  EXPECT_EQ(on("gtx280", kernel_of(7, 13, true)), 7u);
  EXPECT_EQ(on("mi100", kernel_of(7, 13, true)), 7u);
  EXPECT_EQ(registers_stand_in(counted, load_preset("gtx480")), "");
}

TEST(Registers, NameTheArchitectureThatStandsIn) {
  const KernelInfo kernel = kernel_of(7, 13, true);
  EXPECT_EQ(registers_stand_in(kernel, load_preset("gtx480")), "sm_75");
  EXPECT_EQ(registers_stand_in(kernel, load_preset("titanx")), "sm_75");
  EXPECT_EQ(registers_stand_in(kernel, load_preset("v100")), "sm_80");
  EXPECT_EQ(registers_stand_in(kernel, load_preset("t4")), "");
  EXPECT_EQ(registers_stand_in(kernel, load_preset("h100")), "");
}

}  // namespace
}  // namespace warpscope
