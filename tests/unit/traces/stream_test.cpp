#include "traces/stream/stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "tests/unit/traces/stream_samples.h"
#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/base/varint.h"
#include "traces/files/file_io.h"
#include "traces/stream/stream_format.h"

namespace warpscope {
namespace {

using testing::CollectingSink;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::OwnedAccess;
using testing::TemporaryFolder;

CollectingSink read_all(const std::string& path, bool partial = false) {
  CollectingSink sink;
  read_stream(path, sink, partial);
  return sink;
}

std::string refusal(const std::string& path, bool partial = false) {
  try {
    read_all(path, partial);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LanePatternCoding, EncodesByHand) {
  std::vector<std::uint8_t> bytes;
  put_pattern(bytes, testing::pattern_of(0b1111, {0, 4, 8, 8}));
  // Mask in 8 bytes; +4 twice: zigzag 8, 8 << 1 | 1 = 17, repeat - 2 = 0; +0 once: 0.
  EXPECT_THAT(bytes, ElementsAre(15, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0));
}

TEST(LanePatternCoding, RefusesLanesOutsideTheWarp) {
  LanePattern pattern;
  std::vector<std::uint8_t> bytes;
  put_pattern(bytes, testing::pattern_of(0b10000, {0}));
  ByteReader good(bytes);
  read_pattern(good, 5, pattern);
  EXPECT_EQ(pattern.lanes, 1u);
  ByteReader narrow(bytes);
  EXPECT_THROW(read_pattern(narrow, 4, pattern), InputError);
  bytes[0] = 0;
  ByteReader empty(bytes);
  EXPECT_THROW(read_pattern(empty, 5, pattern), InputError);
}

TEST(BinaryStream, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  for (const bool share : {true, false}) {
    const auto accesses = testing::random_accesses(5, 1000);
    testing::write_sample_stream(folder.file("s"), accesses, share);
    const CollectingSink sink = read_all(folder.file("s"));
    EXPECT_EQ(sink.accesses, accesses);
    EXPECT_EQ(sink.begins, 1);
    EXPECT_EQ(sink.ends, 1);
    EXPECT_EQ(sink.header.context, testing::sample_stream_header().context);
    EXPECT_EQ(sink.header.launches.size(), 2u);
    EXPECT_EQ(sink.header.cores, 3u);
    EXPECT_FALSE(std::filesystem::exists(folder.file("s.part")));
  }
}

// Version 1 had buffers and launches in its head.
TEST(BinaryStream, ReadsTheFirstVersion) {
  const TemporaryFolder folder;
  const StreamHeader header = testing::sample_stream_header();
  nlohmann::json head = to_json(header);
  head.erase("descriptions");
  head["version"] = 1;
  for (const BufferInfo& buffer : header.buffers) head["buffers"].push_back(to_json(buffer));
  for (const LaunchInfo& launch : header.launches) head["launches"].push_back(to_json(launch));
  SectionEncoder encoder;
  std::string bytes = "WSSTREAM";
  bytes += text_of(encoder.encode(kHeadTag, LaunchId(0), 1, bytes_of(dump(head))));
  bytes += text_of(encoder.encode(kEndTag, LaunchId(0), 0, {}));
  testing::write_file(folder.file("s"), bytes);
  const CollectingSink sink = read_all(folder.file("s"));
  ASSERT_EQ(sink.header.launches.size(), 2u);
  EXPECT_EQ(to_json(sink.header.launches[1]), to_json(header.launches[1]));
  EXPECT_EQ(sink.header.buffers.size(), header.buffers.size());
  EXPECT_TRUE(sink.header.launches[0].kernel.is(sink.header.launches[1].kernel)) << "equal kernels are one";
}

TEST(BinaryStream, SaysWhereDescriptionsAreMissing) {
  const TemporaryFolder folder;
  SectionEncoder encoder;
  std::string bytes = "WSSTREAM";
  bytes += text_of(
      encoder.encode(kHeadTag, LaunchId(0), 2, bytes_of(dump(to_json(testing::sample_stream_header())))));
  testing::write_file(folder.file("s"), bytes);
  EXPECT_THROW(read_all(folder.file("s"), true), InputError) << "cut short before its launches";
  bytes += text_of(encoder.encode(kEndTag, LaunchId(0), 0, {}));
  testing::write_file(folder.file("s"), bytes);
  try {
    read_all(folder.file("s"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("buffers or launches are missing"));
  }
}

TEST(BinaryStream, NamesRecurringPatterns) {
  const TemporaryFolder folder;
  OwnedAccess access;
  access.mask = 3;
  access.offsets = {0, -8};
  OwnedAccess other = access;
  other.offsets = {0, 8};
  testing::write_sample_stream(folder.file("s"), {access, access, other, access});
  const CollectingSink sink = read_all(folder.file("s"));
  EXPECT_NE(sink.pattern_ids[0], 0u);
  EXPECT_EQ(sink.pattern_ids[1], sink.pattern_ids[0]);
  EXPECT_EQ(sink.pattern_ids[2], 0u);  // used once
  EXPECT_EQ(sink.pattern_ids[3], sink.pattern_ids[0]);
  EXPECT_THAT(sink.ranges[0], ::testing::Pair(-8, 0));
  EXPECT_THAT(sink.ranges[2], ::testing::Pair(0, 8));
}

TEST(BinaryStream, HoldsManyBlocks) {
  const TemporaryFolder folder;
  const auto accesses = testing::random_accesses(6, 2 * kMaxBlockRecords + 1);
  testing::write_sample_stream(folder.file("s"), accesses);
  EXPECT_EQ(read_all(folder.file("s")).accesses, accesses);
}

TEST(BinaryStream, MayBeEmpty) {
  const TemporaryFolder folder;
  testing::write_sample_stream(folder.file("s"), {});
  EXPECT_EQ(read_all(folder.file("s")).ends, 1);
}

TEST(BinaryStream, IsRefusedWhenCutAndReadWithPartial) {
  const TemporaryFolder folder;
  testing::write_sample_stream(folder.file("s"), testing::random_accesses(7, 100));
  const std::string whole = testing::read_file(folder.file("s"));
  testing::write_file(folder.file("cut"), whole.substr(0, whole.size() - kSectionHeaderBytes));
  EXPECT_THAT(refusal(folder.file("cut")), HasSubstr("cut short after 100 warp accesses"));
  const CollectingSink sink = read_all(folder.file("cut"), true);
  EXPECT_EQ(sink.accesses.size(), 100u);
  EXPECT_EQ(sink.header.context["partial"], true);
  EXPECT_FALSE(read_all(folder.file("s"), true).header.context.contains("partial"));
}

TEST(BinaryStream, RefusesRecordsOutsideTheHeader) {
  const TemporaryFolder folder;
  const auto with = [](auto change) {
    std::vector<OwnedAccess> accesses = testing::random_accesses(8, 3);
    change(accesses[1]);
    return accesses;
  };
  testing::write_sample_stream(folder.file("s"), with([](OwnedAccess& a) { a.core = 3; }));
  EXPECT_THAT(refusal(folder.file("s")), HasSubstr("core 3 is out of range, expected less than 3"));
  testing::write_sample_stream(folder.file("s"), with([](OwnedAccess& a) { a.site = 5; }));
  EXPECT_THAT(refusal(folder.file("s")), HasSubstr("site 5 is out of range"));
  testing::write_sample_stream(folder.file("s"), with([](OwnedAccess& a) { a.group = 4; }));
  EXPECT_THAT(refusal(folder.file("s")), HasSubstr("work-group 4 is out of range"));
  testing::write_sample_stream(folder.file("s"), with([](OwnedAccess& a) { a.launch = 2; }));
  EXPECT_THAT(refusal(folder.file("s")), HasSubstr("launch that the header does not describe"));
}

TEST(TextStream, ReadsTheListingOfCrawford2014) {
  const TemporaryFolder folder;
  testing::write_file(folder.file("t"),
                      "1 4\n"
                      "0x83BD000 R 0 0 1\n"
                      "0x83BD000 R 1 0 1\n"
                      "0x83BD080 W 3 2 7\n");
  const CollectingSink sink = read_all(folder.file("t"));
  EXPECT_EQ(sink.header.warp_size, 1u);
  EXPECT_EQ(sink.header.work_groups, 4u);
  EXPECT_FALSE(sink.header.carries_core);
  ASSERT_EQ(sink.accesses.size(), 3u);
  EXPECT_EQ(sink.accesses[0].base, 0x83bd000u);
  EXPECT_EQ(sink.accesses[1].group, 1u);
  EXPECT_EQ(sink.accesses[2].kind, AccessKind::Store);
  EXPECT_EQ(sink.accesses[2].warp, 2u);
  EXPECT_EQ(sink.accesses[2].site, 7u);
}

TEST(TextStream, JoinsConsecutiveLinesOfOneWarpAccess) {
  const TemporaryFolder folder;
  testing::write_file(folder.file("t"),
                      "4 2\n"
                      "0x100 R 0 0 1\n0x104 R 0 0 1\n0xFC R 0 0 1\n"                          // three lanes
                      "0x200 W 0 0 1\n"                                                       // another kind
                      "0x300 W 0 0 2\n"                                                       // another site
                      "0x300 W 1 0 2\n"                                                       // another group
                      "0x300 W 1 1 2\n"                                                       // another warp
                      "0x0 R 0 0 1\n0x4 R 0 0 1\n0x8 R 0 0 1\n0xC R 0 0 1\n0x10 R 0 0 1\n");  // five: 4 + 1
  const CollectingSink sink = read_all(folder.file("t"));
  ASSERT_EQ(sink.accesses.size(), 7u);
  EXPECT_EQ(sink.accesses[0].mask, 0b111u);
  EXPECT_THAT(sink.accesses[0].offsets, ElementsAre(0, 4, -4));
  EXPECT_THAT(sink.ranges[0], ::testing::Pair(-4, 4));
  EXPECT_EQ(sink.accesses[5].mask, 0b1111u);
  EXPECT_EQ(sink.accesses[6].base, 0x10u);
  EXPECT_EQ(sink.accesses[6].mask, 1u);
}

TEST(TextStream, TakesNamesOtherSpacingAndALastLineWithoutNewline) {
  const TemporaryFolder folder;
  testing::write_file(folder.file("t"), "1 4\n0x10 R 0 0 M1\n  0XaB\tW  1 2   M12\r\n0x1 R 0 0 3");
  const CollectingSink sink = read_all(folder.file("t"));
  ASSERT_EQ(sink.accesses.size(), 3u);
  EXPECT_EQ(sink.accesses[0].site, 1u);
  EXPECT_EQ(sink.accesses[1].site, 12u);
  EXPECT_EQ(sink.accesses[1].base, 0xabu);
  EXPECT_EQ(sink.accesses[2].site, 3u);
}

TEST(TextStream, KeepsLinesApartOverBufferBoundaries) {
  const TemporaryFolder folder;
  std::string text = "1 1000\n";
  constexpr std::uint32_t kLines = 200'000;  // about 4 MB: several buffers
  for (std::uint32_t i = 0; i < kLines; ++i) {
    text += fmt::format("0x{:X} {} {} {} {}\n", i * 64, i % 3 == 0 ? 'W' : 'R', i % 1000, i % 7, i % 11);
  }
  testing::write_file(folder.file("t"), text);
  const CollectingSink sink = read_all(folder.file("t"));
  ASSERT_EQ(sink.accesses.size(), kLines);
  for (std::uint32_t i = 0; i < kLines; ++i) {
    const OwnedAccess& access = sink.accesses[i];
    ASSERT_TRUE(access.base == i * 64 && access.group == i % 1000 && access.warp == i % 7 &&
                access.site == i % 11 && (access.kind == AccessKind::Store) == (i % 3 == 0))
        << "line " << i + 2;
  }
}

struct BadText {
  const char* text;
  const char* message;
};

class RefusedText : public ::testing::TestWithParam<BadText> {};

TEST_P(RefusedText, SaysLineAndReason) {
  const TemporaryFolder folder;
  testing::write_file(folder.file("t"), GetParam().text);
  EXPECT_THAT(refusal(folder.file("t")), HasSubstr(folder.file("t") + GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Text, RefusedText,
    ::testing::Values(
        BadText{"", ": is empty"}, BadText{"hello\n", ": is not a stream"},
        BadText{"0 4\n", ":1: '0 4' is not 'WARP_SIZE GROUPS'"}, BadText{"65 4\n", ":1: '65 4'"},
        BadText{"32\n", ":1: '32'"}, BadText{"32 0\n", ":1: '32 0'"}, BadText{"3x 4\n", ":1: '3x 4'"},
        BadText{"1 4\n0x10 R 0 0\n", ":2: '0x10 R 0 0' has 4 words"},
        BadText{"1 4\n0x10 R 0 0 1\n0x10 R 0 0 1 1\n", ":3: '0x10 R 0 0 1 1' has 6 words"},
        BadText{"1 4\n\n", ":2: '' has 0 words"}, BadText{"1 4\n10 R 0 0 1\n", ":2: '10' is not an address"},
        BadText{"1 4\n0x R 0 0 1\n", ":2: '0x' is not an address"},
        BadText{"1 4\n0x1G R 0 0 1\n", ":2: '0x1G' is not an address"},
        BadText{"1 4\n0x4000000000000000 R 0 0 1\n", ":2: '0x4000000000000000' is not an address"},
        BadText{"1 4\n0x00000000000000010 R 0 0 1\n", ":2: '0x00000000000000010' is not an address"},
        BadText{"1 4\n0x10 r 0 0 1\n", ":2: 'r' is not R or W"},
        BadText{"1 4\n0x10 RW 0 0 1\n", ":2: 'RW' is not R or W"},
        BadText{"1 4\n0x10 R -1 0 1\n", ":2: '-1' is not a work-group"},
        BadText{"1 4\n0x10 R 0 a 1\n", ":2: 'a' is not a warp"},
        BadText{"1 4\n0x10 R 0 0 N1\n", ":2: 'N1' is not a site"},
        BadText{"1 4\n0x10 R 0 0 M\n", ":2: 'M' is not a site"},
        BadText{"1 4\n0x10 R 4 0 1\n",
                ":2: work-group 4 is out of range, expected less than the 4 of line 1"},
        BadText{"1 4\n0x10 R 0 65536 1\n", ":2: warp 65536 or site 1 is out of range"},
        BadText{"1 4\n0x10 R 0 0 9999999999\n", ":2: '9999999999' is not a site"}));

TEST(TextStream, RefusesLinesWithoutEnd) {
  const TemporaryFolder folder;
  testing::write_file(folder.file("t"), "1 4\n" + std::string(3u << 20, ' '));
  EXPECT_THAT(refusal(folder.file("t")), HasSubstr(":2: the line is too long"));
}

// Offsets by hand: buffer 1 starts at 0x10000000. Sites of the second kernel of another name would follow.
TEST(TextStream, IsWrittenAsTheListing) {
  const TemporaryFolder folder;
  OwnedAccess load;
  load.mask = 0b11;
  load.offsets = {0, 0xa0};
  load.base = BufferAddr(BufferId(1), 0xbd0).key();
  OwnedAccess atomic = load;
  atomic.mask = 0b1;
  atomic.offsets = {0};
  atomic.site = 4;
  atomic.group = 2;
  atomic.warp = 1;
  atomic.launch = 1;
  OwnedAccess barrier = atomic;
  barrier.site = 2;
  OwnedAccess local = atomic;
  local.site = 3;
  local.base = BufferAddr(BufferId(2), 0).key();
  testing::feed(*make_text_stream_writer(folder.file("t")), testing::sample_stream_header(),
                {load, barrier, local, atomic});
  EXPECT_EQ(testing::read_file(folder.file("t")),
            "32 8\n"
            "0x10000BD0 R 0 0 0\n"
            "0x10000C70 R 0 0 0\n"
            "0x10000BD0 R 6 1 4\n"
            "0x10000BD0 W 6 1 4\n");
}

TEST(TextStream, SurvivesTheWayThroughABinaryStream) {
  const TemporaryFolder folder;
  const std::string text = "2 4\n0x7F0012345678 R 0 0 1\n0x7F0012345680 R 0 0 1\n0x40 W 3 2 7\n";
  testing::write_file(folder.file("t"), text);
  read_stream(folder.file("t"), *make_binary_stream_writer(folder.file("b")));
  read_stream(folder.file("b"), *make_text_stream_writer(folder.file("t2")));
  EXPECT_EQ(testing::read_file(folder.file("t2")), text);
}

TEST(FileKind, IsSeenInTheFirstBytes) {
  const TemporaryFolder folder;
  testing::write_sample_stream(folder.file("s"), {});
  testing::write_sample_capture(folder.file("c"), 1);
  EXPECT_EQ(detect_file_kind(folder.file("s")), FileKind::BinaryStream);
  EXPECT_EQ(detect_file_kind(folder.file("c")), FileKind::Capture);
  const auto kind_of = [&](const std::string& content) {
    testing::write_file(folder.file("x"), content);
    return detect_file_kind(folder.file("x"));
  };
  EXPECT_EQ(kind_of("32 1024\n0x10 R 0 0 1\n"), FileKind::TextStream);
  EXPECT_EQ(kind_of("local size:16 16 1\n"), FileKind::CrawfordTrace);
  EXPECT_EQ(kind_of("WSTRANSA"), FileKind::TransactionStream);
  EXPECT_EQ(kind_of(""), FileKind::Empty);
  EXPECT_EQ(kind_of("32\n"), FileKind::Unknown);
  EXPECT_EQ(kind_of("{\"total\": 1}"), FileKind::Unknown);
  EXPECT_THROW(detect_file_kind(folder.file("none")), InputError);
}

// Standard input is replaced by a pipe whose writer is slow.
TEST(FileKind, LooksIntoAPipeWithoutTakingAnything) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor saved(::dup(STDIN_FILENO));
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  std::thread writer([&] {
    const std::string text = "1 4\n0x10 R 3 0 1\n";
    for (const char c : text) {
      EXPECT_EQ(::write(ends[1], &c, 1), 1);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ::close(ends[1]);
  });
  EXPECT_EQ(detect_file_kind("-"), FileKind::TextStream);
  const CollectingSink sink = read_all("-");
  writer.join();
  ::dup2(saved.get(), STDIN_FILENO);
  ASSERT_EQ(sink.accesses.size(), 1u);
  EXPECT_EQ(sink.accesses[0].group, 3u);
}

}  // namespace
}  // namespace warpscope
