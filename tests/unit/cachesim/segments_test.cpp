// Memory segments of G80 and GT200, by hand and from measured patterns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "cachesim/access/coalescer.h"

namespace warpscope::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

/// Bytes of the segments of a warp access, in order.
std::vector<std::uint32_t> segment_bytes(const char* rule, std::uint32_t width,
                                         const std::function<std::uint64_t(std::uint64_t)>& address,
                                         LaneMask mask = 0xffffffff) {
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) != 0) addresses.push_back(0x10000 + address(lane));
  std::vector<CoalescedLine> lines;
  coalesce({mask, addresses, width, width, 32}, coalescing_rule(rule), 128, lines);
  std::vector<std::uint32_t> bytes;
  for (const CoalescedLine& line : lines) bytes.push_back(line.bytes);
  if (!lines.empty()) {
    EXPECT_TRUE(lines.front().first_of_request);
    for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_FALSE(lines[i].first_of_request) << "one request";
  }
  return bytes;
}

// The micro-benchmarks of a published GT200 study (Table 17 and 18: index of a lane in its warp, in elements)
// and the transactions per request that its tables measure: 800 of one size per 400 requests.
TEST(Gt200, TheFourPatternsOfAPublishedMicroBenchmark) {
  EXPECT_THAT(segment_bytes("gt200", 4, [](std::uint64_t lane) { return 4 * (lane / 16 * 8 + lane % 8); }),
              ElementsAre(32, 32));
  EXPECT_THAT(segment_bytes("gt200", 4, [](std::uint64_t lane) { return 4 * lane; }), ElementsAre(64, 64));
  EXPECT_THAT(segment_bytes("gt200", 4, [](std::uint64_t lane) { return 8 * lane; }), ElementsAre(128, 128));
  EXPECT_THAT(segment_bytes("gt200", 16, [](std::uint64_t) { return 0; }), ElementsAre(32, 32));
}

TEST(Gt200, SegmentsShrinkToTheHalfThatIsUsed) {
  EXPECT_THAT(segment_bytes("gt200", 4, [](std::uint64_t lane) { return 4 * (lane + 1); }),
              ElementsAre(128, 64, 32));
  EXPECT_THAT(segment_bytes("gt200", 4, [](std::uint64_t lane) { return 4 * (lane + 8); }),
              ElementsAre(128, 32, 32))
      << "words 8 to 23, 24 to 31, 32 to 39";
  EXPECT_THAT(segment_bytes("gt200", 4, [](std::uint64_t lane) { return 12 * lane; }),
              ElementsAre(128, 64, 64, 128));
  EXPECT_THAT(segment_bytes("gt200", 4, [](std::uint64_t) { return 0; }), ElementsAre(32, 32));
}

TEST(Gt200, WordsOfOneAndTwoBytesHaveSmallSegments) {
  EXPECT_THAT(segment_bytes("gt200", 1, [](std::uint64_t lane) { return lane; }), ElementsAre(32, 32));
  EXPECT_THAT(segment_bytes("gt200", 1, [](std::uint64_t lane) { return 4 * lane; }),
              ElementsAre(32, 32, 32, 32));
  EXPECT_THAT(segment_bytes("gt200", 2, [](std::uint64_t lane) { return 4 * lane; }), ElementsAre(64, 64));
}

TEST(Gt200, WideAndScatteredAccesses) {
  EXPECT_THAT(segment_bytes("gt200", 16, [](std::uint64_t lane) { return 16 * lane; }),
              ElementsAre(128, 128, 128, 128));
  const auto scattered = segment_bytes("gt200", 4, [](std::uint64_t lane) { return 128 * lane; });
  EXPECT_THAT(scattered, SizeIs(32));
  EXPECT_THAT(scattered, Each(32));
  EXPECT_THAT(segment_bytes(
                  "gt200", 4, [](std::uint64_t lane) { return 4 * lane; }, 0xffff0000),
              ElementsAre(64));
}

TEST(G80, OneSegmentWhereLanesAreInOrder) {
  EXPECT_THAT(segment_bytes("g80", 4, [](std::uint64_t lane) { return 4 * lane; }), ElementsAre(64, 64));
  EXPECT_THAT(segment_bytes("g80", 8, [](std::uint64_t lane) { return 8 * lane; }), ElementsAre(128, 128));
  EXPECT_THAT(segment_bytes("g80", 16, [](std::uint64_t lane) { return 16 * lane; }),
              ElementsAre(128, 128, 128, 128));
  EXPECT_THAT(segment_bytes(
                  "g80", 4, [](std::uint64_t lane) { return 4 * lane; }, 0x0000fff7),
              ElementsAre(64))
      << "lanes may be missing";
}

TEST(G80, OtherwiseEveryLaneIsOnItsOwn) {
  const auto one_each = [](std::size_t lanes) { return std::vector<std::uint32_t>(lanes, 32); };
  EXPECT_EQ(segment_bytes("g80", 4, [](std::uint64_t lane) { return 4 * (lane + 1); }), one_each(32))
      << "not aligned";
  EXPECT_EQ(segment_bytes("g80", 4, [](std::uint64_t lane) { return 4 * (lane ^ 1); }), one_each(32))
      << "not in order";
  EXPECT_EQ(segment_bytes("g80", 4, [](std::uint64_t) { return 0; }), one_each(32)) << "broadcast";
  EXPECT_EQ(segment_bytes("g80", 1, [](std::uint64_t lane) { return lane; }), one_each(32)) << "bytes";
  EXPECT_EQ(
      segment_bytes("g80", 4, [](std::uint64_t lane) { return 4 * (lane < 16 ? lane : 31 - lane); }).size(),
      1u + 16u)
      << "half by half";
}

TEST(SegmentRules, SegmentsLargerThanALineAreOneTransactionPerLine) {
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t lane = 0; lane < 16; ++lane) addresses.push_back(8 * lane);
  std::vector<CoalescedLine> lines;
  coalesce({0xffff, addresses, 4, 4, 32}, coalescing_rule("gt200"), 32, lines);
  EXPECT_THAT(lines,
              ElementsAre(CoalescedLine{LineAddr(0), true, 32}, CoalescedLine{LineAddr(1), false, 32},
                          CoalescedLine{LineAddr(2), false, 32}, CoalescedLine{LineAddr(3), false, 32}));
}

// Whatever the rule and the width: every byte that a lane accesses lies in a transaction of the access, no
// transaction is empty, and a request begins once per instruction.
TEST(EveryCoalescingRule, CoversWhatTheLanesAccess) {
  std::uint64_t random = 1;
  for (const CoalescingRule& rule : coalescing_rules())
    for (const std::uint32_t width : {1u, 2u, 4u, 8u, 16u, 32u})
      for (int round = 0; round < 50; ++round) {
        std::vector<std::uint64_t> addresses;
        LaneMask mask = 0;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          random = random * 6364136223846793005u + 1442695040888963407u;
          if ((random >> 40 & 7) == 0) continue;
          mask |= LaneMask{1} << lane;
          addresses.push_back((random >> 33) % (round < 25 ? 1024 : 65536) / width * width);
        }
        std::vector<CoalescedLine> lines;
        coalesce({mask, addresses, width, width, 32}, rule, 128, lines);
        std::size_t requests = 0;
        for (const CoalescedLine& line : lines) requests += line.first_of_request ? 1 : 0;
        EXPECT_EQ(requests, instruction_count(width, width)) << rule.name;
        for (const std::uint64_t address : addresses)
          for (std::uint64_t byte = address; byte < address + width; ++byte)
            EXPECT_TRUE(
                std::any_of(lines.begin(), lines.end(),
                            [&](const CoalescedLine& line) { return line.line.value() == byte / 128; }))
                << rule.name << " " << width << " " << byte;
      }
}

}  // namespace
}  // namespace warpscope::test
