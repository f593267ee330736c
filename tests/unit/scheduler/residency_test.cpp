// Registers among the limits of residency, and where they come from.
#include "scheduler/residency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/error.h"

namespace warpscope {
namespace {

LaunchInfo launch_of(std::uint32_t work_items, std::uint32_t estimate) {
  LaunchInfo launch;
  launch.local = {work_items, 1, 1};
  launch.global = {work_items * 100, 1, 1};
  launch.kernel.registers_estimate = estimate;
  return launch;
}

// 256 work-items on a GTX 480: 6 groups by warps, 4 with 32 registers, 3 with 40 (occupancy_test has the
// arithmetic).
TEST(Residency, RegistersAreGivenOrEstimated) {
  const GpuPreset preset = load_preset("gtx480");
  EXPECT_EQ(resident_work_groups(launch_of(256, 0), preset), 6u) << "not known";
  EXPECT_EQ(resident_work_groups(launch_of(256, 32), preset), 4u) << "the capture's estimate";
  EXPECT_EQ(resident_work_groups(launch_of(256, 32), preset, 40), 3u) << "given";
  EXPECT_EQ(resident_work_groups(launch_of(256, 32), preset, 0), 6u) << "not to be counted";
}

TEST(Residency, AnEstimateForbidsNoLaunchButAGivenNumberDoes) {
  const GpuPreset preset = load_preset("gtx480");
  EXPECT_EQ(resident_work_groups(launch_of(1024, 60), preset), 1u);
  EXPECT_THROW(resident_work_groups(launch_of(1024, 60), preset, 60), InputError);
}

// 15 cores, 100 groups: 7 per core at most, 6 of them at once; 1000 bytes are 1024.
TEST(Residency, LocalMemoryOfWhatIsResident) {
  const GpuPreset preset = load_preset("gtx480");
  LaunchInfo launch = launch_of(256, 0);
  EXPECT_EQ(resident_local_bytes(launch, preset), 0u);
  launch.kernel.static_local_bytes = 1000;
  EXPECT_EQ(resident_local_bytes(launch, preset), 6u * 1024);
  launch.global = {256 * 20, 1, 1};
  EXPECT_EQ(resident_local_bytes(launch, preset), 2u * 1024) << "20 groups on 15 cores";
}

}  // namespace
}  // namespace warpscope
