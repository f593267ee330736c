// Work-groups that other threads finish are those that the executing thread finishes itself.
#include "wrapper/machine/group_finisher.h"

#include <algorithm>

#include "recorder_support.h"
#include "tests/unit/random.h"

namespace warpscope {
namespace {

using namespace testing_support;

constexpr std::uint32_t kFinisherItems = 64;
constexpr std::uint64_t kFinisherBase = 0x10000, kFinisherBytes = 1 << 16;

class GroupFinishing : public ::testing::Test {
 protected:
  GroupFinishing() {
    kernel_.sites = {site(AccessKind::Load), site(AccessKind::Barrier), site(AccessKind::Store)};
    setup_.kernel = &kernel_;
    setup_.local = {kFinisherItems, 1, 1};
    setup_.arguments.push_back({BufferId(1), kFinisherBytes, AddressSpace::Global});
  }

  /// Accesses of one work-group: regular ones, and such as are different in each.
  static void perform(std::uint32_t group) {
    warpscope::testing::Random random(group + 1);
    for (std::uint32_t round = 0; round < 20 + group % 7; ++round)
      for (std::uint32_t item = 0; item < kFinisherItems; ++item) {
        const bool is_random = group % 3 == 0;
        table().access(kFinisherBase + (is_random ? random.below(kFinisherBytes / 4) * 4
                                                  : (item + round * kFinisherItems) * 4),
                       0, item);
        table().branch(1, 1, item);
      }
    for (std::uint32_t item = 0; item < kFinisherItems; ++item) {
      table().sync(1, item);
      table().access(kFinisherBase + item * 4, 2, item);
    }
  }

  static void begin(GroupFinisher& finisher, std::uint32_t group) {
    finisher.begin();
    table().begin(0, group, 0, 0);
    table().object(0, 0, kFinisherBase, WARPSCOPE_ALL_ITEMS);
  }

  /// Payloads of so many work-groups, and the totals.
  RecorderTotals record(std::uint32_t groups, unsigned threads, MemorySink& sink) {
    setup_.groups = {groups, 1, 1};
    Recorder recorder(setup_, sink);
    {
      GroupFinisher finisher(threads);
      for (std::uint32_t group = 0; group < groups; ++group) {
        begin(finisher, group);
        perform(group);
        finisher.end();
      }
    }
    recorder.check();
    return recorder.totals();
  }

  KernelInfo kernel_;
  RecorderSetup setup_;
};

TEST_F(GroupFinishing, EveryNumberOfThreadsGivesTheSame) {
  constexpr std::uint32_t kGroups = 300;
  MemorySink alone;
  const RecorderTotals expected = record(kGroups, 0, alone);
  EXPECT_EQ(alone.payloads.size(), kGroups);
  // By hand: 20 + group % 7 rounds, 42 times 0 to 6 and 0 to 5 once more.
  EXPECT_EQ(expected.sites[0].executions, kFinisherItems * (20 * kGroups + 42 * 21 + 15));
  for (const unsigned threads : {1U, 2U, 6U}) {
    MemorySink sink;
    const RecorderTotals totals = record(kGroups, threads, sink);
    EXPECT_EQ(sink.payloads, alone.payloads) << threads;
    EXPECT_EQ(totals.work_groups, kGroups);
    for (std::size_t number = 0; number < kernel_.sites.size(); ++number)
      EXPECT_EQ(totals.sites[number].executions, expected.sites[number].executions);
  }
}

// Work-groups that wait for each other end in another order than they began.
TEST_F(GroupFinishing, GroupsTakeTurns) {
  constexpr std::uint32_t kGroups = 40, kAtOnce = 5;
  MemorySink alone, sink;
  record(kGroups, 0, alone);
  for (const unsigned threads : {0U, 3U}) {
    Recorder recorder(setup_, sink);
    {
      GroupFinisher finisher(threads);
      for (std::uint32_t first = 0; first < kGroups; first += kAtOnce) {
        std::vector<void*> apart;
        for (std::uint32_t group = first; group < first + kAtOnce; ++group) {
          begin(finisher, group);
          apart.push_back(table().leave());
        }
        for (std::uint32_t group = first + kAtOnce; group-- > first;) {
          table().enter(apart[group - first]);
          perform(group);
          finisher.end();
        }
      }
    }
    recorder.check();
    EXPECT_EQ(sink.payloads, alone.payloads) << threads;
  }
}

// What is on its way is bounded, and so are the recordings that are made: one of each work-group would be 2,000.
TEST_F(GroupFinishing, RecordingsAreUsedAgain) {
  constexpr std::uint32_t kGroups = 2000;
  MemorySink alone, sink;
  setup_.group_memory = 1;  // of a recording as little as there can be
  const std::uint64_t one = record(1, 0, alone).peak_memory_bytes;
  const std::uint64_t peak = record(kGroups, 2, sink).peak_memory_bytes;
  EXPECT_LT(peak, one * 10 * (2 * GroupFinisher::kMostPerThread + 2));
}

TEST_F(GroupFinishing, AFailureOfTheSinkIsReported) {
  MemorySink sink;
  sink.failure = "the disk is full";
  EXPECT_THROW(record(50, 2, sink), InputError);
}

}  // namespace
}  // namespace warpscope
