// Machine code whose work-groups or warps wait for each other: it comes to its end, and what waits for ever is named.
#include <gmock/gmock.h>

#include <numeric>

#include "machine/execute/base/fault.h"
#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

class Waits : public testing::TestWithParam<std::uint32_t> {
 protected:
  static CubinProgram program(const std::string& kernel) {
    return CubinProgram("executed/waits_sm" + std::to_string(GetParam()) + ".cubin", kernel);
  }
  /// What the kernel `deadlock` ends with.
  static std::string message(std::uint32_t kind, std::uint64_t groups, std::uint64_t limit) {
    Words words(4);
    try {
      program("deadlock").buffer(words).number(kind).resident(64).run({groups, 1, 1}, {64, 1, 1}, 0, limit);
    } catch (const ExecutionFault& fault) {
      EXPECT_EQ(words[2], 0U);
      return fault.what();
    }
    return "";
  }
  /// Groups of 64 that meet once at a counter, of which the first `absent` do not come.
  static void run_barrier(std::uint64_t groups, std::uint64_t resident, std::uint32_t absent) {
    Words even(groups * 64), odd(groups * 64), arrived(1);
    program("grid_barrier")
        .buffer(even)
        .buffer(odd)
        .buffer(arrived)
        .number(1U)
        .number(absent)
        .resident(resident)
        .run({groups, 1, 1}, {64, 1, 1}, 0, 0);
  }
};

TEST_P(Waits, ScanThatLooksBackAtOtherGroups) {
  constexpr std::size_t kTiles = 90, kTile = 128;
  const Words in = numbers_below(kTiles * kTile, 1000);
  Words expected(in.size());
  std::partial_sum(in.begin(), in.end(), expected.begin());
  for (const std::uint32_t reversed : {0U, 1U}) {
    Words from = in, out(in.size());
    std::vector<std::uint64_t> state(kTiles);
    program("look_back_scan")
        .buffer(from)
        .buffer(out)
        .buffer(state)
        .number(reversed)
        .resident(kTiles)
        .run({kTiles, 1, 1}, {kTile, 1, 1});
    EXPECT_EQ(out, expected) << reversed;
  }
}

TEST_P(Waits, AllGroupsAtACounter) {
  constexpr std::size_t kGroups = 132, kLocal = 64, kCount = kGroups * kLocal;
  constexpr std::uint32_t kRounds = 5;
  Words even = numbers_below(kCount, 1U << 20), odd(kCount), arrived(1), from = even, to(kCount);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kCount; ++i) to[i] = 3 * from[(i + 1) % kCount] + from[(i + kLocal) % kCount];
    std::swap(from, to);
  }
  program("grid_barrier")
      .buffer(even)
      .buffer(odd)
      .buffer(arrived)
      .number(kRounds)
      .number(0U)
      .resident(kGroups)
      .run({kGroups, 1, 1}, {kLocal, 1, 1});
  EXPECT_EQ(odd, from);
  EXPECT_EQ(arrived[0], kRounds * kGroups);
}

TEST_P(Waits, WarpsThatFillAndEmptyBoxesAtNamedBarriers) {
  constexpr std::size_t kTiles = 7, kPairs = 6;
  Words in = numbers_below(kPairs * kTiles * 32, 1U << 24), out(in.size()), expected(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) expected[i] = in[i / 32 * 32 + 31 - i % 32] * 7 + 1;
  program("pipeline").buffer(in).buffer(out).number(std::uint32_t{kTiles}).run({3, 1, 1}, {128, 1, 1});
  EXPECT_EQ(out, expected);
}

TEST_P(Waits, WarpsThatFillAndEmptyARingInLoops) {
  constexpr std::size_t kTiles = 23;
  Words in = numbers_below(kTiles * 32, 1U << 24), out(in.size()), expected(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    expected[i] = in[i / 32 * 32 + 31 - i % 32] ^ static_cast<std::uint32_t>(i / 32);
  program("ring").buffer(in).buffer(out).number(std::uint32_t{kTiles}).run({1, 1, 1}, {128, 1, 1});
  EXPECT_EQ(out, expected);
}

TEST_P(Waits, DifferentBarriersAreNamed) {
  const std::string said = message(0, 1, 0);
  EXPECT_THAT(said,
              HasSubstr("work-group 0 does not go on: warp 0, lanes 0xffffffff at barrier 1 before 0x"));
  EXPECT_THAT(said, HasSubstr("; warp 1, lanes 0xffffffff at barrier 2 before 0x"));
}

TEST_P(Waits, ANumberThatNobodyWritesIsNamed) {
  const std::string said = message(1, 3, 0);
  EXPECT_THAT(said, HasSubstr("kernel deadlock does not go on; work-group "));
  EXPECT_THAT(said,
              HasSubstr("work-group 2: warp 0, lanes 0x00000001 read an unchanged value in a loop at '"));
  EXPECT_THAT(said, HasSubstr("; warp 1, lanes 0xffffffff at barrier 0 before 0x"));
}

TEST_P(Waits, ALockThatIsNeverGivenBackIsNamed) {
  EXPECT_THAT(message(2, 1, 0), HasSubstr("lanes 0x00000001 read an unchanged value in a loop at '"));
}

TEST_P(Waits, AGroupThatLeavesBeforeTheCounterIsMissed) {
  EXPECT_THAT([&] { run_barrier(2, 4, 1); },
              testing::ThrowsMessage<ExecutionFault>(HasSubstr("does not go on; work-group 1: warp 0")));
}

TEST_P(Waits, GroupsThatHaveNotBegunAreCounted) {
  EXPECT_THAT([&] { run_barrier(5, 3, 0); }, testing::ThrowsMessage<ExecutionFault>(
                                                 HasSubstr("2 work-groups have not begun: 3 are resident")));
}

TEST_P(Waits, ALoopWithoutAnEndComesToItsLimit) {
  EXPECT_THAT(message(3, 1, 100000), HasSubstr("without coming to an end (limit 100000)"));
}

INSTANTIATE_TEST_SUITE_P(Architectures, Waits, testing::Values(75, 90));

}  // namespace
}  // namespace warpscope::machine
