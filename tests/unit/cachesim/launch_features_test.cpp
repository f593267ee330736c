// What a look at a launch tells, of captures made by hand.
#include "cachesim/sampling/launch_features.h"

#include <gtest/gtest.h>

#include "cachesim/sampling/launch_sample.h"
#include "tests/unit/scheduler/capture_on_disk.h"
#include "tests/unit/traces/samples.h"

namespace warpscope {
namespace {

std::vector<const LaunchInfo*> all_of(const CaptureReader& capture) {
  std::vector<const LaunchInfo*> launches;
  for (const LaunchInfo& launch : capture.launches()) launches.push_back(&launch);
  return launches;
}

class LaunchFeaturesTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return (folder_.path() / "capture.wtrace").string(); }

 private:
  TemporaryFolder folder_;
};

TEST_F(LaunchFeaturesTest, TellTheFirstLaunchThatReadsABuffer) {
  testing::write_copy_capture(path());
  const CaptureReader capture(path());
  const auto features = features_of(capture, all_of(capture), LookFor::CountsAndCycles, 80);
  ASSERT_EQ(features.size(), 2u);
  EXPECT_TRUE(features[0].reads_new);
  EXPECT_FALSE(features[1].reads_new) << "the same buffer again";
  EXPECT_GE(features[1].transactions, 12)
      << "three work-groups of two warps load and store a line each, or two";
  EXPECT_DOUBLE_EQ(features[1].steps, 1 + (300 + features[1].transactions / 80) / 60) << "one load";
  for (const LaunchFeatures& one : features_of(capture, all_of(capture))) {
    EXPECT_FALSE(one.reads_new);
    EXPECT_EQ(one.steps, 0) << "not looked for";
  }
}

TEST_F(LaunchFeaturesTest, MakeAColdLaunchAKindOfItsOwnForCycles) {
  testing::write_copy_capture(path());
  const CaptureReader capture(path());
  const ScheduleOptions options;
  EXPECT_EQ(LaunchPopulation(capture, options).kinds(), (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(LaunchPopulation(capture, options, LookFor::CountsAndCycles).kinds(),
            (std::vector<std::size_t>{0, 1}));
}

TEST_F(LaunchFeaturesTest, FindTheBusiestWorkItemByTheBytesOfItsWorkGroup) {
  // Of 32 work-groups 0, 10, 20 and 31 are looked at. In the 17th one work-item loads 200 times, all others once.
  {
    CaptureWriter writer(path(), {});
    for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
    writer.add_launch(testing::sample_launch(0, 32, 8));
    for (std::uint32_t group = 0; group < 32; ++group) {
      testing::TraceBuilder builder(0, group, 8);
      for (std::uint32_t item = 0; item < 8; ++item) {
        const std::uint32_t loads = group == 17 && item == 3 ? 200 : 1;
        std::vector<bool> outcomes;
        std::vector<std::vector<std::uint64_t>> locations(5);
        for (std::uint32_t i = 0; i < loads; ++i) {
          locations[0].push_back(BufferAddr(BufferId(1), (i * i % 199 + item) * 4).key());
          outcomes.push_back(true);
          outcomes.push_back(i + 1 < loads);
        }
        locations[2].push_back(0);
        locations[3].push_back(BufferAddr(BufferId(2), item * 4).key());
        builder.item(outcomes, locations);
      }
      writer.add_work_group(LaunchId(0), WorkGroupId(group), encode(builder.trace()));
    }
    writer.finish();
  }
  const CaptureReader capture(path());
  const LaunchFeatures found = features_of(capture, all_of(capture), LookFor::CountsAndCycles)[0];
  EXPECT_DOUBLE_EQ(found.steps, 200 + (300 + found.transactions) / 60);
}

}  // namespace
}  // namespace warpscope
