// Caches of constants and instructions of machine code, by hand: tiny listings, the cycle of each issue in a comment. A launch whose last instruction
// issues in cycle c takes c + 1.
#include <numeric>

#include "tests/unit/timed/listing.h"
#include "timed/config/published_fetch.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;

/// Four sets of two lines, 79 cycles for what is not there.
TimedConfig with_operands() {
  TimedConfig config = machine_config();
  config.issue.machine.fetch.constant_l0_bytes = 512;
  config.issue.machine.fetch.constant_l0_cycles = 79;
  return config;
}

TEST(ConstantCaches, AreFetchedByLinesOf64Bytes) {
  Listing one, two;
  one.block(
      {{"FADD R0, R1, c[0x0][0x140]", "fma", 1}, {"IADD3 R2, R3, -c[0x0][0x17c], RZ", "alu", 1}, kExit});
  two.block(
      {{"FADD R0, R1, c[0x0][0x140]", "fma", 1}, {"IADD3 R2, R3, -c[0x0][0x180], RZ", "alu", 1}, kExit});
  const LaunchTiming timing = one.run(with_operands());
  EXPECT_EQ(timing.cycles, 82u);  // 79, 80, 81
  EXPECT_EQ(count(timing, WarpStall::ImcMiss), 79u);
  EXPECT_EQ(count(timing, 0, WarpStall::ImcMiss), 79u);
  const WarpStallCounts& all = timing.cores[0].warp_stalls;
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), std::uint64_t{0}), 82u);
  EXPECT_EQ(two.cycles(with_operands()), 161u);  // 79, 80 + 79, 160
  EXPECT_EQ(two.cycles(machine_config()), 3u);   // they are there
}

/// The scheduler waits for four cycles; what else is ready issues from the fifth on. The second warp's operand is on its way then, and it waits for it,
/// too.
TEST(ConstantCaches, ASchedulerWaitsFourCyclesForThem) {
  Listing listing;
  listing.block({{"MOV R1, R0", "alu", 1}, {"FADD R0, R1, c[0x3][0x8]", "fma", 1}, kExit});
  // Warp 0: 0, asks in 1, 80, 81. Warp 1: 5 rather than 2, asks in 6, 82 (the pipe is free), 83.
  const LaunchTiming timing = listing.run(with_operands(), 2);
  EXPECT_EQ(timing.cycles, 84u);
  EXPECT_EQ(count(timing, 0, WarpStall::MathPipeThrottle), 2u);
  EXPECT_EQ(count(timing, 0, WarpStall::NotSelected), 3u);
  EXPECT_EQ(count(timing, 1, WarpStall::ImcMiss), 79u + 74u);
}

TEST(ConstantCaches, ASetKeepsTwoLines) {
  const Line a{"FADD R0, R1, c[0x0][0x0]", "fma", 2}, b{"FADD R0, R1, c[0x3][0x0]", "fma", 2},
      c{"FADD R0, R1, c[0x0][0x200]", "fma", 2};
  EXPECT_EQ(Listing().block({a, b, a, kExit}).cycles(with_operands()), 2 * 79u + 7);
  EXPECT_EQ(Listing().block({a, b, c, b, kExit}).cycles(with_operands()), 3 * 79u + 9);
  EXPECT_EQ(Listing().block({a, b, c, a, kExit}).cycles(with_operands()), 4 * 79u + 9);
}

TEST(ConstantCaches, EachSchedulerHasItsOwn) {
  TimedConfig config = with_operands();
  config.issue.schedulers = 2;
  const LaunchTiming timing = Listing().block({{"FADD R0, R1, c[0x0][0x0]", "fma", 1}, kExit}).run(config, 2);
  EXPECT_EQ(timing.cycles, 81u);  // both 79, 80
  EXPECT_EQ(count(timing, WarpStall::ImcMiss), 2 * 79u);
}

/// Where the time of a launch's first instructions is measured, parameters are there: only what comes back to them later is late.
TEST(ConstantCaches, ParametersAreThereWhereTheStartIsMeasured) {
  TimedConfig config = with_operands();
  config.issue.machine.fetch.starts_warm = true;
  const Line a{"FADD R0, R1, c[0x0][0x0]", "fma", 2}, b{"FADD R0, R1, c[0x0][0x100]", "fma", 2},
      c{"FADD R0, R1, c[0x0][0x200]", "fma", 2}, user{"FADD R0, R1, c[0x3][0x40]", "fma", 2};
  EXPECT_EQ(Listing().block({a, b, c, kExit}).cycles(config), 7u);
  EXPECT_EQ(Listing().block({a, b, c, a, kExit}).cycles(config), 79u + 9);
  EXPECT_EQ(Listing().block({user, kExit}).cycles(config), 79u + 3);
}

TEST(ConstantCaches, LoadsOfThemHaveACacheOfTheirOwn) {
  TimedConfig config = with_operands();
  config.issue.machine.constant_latency = 27;
  config.issue.machine.fetch.constant_l1_bytes = 2048;
  config.issue.machine.fetch.constant_l1_cycles = 55;
  const Line use{"FADD R2, R0, R3", "fma", 2, false, 7, 7, 1};
  Listing listing;
  listing.block({{"LDC R0, c[0x3][0x0]", "memory", 1, false, 0},
                 use,
                 {"LDC R0, c[0x3][0x4]", "memory", 1, false, 0},
                 use,
                 {"FADD R0, R1, c[0x3][0x0]", "fma", 1},
                 kExit});
  // 0, 82 = 27 + 55, 84, 111 = 84 + 27; the operand is not in the other cache: 113 + 79, 193.
  const LaunchTiming timing = listing.run(config);
  EXPECT_EQ(timing.cycles, 194u);
  EXPECT_EQ(count(timing, 1, WarpStall::ShortScoreboard), 81u);
  EXPECT_EQ(count(timing, 4, WarpStall::ImcMiss), 79u);
}

/// An RTX A6000's operands, and nothing of Ada.
TEST(PublishedCaches, AreThoseOfTheArchitecture) {
  const FetchTimes ampere = published_fetch("8.6", 200), ada = published_fetch("8.9", 200);
  EXPECT_EQ(ampere.constant_l0_bytes, 512u);
  EXPECT_EQ(ampere.constant_l0_cycles, 79u);
  EXPECT_EQ(ampere.instruction_l0_bytes, 16 * 1024u);
  EXPECT_EQ(ampere.instruction_l1_cycles, 200u);
  EXPECT_FALSE(ada.has_caches());
  EXPECT_EQ(published_fetch("9.0", 200).constant_l1_cycles, 55u);
}

/// One set of 16 lines of 8 instructions; from the L1 in 78 cycles, from the L2 in 200 more.
TimedConfig with_instructions() {
  TimedConfig config = machine_config();
  config.issue.machine.alu_interval = 1;
  config.issue.machine.branch_interval = 1;
  config.issue.machine.fetch.instruction_l0_bytes = 16 * 128;
  config.issue.machine.fetch.instruction_l0_cycles = 78;
  config.issue.machine.fetch.instruction_l1_bytes = 64 * 1024;
  config.issue.machine.fetch.instruction_l1_cycles = 200;
  return config;
}

std::vector<Line> straight(std::size_t instructions) {
  return std::vector<Line>(instructions, Line{"IADD3 R0, R1, R2, RZ", "alu", 1});
}

/// The first line is there in cycle 278. The eight behind it were asked for in 1 to 8, the next one when the first of them is used: in time.
TEST(InstructionCaches, WhatFollowsIsPrefetched) {
  std::vector<Line> lines = straight(99);
  lines.push_back(kExit);
  const LaunchTiming timing = Listing().block(lines).run(with_instructions());
  // Line 9 is asked for when line 1 is (285), and comes in 563: instruction 72, which would have issued in 350. Lines 10 to 12 come right behind it.
  EXPECT_EQ(timing.cycles, 563u + (100 - 72));
  EXPECT_EQ(count(timing, 0, WarpStall::NoInstruction), 278u);
  EXPECT_EQ(count(timing, 72, WarpStall::NoInstruction), 563u - 350);
  EXPECT_EQ(count(timing, WarpStall::NoInstruction), 278u + 563 - 350);
}

TEST(InstructionCaches, WarpsOfASchedulerShareThem) {
  std::vector<Line> lines = straight(7);
  lines.push_back(kExit);
  TimedConfig config = with_instructions();
  EXPECT_EQ(Listing().block(lines).cycles(config, 2), 278u + 16);
  config.issue.schedulers = 2;  // both come from the L1's one request
  EXPECT_EQ(Listing().block(lines).cycles(config, 2), 278u + 8);
}

TEST(InstructionCaches, TheFirstLinesAreThereWhereTheStartIsMeasured) {
  std::vector<Line> lines = straight(71);
  lines.push_back(kExit);
  TimedConfig config = with_instructions();
  config.issue.machine.fetch.starts_warm = true;
  EXPECT_EQ(Listing().block(lines).cycles(config), 72u);
}

/// A loop of 17 lines does not fit in 16. The least recently used line is what comes next; only at the top of the loop it is not on its way yet.
TEST(InstructionCaches, ALoopThatIsTooLongWaitsAtItsTop) {
  std::vector<Line> lines = straight(17 * 8 - 1);
  lines.push_back({"@P0 BRA 0x0", "branch", 5});
  TimedConfig config = with_instructions();
  config.issue.machine.fetch.starts_warm = true;
  config.issue.machine.fetch.instruction_l1_cycles = 0;
  // Lines 0 to 8 are there: 0 to 71. Line 9 is asked for in 71 and comes in 149, those behind it in time: the branch is in 212. Line 0 comes in 290
  // rather than 217. Line 9 is asked for when line 1 is, in 297, and comes in 375 rather than 362, those behind it in time: the branch is in 438, and
  // EXIT in 443.
  const LaunchTiming timing = Listing().block(lines, {1, 0}).block({kExit}).run(config, 1, {1, 0});
  EXPECT_EQ(timing.cycles, 444u);
  EXPECT_EQ(count(timing, 72, WarpStall::NoInstruction), 77u + 13u);
  EXPECT_EQ(count(timing, 0, WarpStall::NoInstruction), 73u);
  // 16 lines fit: 0 to 71, 149 to 204, 209 to 336, 341.
  lines.erase(lines.begin(), lines.begin() + 8);
  EXPECT_EQ(Listing().block(lines, {1, 0}).block({kExit}).cycles(config, 1, {1, 0}), 342u);
}

}  // namespace
}  // namespace warpscope::timed
