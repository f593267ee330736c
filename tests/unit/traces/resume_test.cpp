// A capture that goes on where an interrupted run left it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/thinning.h"
#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/capture/reader.h"
#include "traces/capture/writer.h"

namespace warpscope {
namespace {

using testing::Random;
using testing::TemporaryFolder;

constexpr std::uint32_t kResumed = 9;

std::vector<std::uint8_t> payload_for(WorkGroupId group) {
  Random random(group.value());
  return encode(testing::random_trace(random, 0, group.value(), 8));
}

/// A writer of the sample launch, before its first work-group.
std::unique_ptr<CaptureWriter> begun(const std::string& path, bool goes_on, const LaunchInfo& launch) {
  auto writer = std::make_unique<CaptureWriter>(
      path, CaptureWriter::Options{.options_text = "sample", .goes_on = goes_on});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer->add_buffer(buffer);
  writer->add_launch(launch);
  return writer;
}

LaunchInfo one_launch() {
  return testing::sample_launch(0, kResumed, 8);
}

/// Records some work-groups and is interrupted.
void record_some(const std::string& path, bool goes_on, std::initializer_list<std::uint32_t> groups) {
  const auto writer = begun(path, goes_on, one_launch());
  for (const std::uint32_t group : groups)
    writer->add_work_group(LaunchId(0), WorkGroupId(group), payload_for(WorkGroupId(group)));
}

/// Records what is missing, and finishes.
void record_rest(const std::string& path) {
  const auto writer = begun(path, true, one_launch());
  const std::vector<WorkGroupId> found = writer->found();
  for (std::uint32_t group = 0; group < kResumed; ++group)
    if (!std::binary_search(found.begin(), found.end(), WorkGroupId(group)))
      writer->add_work_group(LaunchId(0), WorkGroupId(group), payload_for(WorkGroupId(group)));
  writer->finish();
}

std::string uninterrupted(const TemporaryFolder& folder) {
  record_rest(folder.file("whole.wtrace"));  // there is no part
  return testing::read_file(folder.file("whole.wtrace"));
}

TEST(Resume, GivesTheBytesOfAnUninterruptedRun) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  record_some(path, true, {4, 1});
  record_some(path, true, {});  // interrupted again at once
  record_some(path, true, {0, 8});
  EXPECT_THAT(begun(path, true, one_launch())->found(),
              ::testing::ElementsAre(WorkGroupId(0), WorkGroupId(1), WorkGroupId(4), WorkGroupId(8)));
  record_rest(path);
  EXPECT_EQ(testing::read_file(path), uninterrupted(folder));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(Resume, DropsAnIncompleteEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  record_some(path, false, {4, 1, 0});
  const std::string part = testing::read_file(path + ".part");
  for (std::size_t cut = 1; cut < part.size(); cut += 7 * kCaseStep) {
    testing::write_file(path + ".part", part.substr(0, part.size() - cut));
    record_rest(path);
    ASSERT_EQ(testing::read_file(path), uninterrupted(folder)) << cut << " bytes are missing";
  }
}

TEST(Resume, RefusesAnotherCaptureAndLeavesItThere) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  record_some(path, false, {4, 1});
  const std::string part = testing::read_file(path + ".part");
  LaunchInfo other = one_launch();
  other.global.x *= 2;
  EXPECT_THROW(begun(path, true, other), InputError);
  EXPECT_THROW(CaptureWriter(path, {.options_text = "others", .goes_on = true}), InputError);
  EXPECT_EQ(testing::read_file(path + ".part"), part);
  std::string damaged = part;
  damaged[100] = static_cast<char>(damaged[100] ^ 1);
  testing::write_file(path + ".part", damaged);
  EXPECT_THROW(begun(path, true, one_launch()), InputError);
  EXPECT_EQ(testing::read_file(path + ".part"), damaged);
}

TEST(Resume, RefusesAPartOfSeveralLaunches) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  {
    const auto writer = begun(path, false, one_launch());
    writer->add_work_group(LaunchId(0), WorkGroupId(0), payload_for(WorkGroupId(0)));
    writer->add_launch(testing::sample_launch(1, kResumed, 8));
    writer->add_work_group(LaunchId(1), WorkGroupId(0), payload_for(WorkGroupId(0)));
  }
  EXPECT_THROW(begun(path, true, one_launch()), InputError);
}

}  // namespace
}  // namespace warpscope
