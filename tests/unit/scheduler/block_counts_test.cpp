// How often blocks are entered, against counts by hand.
#include "scheduler/block_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/scheduler/capture_on_disk.h"
#include "tests/unit/scheduler/kernel_builder.h"

namespace warpscope::testing {
namespace {

using ::testing::ElementsAre;

const AddressOf kPlaces = [](std::uint32_t group, std::uint32_t item, SiteId site, std::uint64_t count) {
  return BufferAddr(BufferId(1), 65536 * group + 4096 * site.value() + 512 * count + item * 4).key();
};

ScheduleOptions warps_of(std::uint32_t warp_size) {
  ScheduleOptions options;
  options.warp_size = warp_size;
  return options;
}

// Block 0 branches to 1, which has no memory instruction, or to 2; both meet in 3, behind a barrier. Two groups of ten work-items, warps of
// four: those of work-items 0 to 3 and 4 to 7, and one of two. Of every group work-items 0 to 4 go to block 1.
TEST(BlockCounts, AWarpThatDivergesEntersBothWays) {
  KernelBuilder k;
  const SiteId load = k.load(), barrier = k.barrier(), store = k.store();
  k.block({}, {1, 2});
  k.block({}, {3});
  k.block({load}, {3});
  k.block({barrier, store}, {});
  const KernelInfo kernel = k.finish();
  VectorSource source(kernel, {2, 1, 1}, {10, 1, 1});
  for (std::uint32_t group = 0; group < 2; ++group)
    source.add(make_group(
        kernel, group, 10,
        [](std::uint32_t, std::uint32_t item) { return item < 5 ? Outcomes{0} : Outcomes{1}; }, kPlaces));
  EXPECT_THAT(count_blocks(source, warps_of(4)),
              ElementsAre(BlockCount{6, 20}, BlockCount{4, 10}, BlockCount{4, 10}, BlockCount{6, 20}));
  EXPECT_THAT(count_blocks(source, warps_of(1)),
              ElementsAre(BlockCount{20, 20}, BlockCount{10, 10}, BlockCount{10, 10}, BlockCount{20, 20}));
}

// Work-item i goes through the loop i + 1 times: a warp as often as its last work-item.
TEST(BlockCounts, ALoopRunsAsLongAsOneLaneIsLeft) {
  KernelBuilder k;
  const SiteId load = k.load();
  k.block({}, {1});
  k.block({load}, {1, 2});
  k.block({}, {});
  const KernelInfo kernel = k.finish();
  VectorSource source(kernel, {1, 1, 1}, {6, 1, 1});
  source.add(make_group(
      kernel, 0, 6,
      [](std::uint32_t, std::uint32_t item) {
        Outcomes outcomes(item, 0);
        outcomes.push_back(1);
        return outcomes;
      },
      kPlaces));
  EXPECT_THAT(count_blocks(source, warps_of(4)),
              ElementsAre(BlockCount{2, 6}, BlockCount{4 + 6, 21}, BlockCount{2, 6}));
}

// Copies of capture_on_disk.h: two launches of three groups of 40 work-items, two warps each.
TEST(BlockCounts, AreWrittenByLaunch) {
  const TemporaryFolder folder;
  const std::string path = folder.file("copy.wtrace");
  write_copy_capture(path);
  const CaptureReader capture(path);
  ScheduleOptions options = warps_of(32);
  const auto json = block_counts_json(capture, options);
  ASSERT_EQ(json["launches"].size(), 2u);
  for (const auto& launch : json["launches"]) {
    ASSERT_EQ(launch["blocks"].size(), 1u);
    EXPECT_EQ(launch["blocks"][0]["warps"], 6);
    EXPECT_EQ(launch["blocks"][0]["work_items"], 120);
  }
  options.launches = LaunchSelection("1", {});
  EXPECT_EQ(block_counts_json(capture, options)["launches"][0]["id"], 1);
}

}  // namespace
}  // namespace warpscope::testing
