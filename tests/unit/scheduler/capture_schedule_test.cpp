// run_schedule(): from a capture file to a sink.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/run_launch.h"
#include "tests/unit/scheduler/capture_on_disk.h"
#include "traces/base/error.h"

namespace warpscope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ScheduledCapture : public ::testing::Test {
 protected:
  ScheduledCapture() : path_(folder_.file("scheduled.wtrace")) {
    write_copy_capture(path_);
    options_.self_check = true;
    options_.cores = 2;
  }
  TemporaryFolder folder_;
  std::string path_;
  ScheduleOptions options_;
};

TEST_F(ScheduledCapture, EveryLaunchIsScheduledAsOnItsOwn) {
  RecordingSink all, one;
  run_schedule(CaptureReader(path_), options_, all);
  run_launch(copy_source(), options_, one);
  EXPECT_TRUE(all.ended);
  EXPECT_THAT(all.launches, ElementsAre(0, 1));
  // 40 work-items are two warps; three groups, a load and a store each: 12 accesses per launch.
  ASSERT_EQ(one.seen.size(), 12u);
  ASSERT_EQ(all.seen.size(), 24u);
  EXPECT_TRUE(std::equal(one.seen.begin(), one.seen.end(), all.seen.begin()));
  EXPECT_TRUE(std::equal(one.seen.begin(), one.seen.end(), all.seen.begin() + 12));
}

TEST_F(ScheduledCapture, SharesOfTheCoresAddUp) {
  RecordingSink all;
  options_.cores = 3;
  run_schedule(CaptureReader(path_), options_, all);
  std::size_t accesses = 0;
  for (std::uint32_t number = 0; number < 2; ++number) {
    RecordingSink share;
    options_.share = {number, 2};
    run_schedule(CaptureReader(path_), options_, share);
    EXPECT_EQ(share.headers[0].work_groups, all.headers[0].work_groups);
    for (const auto& seen : share.seen) EXPECT_EQ(seen.core % 2, number);
    accesses += share.seen.size();
  }
  EXPECT_EQ(accesses, all.seen.size());
}

TEST_F(ScheduledCapture, HeaderTellsHowTheStreamCameAbout) {
  RecordingSink sink;
  options_.launches = LaunchSelection("1", {});
  options_.seed = 77;
  const CaptureReader capture(path_);
  run_schedule(capture, options_, sink);
  ASSERT_EQ(sink.headers.size(), 1u);
  const StreamHeader& header = sink.headers[0];
  EXPECT_EQ(header.warp_size, 32u);
  EXPECT_EQ(header.cores, 2u);
  EXPECT_EQ(header.work_groups, 3u) << "of the launches scheduled";
  EXPECT_EQ(header.buffers.size(), 2u);
  ASSERT_EQ(header.launches.size(), 1u);
  EXPECT_EQ(header.launches[0].id, LaunchId(1));
  EXPECT_THAT(sink.launches, ElementsAre(1));
  EXPECT_EQ(header.context["policy"], "warp");
  EXPECT_EQ(header.context["seed"], 77);
  EXPECT_EQ(header.context["assignment"], "round-robin");
  EXPECT_EQ(header.context["max_work_groups"], 8);
  EXPECT_EQ(header.context["reconvergence"], "ipdom");
  EXPECT_EQ(header.context["capture"], capture.hash());
  EXPECT_EQ(header.context["partial"], false);
}

TEST_F(ScheduledCapture, CutShortIsScheduledAsFarAsItGoes) {
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) * 3 / 4);
  EXPECT_THROW(CaptureReader{path_}, InputError);
  RecordingSink sink;
  run_schedule(CaptureReader(path_, true), options_, sink);
  EXPECT_EQ(sink.headers.at(0).context["partial"], true);
  EXPECT_LT(sink.seen.size(), 24u);
}

TEST_F(ScheduledCapture, LaunchOutOfRangeIsNamed) {
  RecordingSink sink;
  options_.launches = LaunchSelection("2", {});
  try {
    run_schedule(CaptureReader(path_), options_, sink);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--launch 2: no such launch, the capture holds 2"));
  }
}

}  // namespace
}  // namespace warpscope::testing
