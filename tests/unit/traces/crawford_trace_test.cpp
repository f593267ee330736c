#include "traces/crawford/crawford_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using ::testing::HasSubstr;
using Kind = CrawfordTraceRecord::Kind;
using testing::TemporaryFolder;

class Collector : public CrawfordTraceSink {
 public:
  void begin(Dim3 size) override { local_size = size; }
  void record(const CrawfordTraceRecord& record) override { records.push_back(record); }
  Dim3 local_size;
  std::vector<CrawfordTraceRecord> records;
};

Collector read_text(const std::string& text) {
  const TemporaryFolder folder;
  testing::write_file(folder.file("t"), text);
  Collector collector;
  read_crawford_trace(folder.file("t"), collector);
  return collector;
}

// Lines of listing 5.1: M1 reads 0x09CAE000 (its leading zero is missing) for work-items 0 and 16.
TEST(CrawfordTrace, ReadsTheListing) {
  const Collector read = read_text(
      "local size:16 16 1\n"
      "0x9CAE000F0000319|0x0|0x10000000000\n"
      "0x9CBB040F000031A|0x10|0x10000000000\n"
      "0x9CAE004A0000319|0x0|0x20000000000\n"
      "0x1|0x10|0x0\n"
      "0x2|0x300002|0x0\n"
      "--\n");
  EXPECT_EQ(read.local_size, (Dim3{16, 16, 1}));
  ASSERT_EQ(read.records.size(), 6u);
  EXPECT_EQ(read.records[0].kind, Kind::Read);
  EXPECT_EQ(read.records[0].address.value(), 0x09cae000u);
  EXPECT_EQ(read.records[0].site, SiteId(1));
  ASSERT_EQ(read.records[0].loop_count, 1u);
  EXPECT_EQ(read.records[0].loops[0].label, 0u);
  EXPECT_EQ(read.records[0].loops[0].iteration, 1u);
  EXPECT_EQ(read.records[1].site, SiteId(2));
  EXPECT_EQ(read.records[1].item, (Dim3{16, 0, 0}));
  EXPECT_EQ(read.records[2].kind, Kind::Write);
  EXPECT_EQ(read.records[2].loops[0].iteration, 2u);
  EXPECT_EQ(read.records[3].kind, Kind::LocalBarrier);
  EXPECT_EQ(read.records[4].kind, Kind::GlobalBarrier);
  EXPECT_EQ(read.records[4].item, (Dim3{2, 3, 0}));
  EXPECT_EQ(read.records[5].kind, Kind::End);
}

// Three loops: label 1 in iteration 2, label 2 in iteration 3, label 5 in iteration 65535 – in any segment.
TEST(CrawfordTrace, SortsLoopsByLabel) {
  const Collector read = read_text(
      "local size:1\n0x9CAE000F0000319|0x0|0x20003"
      "5FFFF"
      "10002\n");
  ASSERT_EQ(read.records[0].loop_count, 3u);
  EXPECT_EQ(read.records[0].loops[0].label, 1u);
  EXPECT_EQ(read.records[0].loops[0].iteration, 2u);
  EXPECT_EQ(read.records[0].loops[1].label, 2u);
  EXPECT_EQ(read.records[0].loops[2].label, 5u);
  EXPECT_EQ(read.records[0].loops[2].iteration, 65535u);
}

TEST(CrawfordTrace, WritesItsOwnLines) {
  CrawfordTraceRecord record;
  record.address = ByteAddr(0x9cae000);
  record.site = SiteId(1);
  record.item = {16, 0, 0};
  record.loop_count = 1;
  record.loops[0] = {0, 1};
  EXPECT_EQ(crawford_trace_line(record), "0x9CAE000F0000319|0x10|0x10000000000");
  record.kind = Kind::Write;
  record.address = ByteAddr(std::uint64_t{1} << 32);
  EXPECT_THROW((void)crawford_trace_line(record), InputError);
  record.address = ByteAddr(0);
  record.item.y = 1u << 20;
  EXPECT_THROW((void)crawford_trace_line(record), InputError);
  record.item.y = 0;
  record.loops[0].iteration = 1u << 16;
  EXPECT_THROW((void)crawford_trace_line(record), InputError);
  record.loops[0] = {16, 1};
  EXPECT_THROW((void)crawford_trace_line(record), InputError);
  record.loop_count = 0;
  record.site = SiteId(10000);
  EXPECT_THROW((void)crawford_trace_line(record), InputError);
}

struct BadLine {
  const char* text;
  const char* message;
};

class RefusedCrawfordTrace : public ::testing::TestWithParam<BadLine> {};

TEST_P(RefusedCrawfordTrace, SaysLineAndReason) {
  try {
    (void)read_text(GetParam().text);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Text, RefusedCrawfordTrace,
    ::testing::Values(
        BadLine{"", ":1: is empty"}, BadLine{"16 16 1\n", ":1: expected 'local size:"},
        BadLine{"local size:\n", ":1: expected"}, BadLine{"local size:1 2 3 4\n", ":1: expected"},
        BadLine{"local size:0 1 1\n", ":1: expected"}, BadLine{"local size:x\n", ":1: expected"},
        BadLine{"local size:1 1 1\nhello\n", ":2: expected '0xACCESS"},
        BadLine{"local size:1 1 1\n0x1|0x2\n", ":2: expected '0xACCESS"},
        BadLine{"local size:1 1 1\n0x9CAE000B0000319|0x0|0x0\n", ":2: expected F (read) or A"},
        BadLine{"local size:1 1 1\n0x9CAE000F0000001|0x0|0x0\n", ":2: expected an instruction name"},
        BadLine{"local size:1 1 1\n0x1|0x1000000000000000|0x0\n", ":2: expected three ids"},
        BadLine{"local size:1 1 1\n0x1|0x0|0x1000000000000000\n", ":2: expected three loops"},
        BadLine{"local size:1 1 1\n0x19CAE000F0000319F|0x0|0x0\n", ":2: expected '0xACCESS"}));

// One work-item of the sample kernel: two iterations, the first of them stores and does the atomic. Site 3 is
// local.
TEST(CrawfordTrace, IsWrittenFromACapture) {
  const TemporaryFolder folder;
  {
    CaptureWriter writer(folder.file("c"), {});
    for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
    writer.add_launch(testing::sample_launch(0, 1, 1));
    testing::TraceBuilder builder(0, 0, 1);
    const auto in = [](std::uint64_t offset) { return BufferAddr(BufferId(1), offset).key(); };
    builder.item({false, true, true, false},
                 {{in(0), in(8)}, {in(0x64)}, {0}, {BufferAddr(BufferId(2), 4).key()}, {in(0)}});
    writer.add_work_group(LaunchId(0), WorkGroupId(0), encode(builder.trace()));
    writer.finish();
  }
  write_crawford_trace(CaptureReader(folder.file("c")), LaunchId(0), {}, folder.file("t"));
  // M0 = 22 * 36 = 0x318, M1 = 0x319, M4 = 0x31C.
  EXPECT_EQ(testing::read_file(folder.file("t")),
            "local size:1 1 1\n"
            "0x10000000F0000318|0x0|0x10000000000\n"
            "0x10000064A0000319|0x0|0x10000000000\n"
            "0x10000000F000031C|0x0|0x10000000000\n"
            "0x10000000A000031C|0x0|0x10000000000\n"
            "0x10000008F0000318|0x0|0x20000000000\n"
            "0x1|0x0|0x0\n"
            "--\n");
  EXPECT_THROW(write_crawford_trace(CaptureReader(folder.file("c")), LaunchId(0), {.base = 0xfffffff0},
                                    folder.file("u")),
               InputError);
  EXPECT_FALSE(std::filesystem::exists(folder.file("u")));
}

}  // namespace
}  // namespace warpscope
