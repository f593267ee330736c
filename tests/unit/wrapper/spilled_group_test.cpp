// Work-groups with more records than the memory should hold. That they are encoded as others are is in
// recorder_property_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "recorder_support.h"
#include "tests/unit/random.h"
#include "tests/unit/temporary_folder.h"
#include "wrapper/recording/spill/held_groups.h"
#include "wrapper/recording/spill/sorted_records.h"

namespace warpscope {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SortedRecords, AreReadByKeyInTheOrderOfEach) {
  SortedRecords records(5);
  const std::vector<SortedRecords::Record> first = {{7, 3, 1}, {~std::uint64_t{0}, 1, 2}, {8, 3, 9}};
  const std::vector<SortedRecords::Record> second = {{1, 4, 1}, {9, 3, 300}};
  records.add(first);
  records.add({});
  records.add(second);
  SortedRecords::Cursor cursor(records);
  const auto read = [&](std::uint32_t key) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
    cursor.visit(key, [&](std::uint64_t value, std::uint64_t repeat) { result.emplace_back(value, repeat); });
    return result;
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_THAT(read(0), ElementsAre());
  EXPECT_THAT(read(3), ElementsAre(Pair(7, 1), Pair(8, 9), Pair(9, 300)));  // 1 is passed over
  EXPECT_THAT(read(4), ElementsAre(Pair(1, 1)));
}

/// What a sink was given, one line each: group, part, bytes, the first of them.
class Lines : public WorkGroupSink {
 public:
  void add(LaunchId, WorkGroupId group, std::span<const std::uint8_t> payload) override {
    lines.push_back(
        fmt::format("{}: {} of {}", group.value(), payload.size(), payload.empty() ? 0 : payload[0]));
  }
  void add_part(LaunchId, WorkGroupId group, std::uint32_t part,
                std::span<const std::uint8_t> bytes) override {
    lines.push_back(fmt::format("{}.{}: {} of {}", group.value(), part, bytes.size(), bytes[0]));
  }
  void end_parts(LaunchId, WorkGroupId group) override {
    lines.push_back(fmt::format("{} ends", group.value()));
  }
  std::vector<std::string> lines;
};

TEST(HeldGroups, AreHandedOnInOrderWhetherInMemoryOrInAFile) {
  HeldGroups held;
  const std::vector<std::uint8_t> large(3 << 20, 4), small(5, 7), medium(700'000, 2), one(1, 9);
  const LaunchId launch(0);
  held.add(launch, WorkGroupId(4), large);
  held.add_part(launch, WorkGroupId(2), 0, medium);
  held.add(launch, WorkGroupId(1), {});
  held.add_part(launch, WorkGroupId(2), 1, one);
  held.add(launch, WorkGroupId(0), small);
  held.end_parts(launch, WorkGroupId(2));
  Lines sink;
  held.hand_on(sink);
  EXPECT_THAT(sink.lines, ElementsAre("0: 5 of 7", "1: 0 of 0", "2.0: 700000 of 2", "2.1: 1 of 9", "2 ends",
                                      "4: 3145728 of 4"));
}

/// Four work-items, each of which loads `count` times.
class Irregular {
 public:
  Irregular() {
    kernel.sites = {site(AccessKind::Load)};
    setup.kernel = &kernel;
    setup.groups = {2, 1, 1};
    setup.local = {4, 1, 1};
    setup.arguments = {{BufferId(1), 1 << 20, AddressSpace::Global}};
  }
  static std::vector<std::uint64_t> addresses(int count) {
    testing::Random random(3);
    std::vector<std::uint64_t> result;
    for (int k = 0; k < count; ++k) result.push_back(0x10000 + 4 * random.below(1 << 12));
    return result;
  }
  static void run_by_item(std::uint64_t group, int count = 3000) {
    const std::vector<std::uint64_t> places = addresses(count);
    for (std::uint32_t item = 0; item < 4; ++item) {
      table().begin(item, group, 0, 0);
      table().object(0, 0, 0x10000, item);
      for (const std::uint64_t address : places) table().access(address + 16 * item, 0, item);
      table().end(item);
    }
  }
  /// All work-items are in one box, or those of which `is_cut` says so are in the second of two.
  static void run_by_box(std::uint64_t group, bool is_cut) {
    table().begin_boxes(group, 0, 0);
    table().object(0, 0, 0x10000, WARPSCOPE_ALL_ITEMS);
    for (std::uint64_t at = 0; (at = table().next_box()) != ~std::uint64_t{0};) {
      const bool is_whole = table().box_reach() == 3;
      const std::array<std::int64_t, 2> sites = {0, 0};
      for (const std::uint64_t address : addresses(3000)) {
        const std::uint64_t base = address + 16 * at;
        table().box_accesses(base, 16, 0, 0, sites.data(), 1);
      }
      table().end_box(is_cut && is_whole ? WARPSCOPE_VIOLATED : 0);
    }
    table().end_boxes();
  }

  KernelInfo kernel;
  RecorderSetup setup;
};

TEST(SpilledGroup, BoxesAreEncodedAsTheirWorkItems) {
  Irregular irregular;
  MemorySink by_item, whole, cut;
  {
    Recorder recorder(irregular.setup, by_item);
    for (const std::uint64_t group : {0u, 1u}) Irregular::run_by_item(group);
    recorder.check();
  }
  irregular.setup.group_memory = 1;
  for (const bool is_cut : {false, true}) {
    Recorder recorder(irregular.setup, is_cut ? cut : whole);
    for (const std::uint64_t group : {0u, 1u}) Irregular::run_by_box(group, is_cut);
    recorder.check();
    EXPECT_EQ(recorder.totals().sites[0].executions, 2u * 4 * 3000);
  }
  EXPECT_EQ(whole.payloads, by_item.payloads);
  EXPECT_EQ(cut.payloads, by_item.payloads);
}

TEST(SpilledGroup, KeepsTheRecordedOrder) {
  Irregular irregular;
  irregular.setup.record_order = true;
  MemorySink sinks[2];
  for (const bool is_limited : {false, true}) {
    if (is_limited) irregular.setup.group_memory = 1;
    Recorder recorder(irregular.setup, sinks[is_limited ? 1 : 0]);
    for (const std::uint64_t group : {0u, 1u}) Irregular::run_by_item(group);
    recorder.check();
  }
  EXPECT_EQ(sinks[1].payloads, sinks[0].payloads);
}

TEST(SpilledGroup, WithoutATemporaryFileItIsLeftOutByName) {
  const TemporaryFolder folder;
  const char* const before = std::getenv("TMPDIR");
  const std::string old = before != nullptr ? before : "";
  ::setenv("TMPDIR", folder.file("missing").c_str(), 1);
  Irregular irregular;
  irregular.setup.group_memory = 1;
  MemorySink sink;
  {
    Recorder recorder(irregular.setup, sink);
    for (const std::uint64_t group : {0u, 1u}) Irregular::run_by_item(group, 100000);
    recorder.check();
    EXPECT_EQ(recorder.totals().left_out, 2u);
    EXPECT_THAT(left_out_report(recorder.totals()), HasSubstr("work-group 0 is not recorded: "));
    EXPECT_THAT(left_out_report(recorder.totals()), HasSubstr("missing"));
  }
  if (before != nullptr)
    ::setenv("TMPDIR", old.c_str(), 1);
  else
    ::unsetenv("TMPDIR");
  EXPECT_TRUE(sink.payloads.empty());
}

TEST(SpilledGroup, AFailureOfTheSinkEndsTheLaunch) {
  Irregular irregular;
  irregular.setup.group_memory = 1;
  MemorySink sink;
  sink.failure = "disk full";
  Recorder recorder(irregular.setup, sink);
  Irregular::run_by_item(0);
  EXPECT_THROW(recorder.check(), InputError);
  EXPECT_EQ(recorder.totals().left_out, 0u);
}

}  // namespace
}  // namespace warpscope
