// Work-groups that repeat an earlier one, moved: what is read is what was written, whoever wrote it in which order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <numeric>
#include <thread>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/capture/capture_finish.h"
#include "traces/capture/capture_format.h"
#include "traces/capture/reader.h"
#include "traces/capture/runs/launch_runs.h"
#include "traces/capture/runs/run_table.h"
#include "traces/capture/writer.h"

namespace warpscope::runs_test {
namespace {

using ::testing::HasSubstr;
using testing::Random;
using testing::TemporaryFolder;

constexpr std::uint32_t kLocal = 4;

/// Each work-item loads once at `load` and stores at `store`, which is in another buffer; a work-item that `is_off` does nothing.
std::vector<std::uint8_t> group_at(std::uint32_t group, std::uint64_t load, std::uint64_t store,
                                   const std::function<bool(std::uint32_t)>& is_off = {}) {
  testing::TraceBuilder builder(0, group, kLocal);
  for (std::uint32_t item = 0; item < kLocal; ++item) {
    const bool off = is_off && is_off(item);
    std::vector<std::vector<std::uint64_t>> locations(5);
    if (!off) locations[0] = {BufferAddr(BufferId(1), load + 4 * item).key()};
    if (!off) locations[1] = {BufferAddr(BufferId(2), store + 4 * item).key()};
    builder.item({off, false}, locations);
  }
  return encode(builder.trace());
}

using PayloadOf = std::function<std::vector<std::uint8_t>(std::uint32_t group)>;

struct Pattern {
  std::string name;
  std::uint32_t groups = 0;
  std::uint64_t most_bytes = 0;  ///< of all work-groups in the file
  PayloadOf payload;
};

std::vector<std::uint8_t> random_group(std::uint32_t group) {
  Random random(group);
  return encode(testing::random_trace(random, 0, group, kLocal));
}

// Rows of `width` work-groups; buffers have other pitches.
std::vector<std::uint8_t> in_rows(std::uint32_t group, std::uint32_t width) {
  const std::uint64_t x = group % width, y = group / width;
  return group_at(group, 16 * x + 4096 * y, 32 * x + 12000 * y);
}

const std::vector<Pattern>& patterns() {
  const auto half = [](std::uint32_t item) { return item >= 2; };
  static const std::vector<Pattern> kPatterns = {
      {"one dimension", 1500, 400, [](std::uint32_t g) { return group_at(g, 16 * g, 32 * g); }},
      {"nothing moves", 1500, 400, [](std::uint32_t g) { return group_at(g, 64, 128); }},
      {"backwards", 1500, 400, [](std::uint32_t g) { return group_at(g, 16 * (1500 - g), 8 * g); }},
      {"rows of 100", 1500, 900, [](std::uint32_t g) { return in_rows(g, 100); }},
      {"rows of 2", 1500, 1500, [](std::uint32_t g) { return in_rows(g, 2); }},
      {"a tail", 1500, 700,
       [=](std::uint32_t g) {
         return g == 1499 ? group_at(g, 16 * g, 32 * g, half) : group_at(g, 16 * g, 32 * g);
       }},
      {"a border in each row", 1400, 1500,
       [=](std::uint32_t g) { return g % 7 == 6 ? group_at(g, 16 * g, 32 * g, half) : in_rows(g, 7); }},
      {"two kinds in turn", 1500, 1500,
       [=](std::uint32_t g) {
         return g % 2 == 0 ? group_at(g, 16 * g, 0, half) : group_at(g, 16 * g, 32 * g);
       }},
      {"other lengths of codes", 1500, 1500,
       [](std::uint32_t g) { return group_at(g, (std::uint64_t{g} << 25), 4 * g); }},
      {"every second one differs", 300, 100'000,
       [](std::uint32_t g) { return g % 2 == 0 ? group_at(g, 16 * g, 32 * g) : random_group(g); }},
      {"drawn locations", 500, 12'000,
       [](std::uint32_t g) {
         Random random(g);
         return group_at(g, 4 * random.below(1 << 20), 4 * random.below(1 << 20));
       }},
      {"all different", 200, 50'000, random_group},
      {"few work-groups", 63, 6000, [](std::uint32_t g) { return group_at(g, 16 * g, 32 * g); }},
  };
  return kPatterns;
}

/// Writes the work-groups in these orders, one thread for each.
void write_groups(const std::string& path, std::uint32_t groups, const PayloadOf& payload,
                  const std::vector<std::vector<std::uint32_t>>& orders) {
  CaptureWriter writer(path, {.options_text = "runs"});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
  writer.add_launch(testing::sample_launch(0, groups, kLocal));
  std::vector<std::thread> threads;
  for (const auto& order : orders)
    threads.emplace_back([&] {
      for (const std::uint32_t group : order)
        writer.add_work_group(LaunchId(0), WorkGroupId(group), payload(group));
    });
  for (std::thread& thread : threads) thread.join();
  writer.finish();
}

std::vector<std::uint32_t> up_to(std::uint32_t groups) {
  std::vector<std::uint32_t> order(groups);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

/// Pieces of 37 work-groups, dealt out.
std::vector<std::vector<std::uint32_t>> dealt(std::uint32_t groups, std::uint32_t threads) {
  std::vector<std::vector<std::uint32_t>> orders(threads);
  for (std::uint32_t group = 0; group < groups; ++group) orders[group / 37 % threads].push_back(group);
  return orders;
}

void expect_groups(const CaptureReader& reader, const std::vector<std::uint32_t>& groups,
                   const PayloadOf& payload) {
  ASSERT_EQ(reader.groups(LaunchId(0)).size(), groups.size());
  for (std::size_t at = 0; at < groups.size(); ++at) {
    const WorkGroupId group(groups[at]);
    ASSERT_EQ(reader.groups(LaunchId(0))[at], group);
    ASSERT_EQ(encode(reader.read(LaunchId(0), group)), payload(group.value())) << group.value();
  }
}

std::uint64_t bytes_of_groups(const std::string& path, std::uint32_t groups) {
  TemporaryFolder folder;
  CaptureWriter writer(folder.file("empty"), {.options_text = "runs"});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
  writer.add_launch(testing::sample_launch(0, groups, kLocal));
  writer.finish();
  return std::filesystem::file_size(path) - std::filesystem::file_size(folder.file("empty"));
}

TEST(Runs, WhatIsReadIsWhatWasWritten) {
  for (const Pattern& pattern : patterns()) {
    SCOPED_TRACE(pattern.name);
    TemporaryFolder folder;
    write_groups(folder.file("a"), pattern.groups, pattern.payload, {up_to(pattern.groups)});
    expect_groups(CaptureReader(folder.file("a")), up_to(pattern.groups), pattern.payload);
    EXPECT_LE(bytes_of_groups(folder.file("a"), pattern.groups), pattern.most_bytes);
  }
}

TEST(Runs, TheFileDoesNotDependOnTheOrder) {
  for (const Pattern& pattern : patterns()) {
    SCOPED_TRACE(pattern.name);
    TemporaryFolder folder;
    write_groups(folder.file("a"), pattern.groups, pattern.payload, {up_to(pattern.groups)});
    const std::string expected = testing::read_file(folder.file("a"));
    std::vector<std::uint32_t> order = up_to(pattern.groups);
    std::ranges::reverse(order);
    write_groups(folder.file("b"), pattern.groups, pattern.payload, {order});
    EXPECT_TRUE(testing::read_file(folder.file("b")) == expected) << "backwards";
    Random random(7);
    for (std::size_t at = order.size(); at > 1; --at) std::swap(order[at - 1], order[random.below(at)]);
    write_groups(folder.file("b"), pattern.groups, pattern.payload, {order});
    EXPECT_TRUE(testing::read_file(folder.file("b")) == expected) << "drawn";
    write_groups(folder.file("b"), pattern.groups, pattern.payload, dealt(pattern.groups, 3));
    EXPECT_TRUE(testing::read_file(folder.file("b")) == expected) << "three threads";
  }
}

TEST(Runs, ManyRepeatedWorkGroupsTakeNoMoreThanAFew) {
  TemporaryFolder folder;
  const auto payload = [](std::uint32_t group) {
    testing::TraceBuilder one(0, group, 1);
    one.item(
        {false, false},
        {{BufferAddr(BufferId(1), 4 * group).key()}, {BufferAddr(BufferId(2), 4 * group).key()}, {}, {}, {}});
    return encode(one.trace());
  };
  constexpr std::uint32_t kMany = 1 << 17;
  CaptureWriter writer(folder.file("a"), {.options_text = ""});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
  writer.add_launch(testing::sample_launch(0, kMany, 1));
  for (std::uint32_t group = 0; group < kMany; ++group)
    writer.add_work_group(LaunchId(0), WorkGroupId(group), payload(group));
  EXPECT_LT(writer.bytes_written(), 2 * kMany) << "as it is recorded";
  writer.finish();
  EXPECT_LT(std::filesystem::file_size(folder.file("a")), 3000u);
  const CaptureReader reader(folder.file("a"));
  for (const std::uint32_t group : {0u, 1u, kMany / 2, kMany - 1})
    EXPECT_EQ(encode(reader.read(LaunchId(0), WorkGroupId(group))), payload(group));
}

TEST(Runs, WhatAKilledProcessRecordedIsKept) {
  for (const Pattern& pattern : patterns()) {
    SCOPED_TRACE(pattern.name);
    TemporaryFolder folder;
    const std::string path = folder.file("a");
    const std::uint32_t half = pattern.groups / 2;
    const pid_t child = fork();
    if (child == 0) {
      auto* writer = new CaptureWriter(path, {.options_text = "runs", .journal = folder.file("journal")});
      for (const BufferInfo& buffer : testing::sample_buffers()) writer->add_buffer(buffer);
      writer->add_launch(testing::sample_launch(0, pattern.groups, kLocal));
      for (std::uint32_t group = 0; group < half; ++group)
        writer->add_work_group(LaunchId(0), WorkGroupId(group), pattern.payload(group));
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(finish_part(path, folder.file("journal")).work_groups.front().second, half);
    expect_groups(CaptureReader(path), up_to(half), pattern.payload);
  }
}

TEST(Runs, AnUnfinishedFileIsReadInPart) {
  for (const Pattern& pattern : patterns()) {
    SCOPED_TRACE(pattern.name);
    TemporaryFolder folder;
    const std::string path = folder.file("a");
    {
      CaptureWriter writer(path, {.options_text = "runs"});
      for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
      writer.add_launch(testing::sample_launch(0, pattern.groups, kLocal));
      for (const auto& order : dealt(pattern.groups, 2))
        for (const std::uint32_t group : order)
          writer.add_work_group(LaunchId(0), WorkGroupId(group), pattern.payload(group));
    }
    expect_groups(CaptureReader(path + ".part", true), up_to(pattern.groups), pattern.payload);
  }
}

// Work-group g of the vector addition loads a[g] and b[g], and stores c[g].
void expect_vector_addition(const CaptureReader& reader, std::uint64_t version) {
  EXPECT_EQ(reader.file_header().at("version"), version);
  EXPECT_FALSE(reader.is_partial());
  ASSERT_EQ(reader.groups(LaunchId(0)).size(), 100u);
  for (std::uint32_t group = 0; group < 100; ++group) {
    const WorkGroupTrace trace = reader.read(LaunchId(0), WorkGroupId(group));
    ASSERT_EQ(trace.columns.size(), 3u);
    for (std::uint32_t site = 0; site < 3; ++site)
      EXPECT_EQ(trace.columns[site].first[0], BufferAddr(BufferId(site + 1), 4 * group).key());
  }
}

TEST(Runs, VersionOneIsReadAndMigrates) {
  const CaptureReader old(WARPSCOPE_SOURCE_DIR "/tests/unit/traces/data/vadd_version_1");
  expect_vector_addition(old, 1);
  TemporaryFolder folder;
  {
    CaptureWriter writer(folder.file("a"), {.options_text = "migrated"});
    for (const BufferInfo& buffer : old.buffers()) writer.add_buffer(buffer);
    writer.add_launch(old.launches()[0]);
    for (const WorkGroupId group : old.groups(LaunchId(0)))
      writer.add_work_group(LaunchId(0), group, encode(old.read(LaunchId(0), group)));
    writer.finish();
  }
  expect_vector_addition(CaptureReader(folder.file("a")), 2);
}

/// A capture of 100 work-groups, the first of which is repeated as `table` says.
std::string with_runs(const std::string& path, const RunTable& table) {
  write_groups(path, 100, [](std::uint32_t g) { return group_at(g, 16 * g, 32 * g); }, {{0}});
  std::string file = testing::read_file(path);
  const auto index_at =
      load_le<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(file.data()) + file.size() - 16);
  SectionEncoder encoder;
  const auto section = encoder.encode(kRunsTag, LaunchId(0), 1, encode(table));
  const std::string text(section.begin(), section.end());
  std::string tail = file.substr(index_at);
  store_le(reinterpret_cast<std::uint8_t*>(tail.data()) + tail.size() - 16, index_at + text.size());
  testing::write_file(path, file.substr(0, index_at) + text + tail);
  return path;
}

std::string refusal(const RunTable& table) {
  TemporaryFolder folder;
  try {
    const CaptureReader reader(with_runs(folder.file("a"), table));
    for (const WorkGroupId group : reader.groups(LaunchId(0)))
      static_cast<void>(reader.read(LaunchId(0), group));
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

RunTable table_of(WorkGroupId record, const std::vector<GroupRun>& runs, std::size_t numbers = 2) {
  RunTable table;
  table.forms = {{record, static_cast<std::uint32_t>(numbers)}};
  std::vector<std::uint64_t> first(numbers, std::uint64_t{1} << 42);
  const std::vector<std::uint64_t> deltas(numbers, 64);
  for (const GroupRun& run : runs) table.add(run, first, deltas);
  return table;
}

TEST(Runs, WhatCannotBeIsRefused) {
  const WorkGroupId record(0);
  EXPECT_EQ(refusal(table_of(record, {{0, 1, 1, 99}})), "");
  EXPECT_THAT(refusal(table_of(record, {{0, 1, 1, 100}})),
              HasSubstr("work-group 100 is outside the 100 of the launch"));
  EXPECT_THAT(refusal(table_of(record, {{0, 1, 1, ~0u - 1}})), HasSubstr("outside the 100 of the launch"));
  EXPECT_THAT(refusal(table_of(record, {{0, 1, 2, 10}, {0, 2, 2, 10}})),
              HasSubstr("is not in ascending order"));
  EXPECT_THAT(refusal(table_of(record, {{0, 0, 1, 10}})), HasSubstr("work-group 0 is there twice"));
  EXPECT_THAT(refusal(table_of(WorkGroupId(7), {{0, 1, 1, 10}})),
              HasSubstr("work-group 7 of launch 0, which is repeated, is not in the file"));
  EXPECT_THAT(refusal(table_of(record, {{0, 1, 1, 10}}, 3)), HasSubstr("has another count of numbers"));
  RunTable far = table_of(record, {{0, 1, 1, 10}});
  far.numbers[0] = std::uint64_t{1} << 60;
  EXPECT_THAT(refusal(far), HasSubstr("begins at a location that its form cannot have"));
}

// Readers hold 4 bytes for each work-group.
TEST(Runs, LaunchesThatAreTooLargeForThemAreRefused) {
  RunTable table;
  table.forms = {{WorkGroupId(0), 0}};
  table.add({0, 1, 1, 100}, {}, {});
  LaunchRuns runs;
  runs.add(64, 40, table, std::uint64_t{1} << 27);
  try {
    LaunchRuns().add(64, 40, table, (std::uint64_t{1} << 27) + 1);
    FAIL() << "expected a refusal";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a launch of 134217729 work-groups has some, expected at most 134217728");
  }
}

TEST(Runs, DamagedPayloadsAreRefused) {
  const std::vector<std::uint8_t> good = encode(table_of(WorkGroupId(0), {{0, 1, 1, 99}}));
  EXPECT_EQ(groups_in_runs(good), 99u);
  for (std::size_t size = 0; size < good.size(); ++size)
    if (size != 3) {  // what begins with its forms alone has no runs
      EXPECT_THROW(decode_runs(std::span(good).first(size)), InputError) << size;
    }
  // 2^60 work-groups, and a run that goes beyond the last number.
  EXPECT_THROW(decode_runs(std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                                     0x80, 0x10, 0}),
               InputError);
  EXPECT_THROW(decode_runs(std::vector<std::uint8_t>{1, 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0x0f, 0}),
               InputError);
  EXPECT_THROW(decode_runs(std::vector<std::uint8_t>(RunTable::kMostBytes + 1)), InputError);
}

}  // namespace
}  // namespace warpscope::runs_test
