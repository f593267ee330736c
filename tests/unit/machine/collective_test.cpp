// Lanes that are in one warp function at different places of the code: each has the result of all of them, and the function is executed once.
#include <gmock/gmock.h>

#include <set>

#include "machine/describe/describe_kernel.h"
#include "machine/execute/read.h"
#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

using Words = std::vector<std::uint32_t>;

class Collectives : public testing::TestWithParam<std::uint32_t> {
 protected:
  static CubinProgram program(const std::string& kernel) {
    return CubinProgram("executed/collectives_sm" + std::to_string(GetParam()) + ".cubin", kernel);
  }
  /// Of the instructions of a name.
  static Executions executions(const CubinProgram& program, std::string_view name) {
    Executions sum;
    for (std::size_t place = 0; place < program.code().instructions().size(); ++place) {
      const Instruction& one = program.code().instructions()[place];
      if (!one.is_known() || program.code().decoder().row(one).name != name) continue;
      sum.warps += program.executions()[place].warps;
      sum.lanes += program.executions()[place].lanes;
    }
    return sum;
  }
};

TEST_P(Collectives, OfALoopThatIsUnrolled) {
  constexpr std::uint32_t kWarps = 3;
  Words out(kWarps * kLanes), expected;
  for (std::uint32_t lane = 0; lane < out.size(); ++lane) {
    const std::uint32_t last = lane % kLanes;
    expected.push_back(31 * (last * (last + 1) / 2));
  }
  CubinProgram growing = program("growing");
  growing.buffer(out).run({1, 1, 1}, {out.size(), 1, 1});
  EXPECT_EQ(out, expected);
  const Executions shuffles = executions(growing, "SHFL");
  EXPECT_EQ(shuffles.warps, kWarps * kLanes);
  EXPECT_EQ(shuffles.lanes, kWarps * (kLanes * (kLanes + 1) / 2));
}

TEST_P(Collectives, OfBranchesUnderAMask) {
  for (const std::uint32_t mask : {0xffffffffU, 0x0000ffffU, 0xc3f00fc3U, 0x3U}) {
    Words in = numbers_below(kLanes, 1U << 20), out(kLanes), expected(kLanes);
    const auto given = [&](std::uint32_t lane) {
      const std::uint32_t x = in[lane];
      return (x & 1) != 0 ? x * 3 : (x & 2) != 0 ? x * 7 : x ^ 77;
    };
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t x = in[lane], other = given(lane ^ 1);
      if ((mask >> lane & 1) != 0)
        expected[lane] = (x & 1) != 0 ? other + 5 : (x & 2) != 0 ? other * 9 : other ^ 3;
    }
    CubinProgram branches = program("branches");
    branches.buffer(in).buffer(out).number(mask).run({1, 1, 1}, {kLanes, 1, 1});
    EXPECT_EQ(out, expected) << mask;
    const Executions shuffles = executions(branches, "SHFL");
    EXPECT_EQ(shuffles.warps, 1U) << mask;
    EXPECT_EQ(shuffles.lanes, static_cast<unsigned>(std::popcount(mask)));
  }
}

TEST_P(Collectives, OfFunctionsUnderSeveralMasks) {
  Words in = numbers_below(kLanes, 1U << 20), out(kLanes), expected(kLanes);
  const auto first_vote = [](std::uint32_t x) { return x & ((x & 16) != 0 ? 8 : (x & 32) != 0 ? 64 : 128); };
  const auto second_vote = [](std::uint32_t x) {
    const std::uint32_t inner = (x & 16) != 0 ? x + 1 : x * 5;
    return (x & 48) != 0 ? inner & 4 : x & 256;
  };
  const auto given = [](std::uint32_t x) { return (x & 16) != 0 ? x + 1 : (x & 32) != 0 ? x * 5 : x * 11; };
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t x = in[lane];
    const auto where = [&](auto holds) {
      return gather_set([&](unsigned i) { return in[i] % 3 == x % 3 && holds(in[i]); });
    };
    const LaneSet first = where(first_vote), second = where(second_vote);
    const auto from = static_cast<unsigned>(std::countr_zero(where([](std::uint32_t) { return true; })));
    const std::uint32_t picked = given(in[from]);
    expected[lane] = (x & 16) != 0   ? first * 3 + second + picked
                     : (x & 32) != 0 ? (second + picked) ^ first
                                     : (first * 7 + second) ^ picked;
  }
  program("functions").buffer(in).buffer(out).run({1, 1, 1}, {kLanes, 1, 1});
  EXPECT_EQ(out, expected);
}

/// Lanes that meet others elsewhere return to their own loop.
TEST_P(Collectives, AreInTheLoopsOfTheSource) {
  CubinProgram growing = program("growing");
  const CodeFlow flow(growing.code());
  const KernelInfo info = describe_kernel(growing.code(), flow).info;
  for (std::uint32_t block = 0; block < flow.blocks().size(); ++block) {
    std::set<std::uint32_t> reached;
    std::vector<std::uint32_t> open = flow.blocks()[block].goes_on;
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (reached.insert(at).second)
        open.insert(open.end(), flow.blocks()[at].goes_on.begin(), flow.blocks()[at].goes_on.end());
    }
    EXPECT_EQ(info.blocks[block].loop.has_value(), reached.contains(block)) << block;
  }
  EXPECT_FALSE(info.loops.empty());
}

INSTANTIATE_TEST_SUITE_P(Architectures, Collectives, testing::Values(75, 80, 90));

}  // namespace
}  // namespace warpscope::machine
