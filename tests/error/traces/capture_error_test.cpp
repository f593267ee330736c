// What goes wrong when a capture is written or read, and what is said about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "tests/unit/traces/samples.h"
#include "tests/unit/traces/stream_samples.h"
#include "traces/base/error.h"
#include "traces/capture/reader.h"
#include "traces/files/section.h"
#include "traces/stream/stream.h"

namespace warpscope {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using testing::Random;
using ::testing::StartsWith;
using testing::TemporaryFolder;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string open_message(const std::string& path, bool partial = false) {
  return message_of([&] { const CaptureReader reader(path, partial); });
}

TEST(CaptureErrors, MissingEmptyAndForeignFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(open_message(folder.file("none")),
            folder.file("none") + ": cannot read: No such file or directory");
  EXPECT_THAT(open_message(folder.file("")), HasSubstr("cannot read: Is a directory"));
  testing::write_file(folder.file("a"), "");
  EXPECT_THAT(open_message(folder.file("a")), HasSubstr(": is empty, expected a capture"));
  testing::write_file(folder.file("a"), "__kernel void mm() {}\n");
  EXPECT_THAT(open_message(folder.file("a")),
              HasSubstr(": is not a capture, expected it to start with WSCAPTUR"));
}

TEST(CaptureErrors, CutFilesSayHowMuchIsIntact) {
  const TemporaryFolder folder;
  testing::write_sample_capture(folder.file("a"), 1, 4);
  const std::string whole = testing::read_file(folder.file("a"));
  testing::write_file(folder.file("b"), whole.substr(0, whole.size() - 1));
  EXPECT_THAT(open_message(folder.file("b")),
              HasSubstr("is cut short behind its index, 8 of 8 work-groups are intact"));
  testing::write_file(folder.file("b"), whole.substr(0, 20));
  EXPECT_THAT(open_message(folder.file("b")),
              HasSubstr("0 of 0 work-groups are intact; nothing in it is usable"));
  EXPECT_THAT(open_message(folder.file("b"), true), HasSubstr("nothing in it is usable"));
}

TEST(CaptureErrors, FlippedBytesNameTheirPlace) {
  const TemporaryFolder folder;
  testing::write_sample_capture(folder.file("a"), 1, 4);
  std::string bytes = testing::read_file(folder.file("a"));
  bytes[40] = static_cast<char>(bytes[40] ^ 1);
  testing::write_file(folder.file("a"), bytes);
  EXPECT_EQ(
      open_message(folder.file("a")),
      folder.file("a") + ": byte 8: checksum does not match, expected an undamaged file; make it again");
}

TEST(CaptureErrors, NewerVersionsAreRefused) {
  const TemporaryFolder folder;
  SectionEncoder encoder;
  std::string content = "WSCAPTUR";
  content +=
      text_of(encoder.encode(section_tag("FILE"), LaunchId(0), 4, bytes_of("{\"version\": 4, \"new\": []}")));
  testing::write_file(folder.file("a"), content);
  EXPECT_THAT(open_message(folder.file("a"), true),
              HasSubstr("has format version 4, expected at most 3; use a newer"));
}

TEST(CaptureErrors, UnknownSectionsAreSkipped) {
  const TemporaryFolder folder;
  testing::write_sample_capture(folder.file("a"), 1, 4);
  std::string bytes = testing::read_file(folder.file("a"));
  const SectionHeader first =
      parse_section_header(bytes_of(bytes).subspan<kMagicBytes, kSectionHeaderBytes>());
  const std::size_t end = kMagicBytes + kSectionHeaderBytes + first.stored_size;
  SectionEncoder encoder;
  bytes.resize(bytes.size() - 16);  // no footer: read from the start
  bytes.insert(end, text_of(encoder.encode(section_tag("NOVA"), LaunchId(0), 0, bytes_of("?"))));
  testing::write_file(folder.file("b"), bytes);
  EXPECT_EQ(CaptureReader(folder.file("b"), true).groups(LaunchId(1)).size(), 4u);
}

TEST(CaptureErrors, QuestionsAboutWhatIsNotThere) {
  const TemporaryFolder folder;
  testing::write_sample_capture(folder.file("a"), 1, 4);
  const CaptureReader reader(folder.file("a"));
  EXPECT_THAT(message_of([&] { (void)reader.groups(LaunchId(2)); }), HasSubstr("has no launch 2"));
  EXPECT_THAT(message_of([&] { (void)reader.read(LaunchId(0), WorkGroupId(4)); }),
              HasSubstr("does not hold work-group 4 of launch 0"));
}

TEST(CaptureErrors, AWorkGroupOfTheWrongSizeIsRefused) {
  const TemporaryFolder folder;
  {
    CaptureWriter writer(folder.file("a"), {});
    for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
    writer.add_launch(testing::sample_launch(0, 4, 8));
    Random random(1);
    writer.add_work_group(LaunchId(0), WorkGroupId(0), encode(testing::random_trace(random, 0, 0, 7)));
    writer.finish();
  }
  const CaptureReader reader(folder.file("a"));
  EXPECT_THAT(message_of([&] { (void)reader.read(LaunchId(0), WorkGroupId(0)); }),
              HasSubstr("work-group 0 of launch 0: has 7 work-items, expected the local size 8"));
}

TEST(CaptureErrors, UnwritablePlaces) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of([&] { CaptureWriter writer(folder.file("none/a"), {}); }),
            folder.file("none/a") + ": cannot write: No such file or directory");
  EXPECT_THAT(message_of([&] {
                CaptureWriter first(folder.file("a"), {});
                CaptureWriter second(folder.file("a"), {});
              }),
              HasSubstr("another program is writing it"));
}

TEST(CaptureErrors, AFullDeviceIsReported) {
  EXPECT_EQ(message_of([] { testing::write_sample_capture("/dev/full", 1, 4); }),
            "/dev/full: cannot write: No space left on device");
}

void write_until_failure(const std::string& path, std::uint64_t size_limit,
                         std::vector<WorkGroupTrace>& written) {
  CaptureWriter writer(path, {.options_text = "", .compression_level = 1, .size_limit = size_limit});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
  writer.add_launch(testing::sample_launch(0, 100'000, 8));
  Random random(1);
  for (std::uint32_t group = 0; group < 100'000; ++group) {
    WorkGroupTrace trace = testing::random_trace(random, 0, group, 8);
    writer.add_work_group(LaunchId(0), WorkGroupId(group), encode(trace));
    written.push_back(std::move(trace));
  }
  writer.finish();
}

void expect_valid_partial(const std::string& path, const std::vector<WorkGroupTrace>& written) {
  EXPECT_FALSE(std::filesystem::exists(path));
  const CaptureReader reader(path + ".part", true);
  const auto& groups = reader.groups(LaunchId(0));
  EXPECT_GT(groups.size(), 100u);
  for (const WorkGroupId group : groups) {
    ASSERT_TRUE(testing::same(reader.read(LaunchId(0), group), written[group.value()]));
  }
}

TEST(CaptureErrors, TheSizeLimitLeavesAValidPartialCapture) {
  const TemporaryFolder folder;
  std::vector<WorkGroupTrace> written;
  EXPECT_THAT(message_of([&] { write_until_failure(folder.file("a"), 200'000, written); }),
              HasSubstr("would exceed its limit of 200000 bytes"));
  EXPECT_LE(std::filesystem::file_size(folder.file("a.part")), 200'000u);
  expect_valid_partial(folder.file("a"), written);
}

/// A limit on file sizes stands for a full disk: it can be had without privileges.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &saved_);
    const rlimit limit{bytes, saved_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &saved_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit saved_{};
  sighandler_t handler_ = SIG_DFL;
};

TEST(CaptureErrors, AFullDiskLeavesAValidPartialCapture) {
  const TemporaryFolder folder;
  std::vector<WorkGroupTrace> written;
  std::string message;
  {
    const FileSizeLimit limit(150'001);
    message = message_of([&] { write_until_failure(folder.file("a"), 0, written); });
  }
  EXPECT_EQ(message, folder.file("a") + ": cannot write: File too large");
  EXPECT_LE(std::filesystem::file_size(folder.file("a.part")), 150'001u);
  expect_valid_partial(folder.file("a"), written);
}

// Chunks out of order: finishing needs a second file, for which there is no room.
TEST(CaptureErrors, AFullDiskWhileSortingKeepsThePartialCapture) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  Random random(1);
  std::vector<WorkGroupTrace> written(1000);
  std::string message;
  {
    CaptureWriter writer(path, {});
    for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
    writer.add_launch(testing::sample_launch(0, 1000, 8));
    for (std::uint32_t group = 1000; group-- > 0;) {
      written[group] = testing::random_trace(random, 0, group, 8);
      writer.add_work_group(LaunchId(0), WorkGroupId(group), encode(written[group]));
    }
    const FileSizeLimit limit(writer.bytes_written() + 100);
    message = message_of([&] { writer.finish(); });
  }
  EXPECT_EQ(message, path + ".sorted: cannot write: File too large");
  EXPECT_FALSE(std::filesystem::exists(path + ".sorted.part"));
  expect_valid_partial(path, written);
  EXPECT_EQ(CaptureReader(path + ".part", true).groups(LaunchId(0)).size(), 1000u);
}

// In order: only the index does not fit.
TEST(CaptureErrors, AFullDiskAtTheIndexKeepsThePartialCapture) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  Random random(1);
  std::vector<WorkGroupTrace> written;
  {
    CaptureWriter writer(path, {});
    for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
    writer.add_launch(testing::sample_launch(0, 200, 8));
    for (std::uint32_t group = 0; group < 200; ++group) {
      written.push_back(testing::random_trace(random, 0, group, 8));
      writer.add_work_group(LaunchId(0), WorkGroupId(group), encode(written[group]));
    }
    const FileSizeLimit limit(writer.bytes_written() + 20);
    EXPECT_THAT(message_of([&] { writer.finish(); }), HasSubstr("cannot write: File too large"));
  }
  expect_valid_partial(path, written);
  EXPECT_EQ(CaptureReader(path + ".part", true).groups(LaunchId(0)).size(), 200u);
}

TEST(StreamErrors, SayWhatIsWrong) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& content) {
    testing::write_file(folder.file("s"), content);
    return message_of([&] {
      testing::CollectingSink sink;
      read_stream(folder.file("s"), sink);
    });
  };
  SectionEncoder encoder;
  EXPECT_THAT(message(""), HasSubstr(": is empty, expected a stream"));
  EXPECT_THAT(message("WSSTR"), HasSubstr(": is cut short in its first bytes"));
  EXPECT_THAT(message("WSCAPTUR"), HasSubstr(": is not a stream"));
  EXPECT_THAT(message("WSSTREAM"), HasSubstr(": is cut short after 0 warp accesses"));
  std::string newer = "WSSTREAM";
  newer += text_of(encoder.encode(section_tag("HEAD"), LaunchId(0), 3, bytes_of("{}")));
  EXPECT_THAT(message(newer), HasSubstr("has format version 3, expected at most 2"));
  std::string headless = "WSSTREAM";
  headless += text_of(encoder.encode(section_tag("FINI"), LaunchId(0), 0, {}));
  EXPECT_THAT(message(headless), HasSubstr("expected one HEAD section, at the start"));
  testing::write_sample_stream(folder.file("s"), testing::random_accesses(1, 5));
  EXPECT_THAT(message(testing::read_file(folder.file("s")) + "x"), HasSubstr("more data behind the end"));
  EXPECT_THAT(message_of([&] {
                testing::CollectingSink sink;
                read_stream(folder.file("none"), sink);
              }),
              HasSubstr("No such file"));
}

TEST(StreamErrors, FullDevices) {
  const auto accesses = testing::random_accesses(1, 5);
  EXPECT_EQ(message_of([&] { testing::write_sample_stream("/dev/full", accesses); }),
            "/dev/full: cannot write: No space left on device");
  EXPECT_EQ(message_of([&] {
              testing::feed(*make_text_stream_writer("/dev/full"), testing::sample_stream_header(), accesses);
            }),
            "/dev/full: cannot write: No space left on device");
}

// What happens behind the reader is not the stream's fault.
TEST(StreamErrors, FailuresOfTheSinkStayAsTheyAre) {
  struct FullSink : testing::CollectingSink {
    void access(const WarpAccess& /*access*/) override { throw InputError("out: cannot write"); }
  };
  const TemporaryFolder folder;
  testing::write_sample_stream(folder.file("s"), testing::random_accesses(1, 5));
  EXPECT_EQ(message_of([&] {
              FullSink sink;
              read_stream(folder.file("s"), sink);
            }),
            "out: cannot write");
}

}  // namespace
}  // namespace warpscope
