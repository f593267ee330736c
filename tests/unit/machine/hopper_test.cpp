// What came with sm_90, executed: barriers in shared memory, bulk copies, wide atomics.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "machine/execute/base/fault.h"
#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

CubinProgram hopper(const std::string& kernel) {
  return CubinProgram("executed/hopper_sm90.cubin", kernel);
}

CubinProgram hopper_of(const std::string& file, const std::string& kernel) {
  return CubinProgram("executed/" + file + "_sm90.cubin", kernel);
}

TEST(Hopper, BulkCopiesReportToBarriers) {
  constexpr std::uint32_t kTiles = 7;
  std::vector<std::uint32_t> in = numbers_below(2 * kTiles * 256, 1U << 24), out(in.size()),
                             expected(in.size());
  for (std::uint32_t i = 0; i < in.size(); ++i) expected[i] = in[i] * 3 + i / 256 % kTiles;
  hopper("bulk").buffer(in).buffer(out).number(kTiles).run({2, 1, 1}, {96, 1, 1});
  EXPECT_EQ(out, expected);
}

TEST(Hopper, BulkCopiesStayInTheirBuffers) {
  std::vector<std::uint32_t> in(255), out(256);
  EXPECT_THAT(
      [&] {
        hopper("bulk").buffer(in).buffer(out).number(1U).run({1, 1, 1}, {32, 1, 1});
      },
      testing::ThrowsMessage<ExecutionFault>(
          testing::AllOf(testing::HasSubstr("UBLKCP"), testing::HasSubstr("accesses 16 bytes at address"),
                         testing::HasSubstr("bytes behind the end of buffer 1 (1020 bytes)"))));
}

TEST(Hopper, PhasesEndWhenAllHaveArrivedThatHaveNotLeft) {
  constexpr std::uint32_t kThreads = 100, kLeaving = 37;
  std::vector<std::uint32_t> in = numbers_below(kThreads, 1U << 24), out(kThreads), x = in;
  for (std::uint32_t round = 0; round < 5; ++round) {
    const std::uint32_t there = round < 2 ? kThreads : kThreads - kLeaving;
    const std::vector<std::uint32_t> box = x;
    for (std::uint32_t t = 0; t < there; ++t) {
      x[t] ^= round * 77;
      if (round != 1 || t < kThreads - kLeaving) x[t] = x[t] * 5 + box[(t + 1) % there];
    }
  }
  hopper("tokens").buffer(in).buffer(out).number(kLeaving).run({1, 1, 1}, {kThreads, 1, 1});
  EXPECT_EQ(out, x);
}

// 4 warps, of which the first makes the barrier again before the others have looked: 1 + 2 + 3 + 4 of each.
TEST(Hopper, WarpsAreSuspendedUntilAPhaseEnds) {
  std::vector<std::uint32_t> out(128);
  hopper_of("resumes", "suspended").buffer(out).number(4U).run({1, 1, 1}, {128, 1, 1});
  EXPECT_THAT(out, testing::Each(10U));
}

TEST(Hopper, ATestOfAPhaseDoesNotSuspend) {
  std::vector<std::uint32_t> out(128);
  EXPECT_THAT(
      [&] {
        hopper_of("resumes", "tested").buffer(out).number(4U).run({1, 1, 1}, {128, 1, 1});
      },
      testing::ThrowsMessage<ExecutionFault>(testing::HasSubstr("does not go on")));
}

TEST(Hopper, ThatAnEarlierPhaseEndedDoesNotCount) {
  std::vector<std::uint32_t> out(64), expected(64);
  expected[0] = expected[32] = 9;
  hopper_of("resumes", "followed").buffer(out).number(9U).run({1, 1, 1}, {64, 1, 1});
  EXPECT_EQ(out, expected);
}

TEST(Hopper, TokensSayHowManyAreStillToCome) {
  std::vector<std::uint32_t> out(6);
  hopper("counted").buffer(out).run({1, 1, 1}, {32, 1, 1});
  EXPECT_THAT(out, testing::ElementsAre(12, 11, 9, 6, 5, 103));
}

TEST(Hopper, CopiesOfWordsArrive) {
  std::vector<std::uint32_t> in = numbers_below(160, 1U << 24), out(160);
  hopper("copies_arrive").buffer(in).buffer(out).run({1, 1, 1}, {160, 1, 1});
  EXPECT_EQ(out, std::vector<std::uint32_t>(in.rbegin(), in.rend()));
}

TEST(Hopper, WideAtomics) {
  constexpr std::uint32_t kThreads = 24;
  std::vector<float> reals{1, 2, 3, 4};
  std::vector<std::uint16_t> halves(8);
  std::vector<std::uint64_t> words(4 + 2 * kThreads);
  words[0] = 7;
  words[3] = ~std::uint64_t{0};
  hopper("wide_atomics").buffer(reals).buffer(halves).buffer(words).run({1, 1, 1}, {kThreads, 1, 1});
  EXPECT_THAT(reals, testing::ElementsAre(301, 602, -297, 16));
  // 24 and 48 as binary16.
  EXPECT_THAT(halves, testing::ElementsAre(0x4e00, 0x4e00, 0x5200, 0x5200, 0x4e00, 0x4e00, 0x5200, 0x5200));
  // Each of the values was there once; one thread has got what was there before.
  std::uint64_t low = words[0], high = words[1];
  for (std::size_t t = 0; t < kThreads; ++t) {
    low += words[4 + 2 * t];
    high += words[5 + 2 * t];
  }
  EXPECT_EQ(low, 7 + 23 * 24 / 2);
  EXPECT_EQ(high, 24 * 1000 + 23 * 24 / 2);
  // The swaps of lanes in ascending order all find what they expect.
  EXPECT_EQ(words[2], kThreads);
  EXPECT_EQ(words[3], ~std::uint64_t{kThreads});
}

TEST(Hopper, ReductionsInBulkAreOfEachElement) {
  std::vector<std::uint32_t> in(16), memory(144);
  const auto put = [](std::uint32_t& word, float value) { std::memcpy(&word, &value, 4); };
  for (std::uint32_t i = 0; i < 144; ++i) memory[i] = i * 0x9e3779b9U;
  for (std::uint32_t i = 0; i < 16; ++i) put(in[i], 1.5F + static_cast<float>(i));
  for (std::uint32_t i = 80; i < 96; ++i) put(memory[i], 0.25F * static_cast<float>(i));
  for (std::uint32_t i = 96; i < 112; i += 2) {
    const double value = i;
    std::memcpy(&memory[i], &value, 8);
  }
  for (std::uint32_t i = 112; i < 128; ++i) memory[i] = 0x40003c00;  // 1, 2
  for (std::uint32_t i = 128; i < 144; ++i) memory[i] = 0x3f804100;  // 8, 1
  std::vector<std::uint32_t> expected = memory;
  const auto wide = [](const std::vector<std::uint32_t>& words, std::uint32_t i) {
    return words[i] | std::uint64_t{words[i + 1]} << 32;
  };
  for (std::uint32_t i = 0; i < 16; ++i) {
    expected[i] += in[i];
    expected[16 + i] = static_cast<std::uint32_t>(
        std::min(static_cast<std::int32_t>(memory[16 + i]), static_cast<std::int32_t>(in[i])));
    if (i % 2 == 0 && wide(in, i) > wide(memory, 32 + i))
      expected[32 + i] = in[i], expected[33 + i] = in[i + 1];
    expected[48 + i] ^= in[i];
    expected[64 + i] = memory[64 + i] >= in[i] ? 0 : memory[64 + i] + 1;
    put(expected[80 + i], 0.25F * static_cast<float>(80 + i) + 1.5F + static_cast<float>(i));
    if (i % 2 == 1) continue;
    double a = 0, b = 0;
    std::memcpy(&a, &memory[96 + i], 8);
    std::memcpy(&b, &in[i], 8);
    a += b;
    std::memcpy(&expected[96 + i], &a, 8);
  }
  // As halves the upper half of 1.5 + i is above 1.9, and the lower one is 0: sums 2 + u and 1.
  std::vector<std::uint32_t> out = memory;
  hopper_of("reductions", "in_bulk").buffer(in).buffer(out).run({1, 1, 1}, {32, 1, 1});
  for (std::uint32_t i = 0; i < 112; ++i) EXPECT_EQ(out[i], expected[i]) << i;
  for (std::uint32_t i = 112; i < 128; ++i) {
    const std::uint32_t upper = in[i - 112] >> 16;
    const double value = std::ldexp(1.0 + (upper & 0x3ff) / 1024.0, static_cast<int>(upper >> 10) - 15);
    const double sum = std::ldexp(1.0 + (out[i] >> 16 & 0x3ff) / 1024.0, static_cast<int>(out[i] >> 26) - 15);
    EXPECT_NEAR(sum, 2 + value, 0.002) << i;
    EXPECT_EQ(out[i] & 0xffff, 0x3c00U);
  }
  for (std::uint32_t i = 128; i < 136; ++i) EXPECT_EQ(out[i], (in[i - 128] & 0xffff0000U) | 0x4100U) << i;
}

TEST(Hopper, ReductionsOfOtherWorkGroupsReport) {
  std::vector<std::uint32_t> out(64), expected(64);
  for (std::uint32_t i = 0; i < 64; ++i) expected[i] = 1000 + i * i + (i < 32 ? 7 * i : 0);
  hopper_of("reductions", "to_other").buffer(out).resident(2).run({2, 1, 1}, {64, 1, 1});
  EXPECT_EQ(out, expected);
}

}  // namespace
}  // namespace warpscope::machine
