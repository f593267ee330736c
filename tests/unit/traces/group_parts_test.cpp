// Work-groups whose payload is in several sections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/capture/capture_finish.h"
#include "traces/capture/capture_format.h"
#include "traces/capture/reader.h"
#include "traces/capture/writer.h"

namespace warpscope {
namespace {

using testing::Random;
using testing::TemporaryFolder;

constexpr std::uint32_t kPartGroups = 4;
constexpr std::size_t kPiece = 50;

WorkGroupTrace trace_of(std::uint32_t group) {
  Random random(group + 5);
  return testing::random_trace(random, 0, group, 8);
}

void add_parts(CaptureWriter& writer, std::uint32_t group, std::size_t most = ~std::size_t{0}) {
  const std::vector<std::uint8_t> payload = encode(trace_of(group));
  ASSERT_GT(payload.size(), kPiece);
  std::uint32_t part = 0;
  for (std::size_t at = 0; at < payload.size() && part < most; at += kPiece)
    writer.add_part(LaunchId(0), WorkGroupId(group), part++,
                    std::span(payload).subspan(at, std::min(kPiece, payload.size() - at)));
}

std::unique_ptr<CaptureWriter> begun_parts(const std::string& path, bool goes_on = false) {
  auto writer = std::make_unique<CaptureWriter>(
      path, CaptureWriter::Options{.options_text = "sample", .goes_on = goes_on});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer->add_buffer(buffer);
  writer->add_launch(testing::sample_launch(0, kPartGroups, 8));
  return writer;
}

/// Work-groups 1 and 3 are in parts, which come in between.
void record_parts(CaptureWriter& writer) {
  writer.add_part(LaunchId(0), WorkGroupId(3), 0,
                  std::vector<std::uint8_t>(70, 7));  // an attempt that failed
  add_parts(writer, 1);
  writer.add_work_group(LaunchId(0), WorkGroupId(2), encode(trace_of(2)));
  add_parts(writer, 3);
  writer.end_parts(LaunchId(0), WorkGroupId(3));
  writer.end_parts(LaunchId(0), WorkGroupId(1));
  writer.add_work_group(LaunchId(0), WorkGroupId(0), encode(trace_of(0)));
}

void expect_all(const CaptureReader& reader) {
  ASSERT_EQ(reader.groups(LaunchId(0)).size(), kPartGroups);
  FormMemory memory;
  for (std::uint32_t group = 0; group < kPartGroups; ++group) {
    EXPECT_TRUE(testing::same(reader.read(LaunchId(0), WorkGroupId(group)), trace_of(group))) << group;
    const SharedGroup shared = reader.read(LaunchId(0), WorkGroupId(group), memory);
    EXPECT_EQ(shared.work_items, 8u);
  }
}

std::uint64_t version_in(const std::string& path) {
  const std::string bytes = testing::read_file(path).substr(kMagicBytes, kSectionHeaderBytes);
  return load_le<std::uint64_t>(bytes_of(bytes).data() + 16);
}

TEST(GroupParts, AreReadAsOneWorkGroup) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  const auto writer = begun_parts(path);
  record_parts(*writer);
  writer->finish({{"not_traced", "x"}});
  const CaptureReader reader(path);
  expect_all(reader);
  EXPECT_FALSE(reader.is_partial());
  EXPECT_EQ(reader.notes()["not_traced"], "x");
  EXPECT_EQ(reader.file_header()["version"], 2);
  EXPECT_EQ(version_in(path), 2u);
  const std::vector<std::uint32_t>& sizes = reader.stored_bytes(LaunchId(0));
  EXPECT_GE(sizes[1], encode(trace_of(1)).size());  // pieces of 50 bytes are not packed
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(GroupParts, OnlyTheyNeedTheNewVersion) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  const auto writer = begun_parts(path);
  add_parts(*writer, 1, 1);  // of a work-group that was not recorded to its end
  writer->add_work_group(LaunchId(0), WorkGroupId(2), encode(trace_of(2)));
  writer->finish();
  EXPECT_EQ(version_in(path), 1u);
  const CaptureReader reader(path);
  EXPECT_THAT(reader.groups(LaunchId(0)), ::testing::ElementsAre(WorkGroupId(2)));
  EXPECT_EQ(testing::read_file(path).find("PART"), std::string::npos);
}

TEST(GroupParts, OfAnInterruptedRunCountWhenTheyAreComplete) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  {
    const auto writer = begun_parts(path);
    add_parts(*writer, 1);
    writer->end_parts(LaunchId(0), WorkGroupId(1));
    add_parts(*writer, 3, 1);
  }
  {
    const CaptureReader reader(path + ".part", true);
    EXPECT_THAT(reader.groups(LaunchId(0)), ::testing::ElementsAre(WorkGroupId(1)));
    EXPECT_TRUE(testing::same(reader.read(LaunchId(0), WorkGroupId(1)), trace_of(1)));
  }
  const auto writer = begun_parts(path, true);
  EXPECT_THAT(writer->found(), ::testing::ElementsAre(WorkGroupId(1)));
  add_parts(*writer, 3);  // the first piece is in the file twice then
  writer->end_parts(LaunchId(0), WorkGroupId(3));
  for (const std::uint32_t group : {0u, 2u})
    writer->add_work_group(LaunchId(0), WorkGroupId(group), encode(trace_of(group)));
  writer->finish();
  expect_all(CaptureReader(path));
  const auto whole = begun_parts(folder.file("b.wtrace"));
  record_parts(*whole);
  whole->finish();
  EXPECT_EQ(testing::read_file(path), testing::read_file(folder.file("b.wtrace")));
}

TEST(GroupParts, ThatPackWellStaySmallAndReadable) {
  SectionEncoder encoder;
  SectionDecoder decoder;
  const std::vector<std::uint8_t> zeros(16u << 20, 1);
  const auto section = encoder.encode(kPartTag, LaunchId(0), part_number(WorkGroupId(7), 2), zeros);
  EXPECT_LE(section.size(), zeros.size() / 1000 + 64);
  EXPECT_GE(section.size(), zeros.size() / 1000);  // a reader refuses what packs better
  const auto read = decoder.decode(section, "here");
  EXPECT_TRUE(std::ranges::equal(read, zeros));
}

TEST(GroupParts, ThatAreMissingAreNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  {
    const auto writer = begun_parts(path);
    add_parts(*writer, 1);
    writer->end_parts(LaunchId(0), WorkGroupId(1));
  }
  std::string bytes = testing::read_file(path + ".part");
  const std::size_t at = bytes.find("PART");
  ASSERT_NE(at, std::string::npos);
  bytes.erase(at, kSectionHeaderBytes + kPiece);
  testing::write_file(folder.file("cut"), bytes);
  const CaptureReader reader(folder.file("cut"), true);
  try {
    static_cast<void>(reader.read(LaunchId(0), WorkGroupId(1)));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("work-group 1 of launch 0: part 0 of "));
    EXPECT_THAT(error.what(), ::testing::HasSubstr(" is missing; capture it again"));
  }
}

}  // namespace
}  // namespace warpscope
