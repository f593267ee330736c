#include "wrapper/recording/recorder.h"

#include <gmock/gmock.h>

#include "recorder_support.h"

namespace warpscope {
namespace {

using namespace testing_support;
using testing::ElementsAre;

constexpr std::uint64_t kBase = 0x7f0000001000;

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    kernel.name = "k";
    kernel.arguments = {{"A", "__global float*", AddressSpace::Global, true}};
    kernel.sites = {site(AccessKind::Load), site(AccessKind::Barrier), site(AccessKind::Store)};
    setup.kernel = &kernel;
    setup.local = {2, 1, 1};
    setup.arguments = {{BufferId(1), 4096, AddressSpace::Global}};
  }

  static void begin(std::uint32_t item, std::uint64_t group = 0) {
    table().begin(item, group, 0, 0);
    table().object(0, 0, kBase, item);
  }
  static std::uint64_t key(std::uint64_t offset) { return BufferAddr(BufferId(1), offset).key(); }

  KernelInfo kernel;
  RecorderSetup setup;
  MemorySink sink;
};

TEST_F(RecorderTest, JoinsThePiecesBetweenBarriers) {
  Recorder recorder(setup, sink);
  for (std::uint32_t item = 0; item < 2; ++item) {
    begin(item);
    for (std::uint64_t k = 0; k < 3; ++k) table().access(kBase + 4 * k + 100 * item, 0, item);
    table().sync(1, item);
  }
  for (std::uint32_t item = 0; item < 2; ++item) {
    table().access(kBase + 12 + 100 * item, 0, item);
    table().access(kBase + 400 + 4 * item, 2, item);
    table().end(item);
  }
  recorder.check();
  const WorkGroupTrace trace = decoded(sink, 0, kernel);
  EXPECT_THAT(locations(trace, 0, 0), ElementsAre(key(0), key(4), key(8), key(12)));
  EXPECT_THAT(locations(trace, 1, 0), ElementsAre(key(100), key(104), key(108), key(112)));
  EXPECT_THAT(locations(trace, 1, 2), ElementsAre(key(404)));
  EXPECT_EQ(trace.columns[0].shapes.size(), 1u) << "equal shapes are shared";
  EXPECT_THAT(trace.columns[0].shapes[0], ElementsAre(DeltaRun{4, 3}));
  ASSERT_EQ(trace.paths.size(), 1u);
  EXPECT_THAT(trace.paths[0].site_counts, ElementsAre(4, 1, 1));
}

TEST_F(RecorderTest, StoresOutcomesInTheOrderExecuted) {
  Recorder recorder(setup, sink);
  begin(0);
  std::vector<bool> expected;
  for (int round = 0; round < 100; ++round) {
    table().branch(round % 3 == 0 ? 1 : 0, 1, 0);
    expected.push_back(round % 3 == 0);
    table().branch(5, 3, 0);  // a switch with up to eight successors: 101, least significant bit first
    expected.insert(expected.end(), {true, false, true});
  }
  table().end(0);
  begin(1);
  table().end(1);
  const WorkGroupTrace trace = decoded(sink, 0, kernel);
  EXPECT_EQ(outcomes(trace, 0), expected);
  EXPECT_TRUE(outcomes(trace, 1).empty());
}

TEST_F(RecorderTest, KeepsMemoryIndependentOfTheNumberOfAccesses) {
  const auto peak = [&](std::uint64_t accesses) {
    Recorder recorder(setup, sink);
    for (std::uint32_t item = 0; item < 2; ++item) {
      begin(item);
      for (std::uint64_t k = 0; k < accesses; ++k) {
        table().access(kBase + 8, 0, item);
        if (k % 64 == 0) table().branch(1, 1, item);
      }
      table().end(item);
    }
    return recorder.totals().peak_memory_bytes;
  };
  EXPECT_LT(peak(4'000'000), peak(1000) + 100'000);
}

TEST_F(RecorderTest, ReportsAccessesOutsideOfEveryObject) {
  Recorder recorder(setup, sink);
  begin(0);
  table().access(kBase + 4088, 0, 0);
  table().access(kBase + 4092, 0, 0);
  table().access(kBase + 4096, 0, 0);
  table().access(kBase + 4100, 0, 0);
  table().access(kBase, 0, 0);
  table().end(0);
  begin(1);
  for (std::uint64_t k = 0; k < 5; ++k) table().access(kBase + 4 * k, 0, 1);
  table().end(1);
  recorder.check();
  const WorkGroupTrace trace = decoded(sink, 0, kernel);
  EXPECT_THAT(locations(trace, 1, 0), ElementsAre(key(0), key(4), key(8), key(12), key(16)));
  EXPECT_THAT(locations(trace, 0, 0), ElementsAre(key(4088), key(4092), 0, 0, key(0)));
  EXPECT_EQ(recorder.totals().sites[0].out_of_bounds, 2u);
  EXPECT_EQ(recorder.totals().sites[0].first_out_of_bounds, 0u);
  EXPECT_EQ(recorder.totals().sites[0].executions, 10u);
}

TEST_F(RecorderTest, LinearisesGroupIds) {
  setup.groups = {3, 2, 2};
  setup.local = {1, 1, 1};
  Recorder recorder(setup, sink);
  for (std::uint64_t z = 0; z < 2; ++z)
    for (std::uint64_t y = 0; y < 2; ++y)
      for (std::uint64_t x = 0; x < 3; ++x) {
        table().begin(0, x, y, z);
        table().object(0, 0, kBase, 0);
        table().access(kBase + 4 * (x + 10 * y + 100 * z), 0, 0);
        table().end(0);
      }
  recorder.check();
  EXPECT_THAT(locations(decoded(sink, 2 + 3 * (1 + 2 * 1), kernel), 0, 0), ElementsAre(key(4 * 112)));
}

TEST_F(RecorderTest, RecordsChosenWorkGroupsOnly) {
  setup.groups = {5, 1, 1};
  setup.local = {1, 1, 1};
  setup.selection = GroupSelection::parse("1,3-4");
  Recorder recorder(setup, sink);
  EXPECT_EQ(recorder.work_groups_expected(), 3u);
  for (std::uint64_t group = 0; group < 5; ++group) {
    table().begin(0, group, 0, 0);
    table().object(0, 0, 0x1000, 0);
    table().access(0x1000 + 4 * group, 0, 0);
    table().end(0);
  }
  recorder.check();
  EXPECT_EQ(recorder.totals().sites[0].executions, 3u);
  ASSERT_EQ(sink.payloads.size(), 3u);
  for (const std::uint32_t group : {1u, 3u, 4u})
    EXPECT_EQ(locations(decoded(sink, group, kernel), 0, 0)[0], BufferAddr(BufferId(1), 4 * group).key());
  EXPECT_EQ(recorder.argument_addresses(), (std::vector<std::uint64_t>{0x1000}));
}

TEST_F(RecorderTest, KeepsTheOrderOfSitesOnRequest) {
  setup.record_order = true;
  Recorder recorder(setup, sink);
  for (std::uint32_t item = 0; item < 2; ++item) {
    begin(item);
    table().access(kBase, 2, item);
    table().sync(1, item);
    table().access(kBase, 0, item);
    table().end(item);
  }
  const WorkGroupTrace trace = decoded(sink, 0, kernel);
  ASSERT_EQ(trace.recorded_order.size(), 2u);
  EXPECT_THAT(trace.recorded_order[1], ElementsAre(SiteId(2), SiteId(1), SiteId(0)));
}

TEST_F(RecorderTest, HandsOnWhatGoesWrongInTheSink) {
  sink.failure = "disk full";
  setup.groups = {2, 1, 1};
  Recorder recorder(setup, sink);
  for (std::uint64_t group = 0; group < 2; ++group)
    for (std::uint32_t item = 0; item < 2; ++item) {
      begin(item, group);
      table().end(item);
    }
  EXPECT_TRUE(recorder.wait(std::chrono::milliseconds(0)));
  EXPECT_THROW(recorder.check(), InputError);
  EXPECT_EQ(recorder.work_groups_done(), 0u);
}

TEST_F(RecorderTest, NoticesWorkItemsThatNeverEnd) {
  Recorder recorder(setup, sink);
  begin(0);
  begin(1);
  table().end(0);
  EXPECT_FALSE(recorder.wait(std::chrono::milliseconds(1)));
  EXPECT_THROW(recorder.check(), std::logic_error);
}

TEST_F(RecorderTest, NoticesEqualBranchesWithOtherCounts) {
  Recorder recorder(setup, sink);
  begin(0);
  table().access(kBase, 0, 0);
  table().end(0);
  begin(1);
  table().end(1);
  EXPECT_THROW(recorder.check(), std::logic_error);
}

TEST_F(RecorderTest, IsOnlyOneAtATimeAndIdleAfterwards) {
  {
    Recorder recorder(setup, sink);
    EXPECT_THROW(Recorder(setup, sink), std::logic_error);
  }
  begin(0);
  table().access(kBase, 0, 0);
  table().end(0);
  EXPECT_TRUE(sink.payloads.empty());
}

}  // namespace
}  // namespace warpscope
