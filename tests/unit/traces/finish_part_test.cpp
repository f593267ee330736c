// A capture whose writer never said that it was done.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/capture/capture_finish.h"
#include "traces/capture/reader.h"
#include "traces/capture/runs/lane_runs.h"
#include "traces/capture/writer.h"
#include "traces/files/file_io.h"
#include "traces/files/section_lanes.h"

namespace warpscope {
namespace {

using testing::Random;
using testing::TemporaryFolder;

constexpr std::uint32_t kGroups = 6;

// Two launches; of the second only `groups` work-groups, the last first. Ends without a destructor.
[[noreturn]] void write_and_die(const std::string& path, const std::string& journal, std::uint32_t groups) {
  auto* writer = new CaptureWriter(path, {.options_text = "sample", .journal = journal});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer->add_buffer(buffer);
  for (const std::uint32_t launch : {0u, 1u}) {
    writer->add_launch(testing::sample_launch(launch, kGroups, 8),
                       launch == 0 ? std::optional<LaunchId>() : LaunchId(0));
    for (std::uint32_t group = launch == 0 ? kGroups : groups; group-- > 0;) {
      Random random(group);
      writer->add_work_group(LaunchId(launch), WorkGroupId(group),
                             encode(testing::random_trace(random, launch, group, 8)));
    }
  }
  raise(SIGKILL);
  std::abort();
}

void in_child(const std::string& path, const std::string& journal, std::uint32_t groups) {
  const pid_t child = fork();
  if (child == 0) write_and_die(path, journal, groups);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

void expect_sample(const std::string& path, std::uint32_t groups) {
  const CaptureReader reader(path);
  EXPECT_EQ(reader.is_partial(), groups != kGroups);
  ASSERT_EQ(reader.launches().size(), 2u);
  EXPECT_EQ(dump(to_json(*reader.launches()[1].kernel)), dump(to_json(*reader.launches()[0].kernel)));
  EXPECT_EQ(*reader.launches()[1].source, *reader.launches()[0].source);
  ASSERT_EQ(reader.groups(LaunchId(0)).size(), kGroups);
  ASSERT_EQ(reader.groups(LaunchId(1)).size(), groups);
  for (std::uint32_t group = 0; group < groups; ++group) {
    Random random(group);
    EXPECT_TRUE(testing::same(reader.read(LaunchId(1), WorkGroupId(group)),
                              testing::random_trace(random, 1, group, 8)));
  }
}

TEST(FinishPart, KeepsEveryCompleteWorkGroupOfAKilledProcess) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  in_child(path, folder.file("journal"), 3);
  const FinishedPart finished = finish_part(path, folder.file("journal"));
  EXPECT_EQ(finished.file_bytes, std::filesystem::file_size(path));
  EXPECT_THAT(finished.work_groups, ::testing::ElementsAre(std::pair(LaunchId(0), std::uint64_t{kGroups}),
                                                           std::pair(LaunchId(1), std::uint64_t{3})));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  expect_sample(path, 3);
}

TEST(FinishPart, DropsALargeSectionThatWasBeingWrittenBehindTheEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  in_child(path, folder.file("journal"), 3);
  testing::write_file(path + ".part", testing::read_file(path + ".part") + std::string(100'000, 'x'));
  finish_part(path, folder.file("journal"));
  expect_sample(path, 3);
}

constexpr std::uint32_t kThreads = 4;
constexpr std::uint32_t kMany = 1'000'000;

/// How many work-groups each thread of another process has added.
using Added = std::array<std::atomic<std::uint32_t>, kThreads>;

/// Each thread adds every kThreads-th work-group, some of them longer than what is collected, until it is killed.
[[noreturn]] void write_until_killed(const std::string& path, const std::string& journal, Added& added) {
  auto* writer = new CaptureWriter(path, {.options_text = "sample", .journal = journal});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer->add_buffer(buffer);
  writer->add_launch(testing::sample_launch(0, kMany, 8));
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      Random random(thread);
      const auto small = encode(testing::random_trace(random, 0, 0, 8));
      std::vector<std::uint8_t> noise(100'000);
      for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>(random.below(256));
      for (std::uint32_t i = 0; i * kThreads + thread < kMany; ++i) {
        writer->add_work_group(LaunchId(0), WorkGroupId(i * kThreads + thread),
                               i % 100 == 99 ? noise : small);
        ++added[thread];
      }
    });
  for (;;) pause();
}

TEST(FinishPart, KeepsWhatManyThreadsHadAddedWhenTheyWereKilled) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace"), journal = folder.file("journal");
  void* const shared =
      mmap(nullptr, sizeof(Added), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  std::uint64_t kept = 0;
  for (std::uint32_t round = 0; round < 10; ++round) {
    Added& added = *new (shared) Added{};
    const pid_t child = fork();
    if (child == 0) write_until_killed(path, journal, added);
    for (int ms = 0; ms < 30'000 && added[0] == 0; ++ms)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::microseconds(2'711 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (!std::filesystem::exists(path + ".part")) continue;
    if (round % 2 == 1) {  // recovered by one that was killed behind it
      const Descriptor part(open((path + ".part").c_str(), O_RDWR | O_CLOEXEC));
      recover_journal(journal, part.get(), path, section_of_log);
    }
    if (finish_part(path, journal).file_bytes == 0) continue;
    const CaptureReader reader(path);
    const auto& groups = reader.groups(LaunchId(0));
    std::uint32_t reported = 0;
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      reported += added[thread];
      for (std::uint32_t i = 0; i < added[thread]; ++i)
        ASSERT_TRUE(std::binary_search(groups.begin(), groups.end(), WorkGroupId(i * kThreads + thread)))
            << "round " << round << ", thread " << thread << ", " << i;
    }
    EXPECT_GE(groups.size(), reported);
    EXPECT_LE(groups.size(), reported + kThreads);
    kept += groups.size();
  }
  munmap(shared, sizeof(Added));
  EXPECT_GT(kept, 1000u);
}

TEST(FinishPart, WhatIsCompleteIsNotPartial) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  in_child(path, folder.file("journal"), kGroups);
  finish_part(path, folder.file("journal"));
  expect_sample(path, kGroups);
}

TEST(FinishPart, DropsASectionThatWasOnItsWay) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  in_child(path, folder.file("journal"), 2);
  finish_part(path, folder.file("journal"));
  // As a file again: without index and footer, and with half a section at its end.
  const std::string whole = testing::read_file(path);
  const std::string sections = whole.substr(0, whole.find("INDX"));
  testing::write_file(path + ".part", sections + sections.substr(std::size_t{8}, 40));
  finish_part(path, "");
  expect_sample(path, 2);
  EXPECT_EQ(testing::read_file(path), whole);
}

TEST(FinishPart, AWriterDoesNotFinishAFileThatLostItsEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  CaptureWriter writer(path, {.options_text = "sample"});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
  writer.add_launch(testing::sample_launch(0, kGroups, 8));
  // Longer than what is collected, so in the file at once.
  std::vector<std::uint8_t> noise(100'000);
  Random random(1);
  for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>(random.below(256));
  writer.add_work_group(LaunchId(0), WorkGroupId(0), noise);
  std::filesystem::resize_file(path + ".part", std::filesystem::file_size(path + ".part") - 1);
  EXPECT_THROW(writer.finish(), InputError);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(FinishPart, LeavesNothingWithoutALaunch) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  testing::write_file(path + ".part", "WSCAPTUR");
  EXPECT_EQ(finish_part(path, "").file_bytes, 0u);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(FinishPart, RefusesDamageBeforeTheEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.wtrace");
  testing::write_sample_capture(path, 1);
  std::string bytes = testing::read_file(path);
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  testing::write_file(path + ".part", bytes.substr(0, bytes.find("INDX")));
  EXPECT_THROW(finish_part(path, ""), InputError);
  EXPECT_THROW(finish_part(folder.file("none"), ""), InputError);
}

TEST(FinishPart, NotesSayWhatIsNotInTheFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("a");
  testing::write_sample_capture(path, 1);
  const std::string hash = CaptureReader(path).hash();
  EXPECT_TRUE(CaptureReader(path).notes().is_null());
  const std::string bytes = testing::read_file(path);
  testing::write_file(path + ".part", bytes.substr(0, bytes.rfind("INDX")));
  const nlohmann::json notes = {{"not_traced", {{{"launches", 7}, {"why", "beyond --max-launches 2"}}}}};
  finish_part(path, "", notes);
  const CaptureReader reader(path);
  EXPECT_EQ(reader.notes(), notes);
  EXPECT_EQ(reader.hash(), hash) << "the launches are the same";
  EXPECT_FALSE(reader.is_partial());
  EXPECT_EQ(reader.read(LaunchId(1), WorkGroupId(3)).group, WorkGroupId(3));
}

TEST(LaunchJson, SharesOnlyWithAnEarlierLaunch) {
  const LaunchInfo first = testing::sample_launch(4, 2, 8);
  const auto json = to_json(testing::sample_launch(5, 2, 8), LaunchId(4));
  EXPECT_FALSE(json.contains("kernel"));
  EXPECT_EQ(launch_info_from_json(json, {&first, 1}).kernel->sites.size(), first.kernel->sites.size());
  EXPECT_THROW(launch_info_from_json(json), InputError);
  EXPECT_THROW(launch_info_from_json(to_json(testing::sample_launch(5, 2, 8), LaunchId(3)), {&first, 1}),
               InputError);
}

}  // namespace
}  // namespace warpscope
