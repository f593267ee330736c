#include "traces/program/work_group_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/base/varint.h"

namespace warpscope {
namespace {

using testing::Random;

std::vector<std::uint8_t> varint_of(std::uint64_t value) {
  std::vector<std::uint8_t> bytes;
  put_varint(bytes, value);
  return bytes;
}

TEST(Varint, HoldsSevenBitsPerByteLowestFirst) {
  EXPECT_THAT(varint_of(0), ::testing::ElementsAre(0x00));
  EXPECT_THAT(varint_of(127), ::testing::ElementsAre(0x7f));
  EXPECT_THAT(varint_of(128), ::testing::ElementsAre(0x80, 0x01));
  EXPECT_THAT(varint_of(300), ::testing::ElementsAre(0xac, 0x02));  // 300 = 2 * 128 + 44
  EXPECT_EQ(varint_of(~std::uint64_t{0}).size(), 10u);
}

TEST(Varint, ReadsBackEveryLength) {
  for (int bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t value : {std::uint64_t{1} << bit, (std::uint64_t{1} << bit) - 1}) {
      const auto bytes = varint_of(value);
      ByteReader in(bytes);
      EXPECT_EQ(in.varint("value"), value);
      EXPECT_EQ(in.remaining(), 0u);
    }
  }
}

TEST(Varint, RefusesMoreThan64Bits) {
  std::vector<std::uint8_t> bytes(9, 0x80);
  bytes.push_back(0x02);  // bit 64
  EXPECT_THROW(ByteReader(bytes).varint("value"), InputError);
  EXPECT_THROW(ByteReader(std::span(bytes).first(9)).varint("value"), InputError);
}

TEST(Zigzag, InterleavesSigns) {
  EXPECT_EQ(zigzag(0), 0u);
  EXPECT_EQ(zigzag(-1), 1u);
  EXPECT_EQ(zigzag(1), 2u);
  EXPECT_EQ(zigzag(-2), 3u);
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-5}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(unzigzag(zigzag(value)), value);
  }
}

// Four work-items that take the outcomes 1, 0, 1, load three times 4 bytes apart, 16 bytes from the next
// work-item, in buffer 1, and wait at one barrier.
WorkGroupTrace small_trace() {
  WorkGroupTrace trace;
  trace.work_items = 4;
  trace.paths = {{{0b101}, 3, {3, 1}}};
  trace.path_of = {0, 0, 0, 0};
  trace.columns.resize(2);
  trace.columns[0].shapes = {{{4, 2}}};
  trace.columns[0].shape_of = {0, 0, 0, 0};
  const std::uint64_t start = std::uint64_t{1} << 40;
  trace.columns[0].first = {start, start + 16, start + 32, start + 48};
  return trace;
}

// By hand from FORMAT.md.
const std::vector<std::uint8_t> kSmallBytes = {
    4,    0,                                   // work-items, flags
    1,    3,    5,                             // one path of three outcomes: 0b101
    0,    3,                                   // path 0 for 1 + 3 work-items
    3,    1,                                   // executions per site
    1,    1,    0x11,                          // one shape, one run: zigzag(4) = 8, 8 << 1 | 1 = 17
    0,                                         // repeat 2
    0,    3,                                   // shape 0 for 1 + 3 work-items
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01,  // zigzag(2^40) = 2^41, once: 2^42
    0x41, 1,                                   // zigzag(16) = 32, 32 << 1 | 1 = 65; repeat 3
};

TEST(WorkGroupChunk, EncodesAsTheFormatSays) {
  EXPECT_EQ(encode(small_trace()), kSmallBytes);
}

TEST(WorkGroupChunk, DecodesAsTheFormatSays) {
  const WorkGroupTrace trace = decode(kSmallBytes, LaunchId(0), WorkGroupId(0), {true, false});
  EXPECT_TRUE(testing::same(trace, small_trace()));
}

TEST(WorkGroupChunk, StoresRecordedOrderAsRuns) {
  WorkGroupTrace trace = small_trace();
  trace.recorded_order.assign(4, {SiteId(0), SiteId(0), SiteId(0), SiteId(1)});
  std::vector<std::uint8_t> expected = kSmallBytes;
  expected[1] = 1;
  for (int item = 0; item < 4; ++item) {
    for (const int byte : {4, 0, 2, 1, 0})
      expected.push_back(static_cast<std::uint8_t>(byte));  // 4 sites: 3 x site 0, 1 x site 1
  }
  EXPECT_EQ(encode(trace), expected);
  EXPECT_TRUE(testing::same(decode(expected, LaunchId(0), WorkGroupId(0), {true, false}), trace));
}

// One changed byte of the hand-made chunk, and the reason why it is refused.
struct Damage {
  std::size_t position;
  std::uint8_t value;
  const char* reason;
};

class DamagedChunk : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedChunk, IsRefusedWithItsReason) {
  std::vector<std::uint8_t> bytes = kSmallBytes;
  bytes[GetParam().position] = GetParam().value;
  try {
    (void)decode(bytes, LaunchId(0), WorkGroupId(0), {true, false});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().reason));
  }
}

INSTANTIATE_TEST_SUITE_P(Chunk, DamagedChunk,
                         ::testing::Values(Damage{0, 0, "number of work-items is not"},
                                           Damage{1, 4, "flags have unknown bits"},
                                           Damage{2, 100, "number of paths is larger"},
                                           Damage{3, 2, "path has bits beyond its length"},
                                           Damage{5, 1, "not numbered by first appearance"},
                                           Damage{6, 4, "covers more work-items"},
                                           Damage{6, 2, "not numbered by first appearance"},
                                           Damage{7, 4, "as many steps as it executes"},
                                           Damage{12, 9, "as many steps as it executes"},
                                           Damage{23, 0, "first location is cut off"},
                                           Damage{23, 2, "covers more work-items"}));

TEST(WorkGroupChunk, RefusesEveryTruncation) {
  for (std::size_t size = 0; size < kSmallBytes.size(); ++size) {
    EXPECT_THROW((void)decode(std::span(kSmallBytes).first(size), LaunchId(0), WorkGroupId(0), {true, false}),
                 InputError)
        << size;
  }
}

TEST(WorkGroupChunk, RefusesAShapeThatNobodyUses) {
  std::vector<std::uint8_t> bytes = kSmallBytes;
  bytes[9] = 2;
  const std::vector<std::uint8_t> second_shape = {1, 0x11, 0};
  bytes.insert(bytes.begin() + 13, second_shape.begin(), second_shape.end());
  EXPECT_THROW((void)decode(bytes, LaunchId(0), WorkGroupId(0), {true, false}), InputError);
}

TEST(WorkGroupChunk, RefusesTrailingBytes) {
  std::vector<std::uint8_t> bytes = kSmallBytes;
  bytes.push_back(0);
  EXPECT_THROW((void)decode(bytes, LaunchId(0), WorkGroupId(0), {true, false}), InputError);
}

TEST(WorkGroupChunk, RefusesTooManyWorkItems) {
  std::vector<std::uint8_t> bytes;
  put_varint(bytes, std::uint64_t{kMaxWorkItemsPerGroup} + 1);
  bytes.resize(bytes.size() + 64);
  EXPECT_THROW((void)decode(bytes, LaunchId(0), WorkGroupId(0), {true}), InputError);
}

std::string why_not_decoded(const std::vector<std::uint8_t>& payload, std::size_t sites) {
  try {
    (void)decode(payload, LaunchId(0), WorkGroupId(0), std::vector<bool>(sites, true));
  } catch (const InputError& error) {
    return error.what();
  }
  return "decoded";
}

TEST(Decode, RefusesMorePathsThanWorkItems) {
  std::vector<std::uint8_t> payload = {2, 0, 200, 1};  // 2 work-items, no flags, 200 paths
  payload.resize(400);
  EXPECT_THAT(why_not_decoded(payload, 1), ::testing::HasSubstr("is larger than that of work-items"));
}

TEST(Decode, BoundsWorkItemsTimesSites) {
  // 65,536 work-items on one path that executes each of 1,025 sites once: a few bytes for every column.
  constexpr std::size_t kSites = 1025;
  std::vector<std::uint8_t> payload;
  put_varint(payload, 65536);
  for (const std::uint64_t value : {0, 1, 0}) put_varint(payload, value);  // no flags; 1 path of no bits
  for (const std::uint64_t value : {0, 65535}) put_varint(payload, value);
  payload.insert(payload.end(), kSites, 1);
  for (std::size_t site = 0; site < kSites; ++site) {
    for (const std::uint64_t value : {1, 0, 0, 65535}) put_varint(payload, value);  // one shape without steps
    put_delta_run(payload, {0, 65536});
  }
  EXPECT_THAT(why_not_decoded(payload, kSites), ::testing::HasSubstr("more than 2^26 pairs"));
}

}  // namespace
}  // namespace warpscope
