// Which lanes a transaction serves.
#include "cachesim/access/served_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "cachesim/transactions/coalescing_sink.h"
#include "header_builder.h"

namespace warpscope::test {
namespace {

std::vector<LaneMask> served(const LaneAccesses& lanes, const char* rule, std::uint32_t line_bytes,
                             std::vector<CoalescedLine>* lines = nullptr) {
  std::vector<CoalescedLine> found;
  coalesce(lanes, coalescing_rule(rule), line_bytes, found);
  std::vector<LaneMask> result;
  served_lanes(lanes, coalescing_rule(rule), line_bytes, found, result);
  if (lines != nullptr) *lines = found;
  return result;
}

TEST(ServedLanes, AreThoseWhoseBytesLieInTheLine) {
  const std::vector<std::uint64_t> addresses = {0, 4, 128, 126, 8};
  // Lane 3 straddles lines 0 and 1.
  EXPECT_EQ(served({0b11111, addresses, 4, 4, 32}, "fermi", 128), (std::vector<LaneMask>{0b11011, 0b01100}));
}

// 8-byte accesses of a Fermi warp: per half-warp, so the same line is looked up twice.
TEST(ServedLanes, OfALineLookedUpTwiceAreThoseComparedThen) {
  const std::vector<std::uint64_t> addresses(32, 0);
  EXPECT_EQ(served({0xFFFFFFFF, addresses, 8, 8, 32}, "fermi", 128),
            (std::vector<LaneMask>{0xFFFF, 0xFFFF0000}));
}

// 32 bytes per lane are two instructions of 16: sectors 0 and 1 of lane 0, 2 and 3 of lane 1 … in lines of 16
// bytes.
TEST(ServedLanes, OfEveryInstructionAreItsOwn) {
  const std::vector<std::uint64_t> addresses = {0, 32};
  EXPECT_EQ(served({0b101, addresses, 32, 16, 32}, "volta", 16), (std::vector<LaneMask>{1, 4, 1, 4}));
}

// Lane 1 reads word 1 of 16 bytes: G80 fetches the 256 bytes of its half-warp, of which it needs the first
// half.
TEST(ServedLanes, OfASegmentThatNobodyNeedsAreAll) {
  const std::vector<std::uint64_t> addresses = {16};
  EXPECT_EQ(served({0b10, addresses, 16, 16, 32}, "g80", 128), (std::vector<LaneMask>{2, 2}));
}

TEST(ServedLanes, EveryLineServesSomebodyAndEveryLaneIsServed) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (const CoalescingRule& rule : coalescing_rules())
    for (int round = 0; round < 200; ++round) {
      LaneAccesses lanes{random() & random() & 0xFFFFFFFF, {}, 1u << random() % 5, 1u << random() % 5, 32};
      if (lanes.mask == 0) continue;
      std::vector<std::uint64_t> addresses;
      for (LaneMask mask = lanes.mask; mask != 0; mask &= mask - 1)
        addresses.push_back(random() % 1024 / lanes.alignment * lanes.alignment);
      lanes.address = addresses;
      std::vector<CoalescedLine> lines;
      const auto result = served(lanes, rule.name, 128, &lines);
      ASSERT_EQ(result.size(), lines.size());
      LaneMask in_request = lanes.mask;
      for (std::size_t i = 0; i < result.size(); ++i) {
        ASSERT_NE(result[i], 0u) << rule.name;
        if (lines[i].first_of_request) {
          ASSERT_EQ(in_request, lanes.mask) << rule.name;
          in_request = 0;
        }
        in_request |= result[i];
      }
      ASSERT_EQ(in_request, lanes.mask) << rule.name;
    }
}

class AccessorsOf final : public TransactionSink {
 public:
  void begin(const TransactionHeader&) override {}
  void begin_launch(LaunchId) override {}
  void add_origins(std::span<const Origin>) override {}
  void block(const TransactionBlock& block) override {
    EXPECT_EQ(block.accessors.size(), block.transactions.size());
    accessors.insert(accessors.end(), block.accessors.begin(), block.accessors.end());
  }
  void end() override {}
  std::vector<Accessor> accessors;
};

TEST(CoalescingSinkAccessors, NameGroupWarpAndLanes) {
  const auto stream = header({AddressSpace::Global}, {site(AccessKind::Load, AddressSpace::Global)});
  AccessorsOf seen;
  CoalescingSink sink(128, coalescing_rule("fermi"), seen);
  sink.name_accessors();
  sink.begin(stream);
  sink.begin_launch(LaunchId(0));
  Accesses accesses;
  for (const std::uint32_t pattern : {0u, 7u, 7u}) {  // remembered or not
    WarpAccess access = accesses.make(0, BufferAddr(BufferId(1), 0), 0b1011, {0, 128, 4}, pattern);
    access.group = WorkGroupId(5);
    access.warp = WarpId(1);
    sink.access(access);
  }
  sink.end();
  std::vector<Accessor> expected;
  for (int i = 0; i < 3; ++i)
    for (const LaneMask lanes : {LaneMask{0b1001}, LaneMask{0b0010}})
      expected.push_back({WorkGroupId(5), WarpId(1), lanes});
  EXPECT_EQ(seen.accessors, expected);
}

}  // namespace
}  // namespace warpscope::test
