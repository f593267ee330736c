// Launches that may do something else in another run say why; others say nothing (data/executed/order.cu).
#include <gmock/gmock.h>

#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;
using Values = std::vector<std::uint32_t>;
using Causes = std::vector<OrderCause>;

class Order : public testing::TestWithParam<std::uint32_t> {
 protected:
  static constexpr std::uint32_t kGroups = 4, kSize = 64, kCount = kGroups * kSize;

  static CubinProgram program(const std::string& kernel) {
    return CubinProgram("executed/order_sm" + std::to_string(GetParam()) + ".cubin", kernel);
  }
  static Causes causes(CubinProgram& program, std::uint64_t groups = kGroups) {
    program.resident(groups).run({groups, 1, 1}, {kSize, 1, 1});
    return program.order();
  }
};

TEST_P(Order, OwnWordsAndAtomicsWithoutAResultDependOnNone) {
  Values values(kCount), sums(kSize + kGroups);
  std::vector<float> sum(1);
  CubinProgram own = program("in_place");
  EXPECT_THAT(causes(own.buffer(values)), IsEmpty());
  EXPECT_THAT(values, Each(1));
  CubinProgram counts = program("counts");
  EXPECT_THAT(causes(counts.buffer(sums).buffer(sum)), IsEmpty());
  EXPECT_EQ(sums[kSize], kSize * (kSize - 1) / 2);
}

TEST_P(Order, WhatTheSameGroupWroteIsItsOwn) {
  Values values(kCount), out(kCount);
  CubinProgram mirrored = program("mirrored");
  EXPECT_THAT(causes(mirrored.buffer(values).buffer(out)), IsEmpty());
  EXPECT_EQ(out[kSize], 2 * kSize - 1);
}

TEST_P(Order, BytesOfAWordBelongToSeveralGroups) {
  std::vector<std::uint8_t> values(kCount);
  CubinProgram bytes = program("bytes");
  EXPECT_THAT(causes(bytes.buffer(values)), IsEmpty());
  EXPECT_THAT(values, Each(1));
}

TEST_P(Order, Clocks) {
  for (const std::uint32_t wide : {0U, 1U}) {
    std::vector<std::int64_t> values(kCount);
    CubinProgram clocks = program("clocks");
    const Causes found = causes(clocks.buffer(values).number(wide));
    EXPECT_THAT(found, Not(IsEmpty())) << wide;
    EXPECT_THAT(found, Each(OrderCause::Clock)) << wide;
  }
}

TEST_P(Order, WhereAWarpRuns) {
  for (const std::uint32_t warps : {0U, 1U}) {
    Values values(kCount);
    CubinProgram cores = program("cores");
    EXPECT_THAT(causes(cores.buffer(values).number(warps)), UnorderedElementsAre(OrderCause::Core)) << warps;
  }
}

TEST_P(Order, ResultsOfAtomics) {
  for (const std::uint32_t swaps : {0U, 1U}) {
    Values next(1), values(kCount);
    CubinProgram tickets = program("tickets");
    const Causes found = causes(tickets.buffer(next).buffer(values).number(swaps));
    EXPECT_THAT(found, testing::Contains(OrderCause::Atomic)) << swaps;
    EXPECT_EQ(next[0], kCount);
  }
  Values values(kCount);
  CubinProgram shared = program("shared_tickets");
  EXPECT_THAT(causes(shared.buffer(values)), UnorderedElementsAre(OrderCause::Atomic));
}

TEST_P(Order, WhatOtherGroupsWrote) {
  for (const std::uint32_t sums : {0U, 1U}) {
    Values values(kCount), out(kCount), expected(kCount);
    CubinProgram neighbours = program("neighbours");
    EXPECT_THAT(causes(neighbours.buffer(values).buffer(out).number(sums)),
                UnorderedElementsAre(OrderCause::Others))
        << sums;
    for (std::uint32_t i = 0; i < kCount; ++i) expected[i] = i < kSize ? i : i - kSize;
    EXPECT_EQ(out, expected);
    // One work-group has nobody to read from.
    CubinProgram alone = program("neighbours");
    EXPECT_THAT(causes(alone.buffer(values).buffer(out).number(sums), 1), IsEmpty()) << sums;
  }
}

TEST_P(Order, WaitsInLoops) {
  Values word(1), out(kCount);
  CubinProgram waits = program("waits");
  EXPECT_THAT(causes(waits.buffer(word).buffer(out)),
              testing::IsSupersetOf({OrderCause::Wait, OrderCause::Others}));
  // The word is there already: nobody waits, and nobody reads what this launch wrote before.
  CubinProgram before = program("waits");
  EXPECT_THAT(causes(before.buffer(word).buffer(out)), Not(testing::Contains(OrderCause::Wait)));
}

INSTANTIATE_TEST_SUITE_P(Architectures, Order, testing::Values(75U, 90U));

}  // namespace
}  // namespace warpscope::machine
