// Transactions of single warp instructions, by hand arithmetic. Lines of 128 bytes unless said.
#include "cachesim/access/coalescer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "traces/base/error.h"

namespace warpscope {
namespace {

using testing::ElementsAre;

struct Access {
  LaneMask mask = 0xffffffff;
  std::uint32_t width = 4, alignment = 4;
  const char* rule = "fermi";
  std::uint32_t line = 128;
  std::uint32_t warp_size = 32;
};

/// Lines in order; `address` of lane l.
std::vector<CoalescedLine> coalesced(const Access& access,
                                     const std::function<std::uint64_t(std::uint64_t)>& address) {
  std::vector<std::uint64_t> addresses;
  for (LaneMask mask = access.mask; mask != 0; mask &= mask - 1)
    addresses.push_back(address(static_cast<std::uint64_t>(std::countr_zero(mask))));
  std::vector<CoalescedLine> lines;
  coalesce({access.mask, addresses, access.width, access.alignment, access.warp_size},
           coalescing_rule(access.rule), access.line, lines);
  return lines;
}

std::vector<std::uint64_t> numbers(const std::vector<CoalescedLine>& lines) {
  std::vector<std::uint64_t> numbers;
  for (const CoalescedLine& line : lines) numbers.push_back(line.line.value());
  return numbers;
}

std::size_t requests(const std::vector<CoalescedLine>& lines) {
  std::size_t count = 0;
  for (const CoalescedLine& line : lines) count += line.first_of_request ? 1 : 0;
  return count;
}

TEST(Coalescer, StrideOneFillsOneLine) {
  const auto lines = coalesced({}, [](std::uint64_t lane) { return 0x1000 + 4 * lane; });
  EXPECT_THAT(numbers(lines), ElementsAre(0x1000 / 128));
  EXPECT_EQ(requests(lines), 1u);
}

TEST(Coalescer, StrideOneOffTheBoundaryTakesTwoLines) {
  EXPECT_THAT(numbers(coalesced({}, [](std::uint64_t lane) { return 0x1004 + 4 * lane; })),
              ElementsAre(32, 33));
}

TEST(Coalescer, StrideTwoTakesTwoLines) {
  EXPECT_THAT(numbers(coalesced({}, [](std::uint64_t lane) { return 8 * lane; })), ElementsAre(0, 1));
}

TEST(Coalescer, Stride32TakesALinePerLane) {
  const auto lines = coalesced({}, [](std::uint64_t lane) { return 128 * lane; });
  EXPECT_EQ(lines.size(), 32u);
  EXPECT_EQ(requests(lines), 1u);
}

TEST(Coalescer, EveryLaneOnTheSameAddressTakesOneLine) {
  EXPECT_THAT(numbers(coalesced({}, [](std::uint64_t) { return 640; })), ElementsAre(5));
}

TEST(Coalescer, OrderIsThatOfTheFirstLane) {
  EXPECT_THAT(numbers(coalesced({}, [](std::uint64_t lane) { return 128 * ((31 - lane) / 8); })),
              ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(numbers(coalesced({}, [](std::uint64_t lane) { return 128 * (lane % 3); })),
              ElementsAre(0, 1, 2));
}

TEST(Coalescer, OnlyActiveLanesCount) {
  const auto by_line = [](std::uint64_t lane) { return 128 * lane; };
  EXPECT_THAT(numbers(coalesced({.mask = 0b1001}, by_line)), ElementsAre(0, 3));
  EXPECT_THAT(numbers(coalesced({.mask = 1u << 31}, by_line)), ElementsAre(31));
  EXPECT_TRUE(coalesced({.mask = 0}, by_line).empty());
}

TEST(Coalescer, FermiTakesEightByteAccessesByHalfWarps) {
  // 256 bytes: two lines, one per half-warp.
  const auto lines = coalesced({.width = 8, .alignment = 8}, [](std::uint64_t lane) { return 8 * lane; });
  EXPECT_THAT(numbers(lines), ElementsAre(0, 1));
  EXPECT_EQ(requests(lines), 1u);
  // All lanes on one line: still once per half-warp.
  EXPECT_THAT(numbers(coalesced({.width = 8, .alignment = 8}, [](std::uint64_t) { return 0; })),
              ElementsAre(0, 0));
  // An idle half-warp costs nothing.
  EXPECT_THAT(
      numbers(coalesced({.mask = 0xffff0000, .width = 8, .alignment = 8}, [](std::uint64_t) { return 0; })),
      ElementsAre(0));
}

TEST(Coalescer, FermiTakesSixteenByteAccessesByQuarterWarps) {
  const auto lines = coalesced({.width = 16, .alignment = 16}, [](std::uint64_t lane) { return 16 * lane; });
  EXPECT_THAT(numbers(lines), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(numbers(coalesced({.width = 16, .alignment = 16}, [](std::uint64_t) { return 0; })),
              ElementsAre(0, 0, 0, 0));
}

TEST(Coalescer, CrawfordTakesAllLanesTogetherWhateverTheWidth) {
  EXPECT_THAT(
      numbers(coalesced({.width = 8, .alignment = 8, .rule = "crawford"}, [](std::uint64_t) { return 0; })),
      ElementsAre(0));
  EXPECT_THAT(numbers(coalesced({.width = 16, .alignment = 16, .rule = "crawford"},
                                [](std::uint64_t lane) { return 16 * lane; })),
              ElementsAre(0, 1, 2, 3));
}

TEST(Coalescer, RootIsTheFormerNameOfCrawford) {
  EXPECT_EQ(&coalescing_rule("root"), &coalescing_rule("crawford"));
  EXPECT_EQ(current_rule_name("root"), "crawford");
  EXPECT_EQ(current_rule_name("volta"), "volta");
  EXPECT_EQ(current_rule_name("none such"), "none such");
}

TEST(Coalescer, WidthBeyondTheAlignmentTakesSeveralInstructions) {
  EXPECT_EQ(instruction_count(16, 16), 1u);
  EXPECT_EQ(instruction_count(16, 4), 4u);
  EXPECT_EQ(instruction_count(32, 16), 2u);
  EXPECT_EQ(instruction_count(64, 64), 4u);
  EXPECT_EQ(instruction_count(12, 4), 3u);
  EXPECT_EQ(instruction_count(3, 1), 3u);
  EXPECT_EQ(instruction_count(6, 4), 2u);
  EXPECT_EQ(instruction_count(4, 8), 1u);
  EXPECT_EQ(instruction_count(0, 1), 1u);
  // float4 with 4-byte alignment: four loads of 4 bytes at a stride of 16, each over four lines.
  const auto lines = coalesced({.width = 16, .alignment = 4}, [](std::uint64_t lane) { return 16 * lane; });
  EXPECT_THAT(numbers(lines), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_EQ(requests(lines), 4u);
}

TEST(Coalescer, StraddlingAccessTouchesBothLines) {
  EXPECT_THAT(numbers(coalesced({.mask = 1, .width = 4, .alignment = 4}, [](std::uint64_t) { return 126; })),
              ElementsAre(0, 1));
  EXPECT_THAT(numbers(coalesced({.mask = 1, .width = 4, .alignment = 4}, [](std::uint64_t) { return 124; })),
              ElementsAre(0));
  // Lane 0 straddles 0|1, lane 1 lies in line 1: the line is looked up once.
  EXPECT_THAT(numbers(coalesced({.mask = 3, .width = 4, .alignment = 4},
                                [](std::uint64_t lane) { return 126 + 4 * lane; })),
              ElementsAre(0, 1));
}

TEST(Coalescer, UnknownWidthIsTheAddressAlone) {
  EXPECT_THAT(numbers(coalesced({.mask = 1, .width = 0, .alignment = 1}, [](std::uint64_t) { return 127; })),
              ElementsAre(0));
}

TEST(Coalescer, LineSizeIsFree) {
  EXPECT_EQ(coalesced({.line = 32}, [](std::uint64_t lane) { return 4 * lane; }).size(), 4u);
  EXPECT_EQ(coalesced({.line = 4}, [](std::uint64_t lane) { return 4 * lane; }).size(), 32u);
  // The most lines that a warp can touch: 64 lanes of 16 bytes across lines of 4 bytes.
  EXPECT_EQ(coalesced({.mask = ~LaneMask{0},
                       .width = 16,
                       .alignment = 16,
                       .rule = "crawford",
                       .line = 4,
                       .warp_size = 64},
                      [](std::uint64_t lane) { return 2 + 1024 * lane; })
                .size(),
            64u * 5);
}

TEST(Coalescer, WarpsOf64LanesHaveHalvesOf32) {
  EXPECT_EQ(coalesced({.mask = ~LaneMask{0}, .width = 8, .alignment = 8, .warp_size = 64},
                      [](std::uint64_t) { return 0; })
                .size(),
            2u);
}

/// A wave of 64 with its quarter-waves on a GCN or CDNA GPU, in lines of 64 bytes.
std::vector<CoalescedLine> of_wave64(std::uint32_t width,
                                     const std::function<std::uint64_t(std::uint64_t)>& address,
                                     LaneMask mask = ~LaneMask{0}) {
  return coalesced({mask, width, width, "gcn", 64, 64}, address);
}

// 16 lanes of 4 bytes are a line of 64 bytes.
TEST(Gcn, AQuarterWaveOfWordsInARowIsALine) {
  const auto lines = of_wave64(4, [](std::uint64_t lane) { return 0x1000 + 4 * lane; });
  EXPECT_THAT(numbers(lines), ElementsAre(64, 65, 66, 67));
  EXPECT_EQ(requests(lines), 1u);
  EXPECT_THAT(numbers(of_wave64(
                  4, [](std::uint64_t lane) { return 4 * lane; }, LaneMask{0xffff} << 48)),
              ElementsAre(3))
      << "the last quarter alone";
}

TEST(Gcn, QuarterWavesDoNotShareALine) {
  EXPECT_THAT(numbers(of_wave64(4, [](std::uint64_t) { return 640; })), ElementsAre(10, 10, 10, 10))
      << "a broadcast";
  EXPECT_THAT(numbers(of_wave64(4, [](std::uint64_t lane) { return lane / 32 * 4; })),
              ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(of_wave64(4, [](std::uint64_t lane) { return 0x1004 + 4 * lane; }).size(), 8u)
      << "off the boundary: two lines for each quarter";
}

// Lanes s words apart: a quarter-wave of 16 s words is in s lines, up to one for each lane.
TEST(Gcn, AStrideTakesAsManyLinesAsItsQuartersAreLong) {
  for (const std::uint64_t stride : {1, 2, 4, 8, 16, 32})
    EXPECT_EQ(of_wave64(4, [&](std::uint64_t lane) { return 4 * stride * lane; }).size(),
              4 * std::min<std::uint64_t>(stride, 16))
        << stride;
}

// Wider accesses: addresses of 4 lanes per cycle, 16 cycles for a wave. 4 lanes of 16 bytes are a line, of 8 half a line.
TEST(Gcn, WideAccessesGoFourLanesAtATime) {
  const auto vectors = of_wave64(16, [](std::uint64_t lane) { return 16 * lane; });
  EXPECT_EQ(vectors.size(), 16u);
  EXPECT_EQ(vectors[15].line.value(), 15u);
  const auto doubles = of_wave64(8, [](std::uint64_t lane) { return 8 * lane; });
  EXPECT_EQ(doubles.size(), 16u);
  EXPECT_EQ(doubles[1].line.value(), 0u) << "the other half of the first line";
  EXPECT_EQ(doubles[15].line.value(), 7u);
}

// 32 lanes of 4, 16 of 8 and 8 of 16 bytes are a line of 128 bytes; a wave of 64 goes in two halves.
TEST(Rdna, ALineIsWhatALoadOfNeighboursTakes) {
  for (const std::uint32_t width : {4u, 8u, 16u}) {
    const auto row = [&](std::uint64_t lane) { return width * lane; };
    EXPECT_EQ(coalesced({.width = width, .alignment = width, .rule = "rdna"}, row).size(), width / 4u);
    EXPECT_EQ(coalesced({~LaneMask{0}, width, width, "rdna", 128, 64}, row).size(), width / 2u);
  }
  EXPECT_EQ(coalesced({.rule = "rdna"}, [](std::uint64_t) { return 0; }).size(), 1u);
  EXPECT_EQ(coalesced({~LaneMask{0}, 4, 4, "rdna", 128, 64}, [](std::uint64_t) { return 0; }).size(), 2u);
  EXPECT_EQ(coalesced({.rule = "rdna"}, [](std::uint64_t lane) { return 128 * lane; }).size(), 32u);
}

TEST(CoalescingRules, UnknownNameListsTheKnownOnes) {
  try {
    coalescing_rule("vega");
    FAIL();
  } catch (const InputError& error) {
    for (const CoalescingRule& rule : coalescing_rules())
      EXPECT_THAT(error.what(), testing::HasSubstr(rule.name));
  }
}

}  // namespace
}  // namespace warpscope
