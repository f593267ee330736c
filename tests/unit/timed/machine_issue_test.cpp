// Issue slots of machine code, by hand: tiny listings, each cycle as its control words say. A launch whose last instruction issues in cycle
// c takes c + 1.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/timed/listing.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;

TEST(MachineIssue, StallsOfControlWords) {  // 0, 4, 6
  EXPECT_EQ(Listing()
                .block({{"FFMA R0, R1, R2, R0", "fma", 4}, {"MOV R1, R0", "alu", 2}, kExit})
                .cycles(machine_config()),
            7u);
}

TEST(MachineIssue, ALaunchTakesLongerThanItsCores) {
  TimedConfig config = machine_config();
  config.launch_cycles = 4000;
  const LaunchTiming timing = Listing().block({{"MOV R1, R0", "alu", 4}, kExit}).run(config);
  EXPECT_EQ(timing.cycles, 5u);
  EXPECT_EQ(timing.cores[0].active_cycles, 5u);
  EXPECT_EQ(timing.duration, 4005u);
}

TEST(MachineIssue, YieldIsNotTheNextCycle) {  // 0, 2
  EXPECT_EQ(Listing().block({{"MOV R1, R0", "alu", 1, true}, kExit}).cycles(machine_config()), 3u);
}

TEST(MachineIssue, APipeOfSixteenLanesIsBusyForTwoCycles) {
  // Warp 0: 0 and 1. Warp 1: 2, when the pipe is free, and 3.
  EXPECT_EQ(Listing().block({{"IADD3 R1, R0, R2, RZ", "alu", 1}, kExit}).cycles(machine_config(), 2), 4u);
}

TEST(MachineIssue, TwoPipesForSinglePrecision) {
  Listing listing;
  const Line ffma{"FFMA R0, R1, R2, R3", "fma", 1};
  listing.block({ffma, ffma, ffma, kExit});
  TimedConfig config = machine_config();
  EXPECT_EQ(listing.cycles(config), 6u);  // one pipe: 0, 2, 4, 5
  config.issue.machine.has_two_fma_pipes = true;
  EXPECT_EQ(listing.cycles(config), 4u);  // 0, 1, 2, 3
}

TEST(MachineIssue, OnlyOneOfThemMultipliesIntegers) {
  TimedConfig config = machine_config();
  config.issue.machine.has_two_fma_pipes = true;
  const Line imad{"IMAD R0, R1, R2, R3", "fma", 1}, ffma{"FFMA R4, R5, R6, R7", "fma", 1};
  EXPECT_EQ(Listing().block({imad, imad, kExit}).cycles(config), 4u);        // 0, 2, 3
  EXPECT_EQ(Listing().block({imad, ffma, imad, kExit}).cycles(config), 4u);  // 0, 1, 2, 3
}

TEST(MachineIssue, AFreeCounterIsWaitedFor) {
  TimedConfig config = machine_config();
  config.issue.machine.special_latency = 18;
  const LaunchTiming timing = Listing()
                                  .block({{"MUFU.RCP R0, R1", "special", 1, false, 0},
                                          {"FADD R2, R0, R3", "fma", 1, false, 7, 7, 1},
                                          kExit})
                                  .run(config);
  EXPECT_EQ(timing.cycles, 20u);  // 0, 18, 19
  EXPECT_EQ(count(timing, WarpStall::Selected), 3u);
  EXPECT_EQ(count(timing, WarpStall::ShortScoreboard), 17u);
  EXPECT_EQ(count(timing, 1, WarpStall::ShortScoreboard), 17u);
  EXPECT_EQ(count(timing, 0, WarpStall::Selected), 1u);
  const WarpStallCounts& all = timing.cores[0].warp_stalls;
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), std::uint64_t{0}), 20u);
}

TEST(MachineIssue, ALoadsDataComesFromTheMemory) {
  const LaunchTiming timing = Listing()
                                  .block({{"LDG.E R0, [R2]", "memory", 1, false, 3},
                                          {"FADD R2, R0, R3", "fma", 1, false, 7, 7, 1u << 3},
                                          kExit})
                                  .site(0, 0, AccessKind::Load)
                                  .run(machine_config());
  EXPECT_EQ(timing.cycles, 102u);  // 0, 100, 101
  EXPECT_EQ(count(timing, WarpStall::LongScoreboard), 99u);
  EXPECT_EQ(count(timing, 1, WarpStall::LongScoreboard), 99u);
  EXPECT_EQ(sum_of(timing).misses, 1u);
}

TEST(MachineIssue, WhatNoGuardLetsThroughIssuesAndAccessesNothing) {
  Listing listing;
  listing.block({}, {1, 2})
      .block({{"@P0 LDG.E R0, [R2]", "memory", 1, false, 0}}, {2})
      .block({{"FADD R2, R0, R3", "fma", 1, false, 7, 7, 1}, kExit})
      .site(1, 0, AccessKind::Load);
  const LaunchTiming off = listing.run(machine_config(), 1, {1});
  EXPECT_EQ(off.cycles, 3u);  // 0, 1, 2
  EXPECT_EQ(off.cores[0].instructions, 3u);
  EXPECT_EQ(sum_of(off).requests, 0u);
  EXPECT_EQ(listing.run(machine_config(), 1, {0}).cycles, 102u);
}

TEST(MachineIssue, ABranchThatIsTakenTakesLonger) {
  TimedConfig config = machine_config();
  config.issue.machine.branch_latency = 10;
  Listing listing;
  listing.block({{"IADD3 R1, R1, -0x1, RZ", "alu", 1}, {"@P0 BRA 0x0", "branch", 5}}, {1, 0}).block({kExit});
  // 0, 1; taken: 11, 12; not taken: 17.
  const LaunchTiming timing = listing.run(config, 1, {1, 0});
  EXPECT_EQ(timing.cycles, 18u);
  EXPECT_EQ(count(timing, WarpStall::BranchResolve), 5u);
  EXPECT_EQ(count(timing, 1, WarpStall::BranchResolve), 5u);
}

TEST(MachineIssue, BarriersLetAllGoOnTogether) {
  TimedConfig config = machine_config();
  config.issue.machine.barrier_latency = 22;
  Listing listing;
  listing.block({{"BAR.SYNC 0x0", "branch", 1}}, {1}).block({kExit}).site(0, 0, AccessKind::Barrier);
  // The warps come to it in cycles 0 and 2, since the unit is busy for two; both may go on in 24, and do in 24 and 26.
  const LaunchTiming timing = listing.run(config, 2);
  EXPECT_EQ(timing.cycles, 27u);
  EXPECT_EQ(count(timing, WarpStall::Barrier), 23u + 21u);
  EXPECT_EQ(count(timing, 0, WarpStall::Barrier), 23u + 21u);
}

TEST(MachineIssue, AWarpEndsWhenItsStoresHaveArrived) {
  TimedConfig config = machine_config();
  config.issue.machine.store_latency = 50;
  const LaunchTiming timing =
      Listing().block({{"STG.E [R2], R0", "memory", 1}, kExit}).site(0, 0, AccessKind::Store).run(config);
  EXPECT_EQ(timing.cycles, 51u);                    // 0, 1; the store has arrived in 50
  EXPECT_EQ(count(timing, WarpStall::Drain), 44u);  // behind the stall of EXIT, 2 to 5
  EXPECT_EQ(count(timing, 1, WarpStall::Drain), 44u);
}

/// It leads to a block without instructions.
TEST(MachineIssue, AWarpIsBehindAGuardedExitByWhichItLeaves) {
  TimedConfig config = machine_config();
  config.issue.machine.group_start_latency = 1;
  config.issue.machine.store_latency = 50;
  Listing listing;
  listing.block({{"STG.E [R2], R0", "memory", 1}, {"@P0 EXIT", "branch", 5}}, {1, 2})
      .block({})
      .block({kExit})
      .site(0, 0, AccessKind::Store);
  const LaunchTiming timing = listing.run(config, 1, {0}, 9);
  EXPECT_EQ(timing.cycles, 1u + 9 * 51);
  EXPECT_EQ(count(timing, 1, WarpStall::Drain), 9 * 44u);
}

TEST(MachineIssue, WorkGroupsFollowAtOnce) {
  TimedConfig config = machine_config();
  config.issue.machine.group_start_latency = 1;
  config.issue.machine.store_latency = 50;
  Listing short_one, stores;
  short_one.block({{"MOV R1, R0", "alu", 4}, kExit});
  stores.block({{"STG.E [R2], R0", "memory", 1}, kExit}).site(0, 0, AccessKind::Store);
  // The launch starts in 1. Each work-group issues in cycles 0 and 4 of its own, or ends in 50; the next one starts behind that.
  EXPECT_EQ(short_one.run(config, 1, {}, 9).cycles, 1u + 9 * 5);
  EXPECT_EQ(stores.run(config, 1, {}, 9).cycles, 1u + 9 * 51);
}

TEST(MachineProgram, CyclesToTheEndOfAWarp) {
  MachineTimes times;
  times.store_latency = 50;
  const Line store{"STG.E [R2], R0", "memory", 3};
  const MachineProgram straight = Listing()
                                      .block({{"MOV R1, R0", "alu", 4}, {"BRA 0x0", "branch", 5}}, {1})
                                      .block({store, kExit})
                                      .site(1, 0, AccessKind::Store)
                                      .program(times);
  const std::vector<Cycle> to_end = {59, 55, 50, 0}, rest = {55, 50, 0, 0};
  for (std::uint32_t at = 0; at < 4; ++at) {
    EXPECT_EQ(straight.op(at)->to_end, to_end[at]);
    EXPECT_EQ(straight.op(at)->rest, rest[at]);
  }
  EXPECT_EQ(straight.least_cycles(), 59u);
  // A loop is left at once; a store behind a guard may do nothing.
  const MachineProgram guarded = Listing()
                                     .block({{"MOV R1, R0", "alu", 4}, {"@P0 BRA 0x0", "branch", 5}}, {1, 0})
                                     .block({}, {2, 3})
                                     .block({store}, {3})
                                     .block({kExit})
                                     .site(2, 0, AccessKind::Store)
                                     .program(times);
  EXPECT_EQ(guarded.least_cycles(), 9u);
}

TEST(MachineIssue, CopiesAreWaitedForByGroups) {
  const Line copy{"LDGSTS.E [R2], [R4]", "memory", 1}, close{"LDGDEPBAR", "memory", 1, false, 0};
  const auto waiting = [&](const char* text) {
    return Listing()
        .block({copy, close, {text, "alu", 1}, {"MOV R0, R1", "alu", 1}, kExit})
        .site(0, 0, AccessKind::Load)
        .site(0, 0, AccessKind::Store)
        .run(machine_config());
  };
  const LaunchTiming all = waiting("DEPBAR.LE SB0, 0x0");
  EXPECT_EQ(all.cycles, 104u);  // 0, 1, 100, 102, 103
  EXPECT_EQ(count(all, WarpStall::LongScoreboard), 98u);
  // 0, 1, 2, 4, 5; then it waits for its copy.
  EXPECT_EQ(waiting("DEPBAR.LE SB0, 0x1").cycles, 101u);
}

TEST(MachineIssue, UnitsThatShareAPortTakeTurns) {
  TimedConfig config = machine_config();
  config.issue.machine.double_shares_port = true;
  config.issue.machine.double_interval = 4;
  const Line dfma{"DFMA R0, R2, R4, R6", "double", 1}, hfma{"HFMA2 R0, R1, R2, R3", "half", 1};
  // 0; the port is free in 2; 4, when the first has left its own unit; 5.
  EXPECT_EQ(Listing().block({dfma, hfma, dfma, kExit}).cycles(config), 6u);
}

std::uint32_t interval_of_product(const char* text, const MachineTimes& times) {
  MachineInstruction one;
  one.text = text;
  one.pipe = "tensor";
  return machine_op(one, times).interval;
}

TEST(MachineIssue, TensorCores) {
  MachineTimes times;
  times.tensor_half_products = 256;  // an A100's: 1,024 a core
  times.tensor_double_products = 16;
  const auto interval = [&times](const char* text) { return interval_of_product(text, times); };
  EXPECT_EQ(interval("HMMA.16816.F32 R0, R4, R8, R0"), 8);  // 16 · 8 · 16 / 256
  EXPECT_EQ(interval("HMMA.1688.F32.TF32 R0, R4, R8, R0"), 8);
  EXPECT_EQ(interval("IMMA.16832.S8.S8 R0, R4.ROW, R8.COL, R0"), 8);
  EXPECT_EQ(interval("DMMA.884 R0, R4, R8, R0"), 16);
}

/// Of an RTX 3090: 142 TFLOPS with sums in 16 bits, 71 in 32, of tf32 35.6; 285 tera-operations of bytes (NVIDIA's whitepaper of GA102). An RTX 4090
/// has 661 and 330 TFLOPS of 8-bit floats, twice those of halves (that of AD102).
TEST(MachineIssue, TensorCoresOfGeForceCardsTakeTwiceAsLongForSumsIn32Bits) {
  MachineTimes times;
  times.tensor_half_products = 128;
  times.tensor_single_sum_products = 64;
  const auto interval = [&times](const char* text) { return interval_of_product(text, times); };
  EXPECT_EQ(interval("HMMA.16816.F16 R0, R4, R8, R0"), 16);
  EXPECT_EQ(interval("HMMA.16816.F32 R0, R4, R8, R0"), 32);
  EXPECT_EQ(interval("HMMA.16816.F32.BF16 R0, R4, R8, R0"), 32);
  EXPECT_EQ(interval("HMMA.1688.F32.TF32 R0, R4, R8, R0"), 32);
  EXPECT_EQ(interval("IMMA.16832.S8.S8 R0, R4.ROW, R8.COL, R0"), 16);
  EXPECT_EQ(interval("QMMA.16832.F16.E4M3.E4M3 R0, R4, R8, R0"), 16);
  EXPECT_EQ(interval("QMMA.16832.F32.E4M3.E4M3 R0, R4, R8, R0"), 32);
}

/// The stalls are those of ptxas 13.0 for a chain of products on sm_80 and sm_86, the same: 24 cycles. An A100 is published to take 24.7 cycles for one,
/// an RTX 3070 Ti 33.0 (Sun et al., "Dissecting Tensor Cores via Microbenchmarks", IEEE TPDS 34, 2023, recalled).
TEST(MachineIssue, ChainedProductsTakeTheLongerOfStallAndTensorCore) {
  const auto cycles = [](double halves, double single_sums) {
    TimedConfig config = machine_config();
    config.issue.machine.tensor_half_products = halves / 4;
    config.issue.machine.tensor_single_sum_products = single_sums / 4;
    const Line hmma{"HMMA.16816.F32 R0, R4, R8, R0", "tensor", 15}, nop{"NOP", "other", 9};
    return Listing().block({hmma, nop, hmma, nop, hmma, nop, kExit}).cycles(config);
  };
  EXPECT_EQ(cycles(1024, 0), 73u);   // 0, 24, 48, 72
  EXPECT_EQ(cycles(512, 256), 89u);  // 0, 32, 64, 88
}

}  // namespace
}  // namespace warpscope::timed
