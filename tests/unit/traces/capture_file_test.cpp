#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/capture/reader.h"
#include "traces/capture/writer.h"

namespace warpscope {
namespace {

using testing::Random;
using testing::TemporaryFolder;

TEST(CaptureFile, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  const auto written = testing::write_sample_capture(path, 1);
  const CaptureReader reader(path);
  EXPECT_FALSE(reader.is_partial());
  EXPECT_EQ(reader.file_header()["options"], "sample");
  ASSERT_EQ(reader.launches().size(), 2u);
  EXPECT_EQ(reader.launches()[1].id, LaunchId(1));
  EXPECT_EQ(reader.launches()[0].kernel->name, "sample");
  EXPECT_EQ(reader.buffers().size(), 2u);
  EXPECT_EQ(reader.groups(LaunchId(0)).size(), 4u);
  for (const WorkGroupTrace& trace : written)
    EXPECT_TRUE(testing::same(reader.read(trace.launch, trace.group), trace));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

// Writes the same work-groups in another order, from several threads.
void write_shuffled(const std::string& path, std::uint64_t seed, unsigned threads) {
  constexpr std::uint32_t kGroups = 200;
  CaptureWriter writer(path, {.options_text = "sample"});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
  for (const std::uint32_t launch : {0u, 1u}) writer.add_launch(testing::sample_launch(launch, kGroups, 8));
  std::vector<std::uint32_t> order(2 * kGroups);
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  Random shuffle(seed);
  for (std::size_t i = order.size(); seed != 0 && i > 1; --i)
    std::swap(order[i - 1], order[shuffle.below(i)]);
  std::vector<std::thread> workers;
  for (unsigned worker = 0; worker < threads; ++worker) {
    workers.emplace_back([&, worker] {
      for (std::size_t i = worker; i < order.size(); i += threads) {
        const std::uint32_t launch = order[i] / kGroups;
        const std::uint32_t group = order[i] % kGroups;
        Random random(order[i] + 1000);
        writer.add_work_group(LaunchId(launch), WorkGroupId(group),
                              encode(testing::random_trace(random, launch, group, 8)));
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  writer.finish();
}

TEST(CaptureFile, HasTheSameBytesWhateverTheOrderOfCompletion) {
  const TemporaryFolder folder;
  write_shuffled(folder.file("sorted"), 0, 1);
  const std::string expected = testing::read_file(folder.file("sorted"));
  ASSERT_FALSE(expected.empty());
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    write_shuffled(folder.file("shuffled"), seed, static_cast<unsigned>(seed) + 1);
    EXPECT_EQ(testing::read_file(folder.file("shuffled")), expected) << "seed " << seed;
  }
  EXPECT_EQ(std::distance(
                std::filesystem::directory_iterator(std::filesystem::path(folder.file("x")).parent_path()),
                std::filesystem::directory_iterator()),
            2);
}

TEST(CaptureFile, HashNamesTheContentNotTheWayItWasMade) {
  const TemporaryFolder folder;
  testing::write_sample_capture(folder.file("a"), 1);
  testing::write_sample_capture(folder.file("b"), 1);
  testing::write_sample_capture(folder.file("c"), 2);
  EXPECT_EQ(CaptureReader(folder.file("a")).hash(), CaptureReader(folder.file("b")).hash());
  EXPECT_NE(CaptureReader(folder.file("a")).hash(), CaptureReader(folder.file("c")).hash());
  EXPECT_EQ(CaptureReader(folder.file("a")).hash().size(), 16u);
}

TEST(CaptureFile, KeepsAPartialFileWhenItIsNotFinished) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  Random random(7);
  const WorkGroupTrace trace = testing::random_trace(random, 0, 2, 8);
  {
    CaptureWriter writer(path, {});
    for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
    writer.add_launch(testing::sample_launch(0, 4, 8));
    writer.add_work_group(LaunchId(0), WorkGroupId(2), encode(trace));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THROW(CaptureReader(path + ".part"), InputError);
  const CaptureReader reader(path + ".part", true);
  EXPECT_TRUE(reader.is_partial());
  EXPECT_THAT(reader.groups(LaunchId(0)), ::testing::ElementsAre(WorkGroupId(2)));
  EXPECT_TRUE(testing::same(reader.read(LaunchId(0), WorkGroupId(2)), trace));
}

TEST(CaptureFile, LeavesNothingWhenNoWorkGroupWasRecorded) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  { CaptureWriter writer(path, {}); }
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(CaptureFile, RefusesAWorkGroupRecordedTwice) {
  const TemporaryFolder folder;
  Random random(7);
  const auto payload = encode(testing::random_trace(random, 0, 2, 8));
  CaptureWriter writer(folder.file("a"), {});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
  writer.add_launch(testing::sample_launch(0, 4, 8));
  for (int i = 0; i < 2; ++i) writer.add_work_group(LaunchId(0), WorkGroupId(2), payload);
  EXPECT_THROW(writer.finish(), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
}

TEST(CaptureFile, IsReadFromSeveralThreads) {
  const TemporaryFolder folder;
  const auto written = testing::write_sample_capture(folder.file("a"), 3, 50);
  const CaptureReader reader(folder.file("a"));
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> workers;
  for (std::size_t worker = 0; worker < wrong.size(); ++worker) {
    workers.emplace_back([&, worker] {
      for (const WorkGroupTrace& trace : written) {
        if (!testing::same(reader.read(trace.launch, trace.group), trace)) ++wrong[worker];
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_THAT(wrong, ::testing::Each(0));
}

}  // namespace
}  // namespace warpscope
