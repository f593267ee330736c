// The memory queues of an RTX A6000's schedulers: R. Huerta et al., MICRO 2025, table 1.
#include "tests/unit/timed/listing.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;

/// Eight loads in a row that wait for nothing, of one warp a scheduler. A load takes the core's unit for two cycles.
LaunchTiming eight_loads(std::uint32_t warps, std::uint32_t entries, std::uint32_t schedulers = 4) {
  TimedConfig config = machine_config();
  config.issue.schedulers = schedulers;
  config.issue.machine.memory_queue_entries = entries;
  config.l1.lanes_per_cycle = 16;
  config.l1.tags_per_cycle = 4;
  config.l1.data_bytes_per_cycle = 128;
  Listing listing;
  std::vector<Line> lines(8, Line{"LDG.E R0, [R2]", "memory", 1});
  lines.push_back(kExit);
  listing.block(lines);
  for (std::uint32_t at = 0; at < 8; ++at) listing.site(0, at, AccessKind::Load);
  return listing.run(config, warps);
}

/// Where the first one issues in cycle 2, the sixth to eighth issue in 13, 17 and 21, of two schedulers' also in 15, 19 and 23, and so on. `waits`: cycles
/// between the issue of the one before and its own, of all warps.
TEST(MemoryQueues, LoadsIssueAsMeasured) {
  const std::vector<std::vector<std::uint64_t>> waits = {
      {6, 3, 3},
      {6 + 8, 2 * 3, 2 * 3},
      {6 + 8 + 10, 3 * 5, 3 * 5},
      {6 + 8 + 10 + 12, 4 * 7, 4 * 7},
  };
  for (std::uint32_t warps = 1; warps <= 4; ++warps) {
    const LaunchTiming timing = eight_loads(warps, 5);
    for (std::size_t at = 0; at < 5; ++at) EXPECT_EQ(count(timing, at, WarpStall::LgThrottle), 0u) << warps;
    for (std::size_t at = 5; at < 8; ++at)
      EXPECT_EQ(count(timing, at, WarpStall::LgThrottle), waits[warps - 1][at - 5]) << warps << ' ' << at;
    // EXIT issues in the cycle behind the last one: 21, 23, 25 or 27, less the 2 of the first.
    EXPECT_GE(timing.cycles, 20u + 2 * warps - 1) << warps;
  }
}

TEST(MemoryQueues, AreNotThereUnlessAskedFor) {
  const LaunchTiming timing = eight_loads(1, 0);
  for (std::size_t at = 0; at < 8; ++at) EXPECT_EQ(count(timing, at, WarpStall::LgThrottle), 0u);
}

TEST(MemoryQueues, WarpsOfASchedulerShareOne) {
  const LaunchTiming one = eight_loads(1, 5), two = eight_loads(2, 5, 1);
  // Sixteen loads of one queue, one in four cycles behind the fifth.
  std::uint64_t throttled = 0;
  for (std::size_t at = 0; at < 8; ++at) throttled += count(two, at, WarpStall::LgThrottle);
  EXPECT_GT(throttled, 0u);
  EXPECT_GE(two.cycles, one.cycles + 8 * 4 - 1);
}

}  // namespace
}  // namespace warpscope::timed
