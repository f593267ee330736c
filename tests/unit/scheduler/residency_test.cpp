// The limits of residency, registers among them, and where these come from.
#include "scheduler/residency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpus/carveout.h"
#include "scheduler/skipped_launches.h"
#include "traces/base/error.h"
#include "traces/base/refused.h"

namespace warpscope {
namespace {

LaunchInfo launch_of(std::uint32_t work_items, std::uint32_t estimate) {
  LaunchInfo launch;
  launch.local = {work_items, 1, 1};
  launch.global = {work_items * 100, 1, 1};
  launch.kernel.edit().registers_estimate = estimate;
  return launch;
}

TEST(Residency, LeastLimitOfThePresetBinds) {
  GpuPreset preset;
  preset.name = "test";
  preset.warp_size = 32;
  LaunchInfo launch;
  launch.local = {64, 1, 1};
  launch.global = {6400, 1, 1};
  EXPECT_EQ(resident_work_groups(launch, preset), 0u) << "nothing known, nothing binds";
  preset.max_work_groups_per_core = 8;
  EXPECT_EQ(resident_work_groups(launch, preset), 8u);
  preset.max_warps_per_core = 10;  // 2 warps per group
  EXPECT_EQ(resident_work_groups(launch, preset), 5u);
  preset.max_work_items_per_core = 300;  // 64 work-items per group
  EXPECT_EQ(resident_work_groups(launch, preset), 4u);
  preset.local_bytes_per_core = 49152;
  launch.kernel.edit().static_local_bytes = 16000;
  launch.dynamic_local_bytes = 1000;  // 17,000 bytes per group
  EXPECT_EQ(resident_work_groups(launch, preset), 2u);
  launch.dynamic_local_bytes = 40000;
  EXPECT_THROW(resident_work_groups(launch, preset), InputError);
}

// GTX 480 (48 warps, 1536 work-items, 8 groups): 16 x 16 -> 1536 / 256 = 6; 64 x 1 -> 8; 32 x 32 -> 1.
TEST(Residency, Gtx480ByHand) {
  const GpuPreset preset = load_preset("gtx480");
  LaunchInfo launch;
  launch.local = {16, 16, 1};
  EXPECT_EQ(resident_work_groups(launch, preset), 6u);
  launch.local = {64, 1, 1};
  EXPECT_EQ(resident_work_groups(launch, preset), 8u);
  launch.local = {32, 32, 1};
  EXPECT_EQ(resident_work_groups(launch, preset), 1u);
}

// 256 work-items on a GTX 480: 6 groups by warps, 4 with 32 registers, 3 with 40 (occupancy_test has the
// arithmetic).
TEST(Residency, RegistersAreGivenOrEstimated) {
  const GpuPreset preset = load_preset("gtx480");
  EXPECT_EQ(resident_work_groups(launch_of(256, 0), preset), 6u) << "not known";
  LaunchInfo counted = launch_of(256, 32);
  counted.kernel.edit().registers_from = "ptxas 13.0, sm_75";
  EXPECT_EQ(resident_work_groups(counted, preset), 4u) << "a compiler's count";
  EXPECT_EQ(resident_work_groups(launch_of(256, 32), preset), 3u) << "34 for 32 live values";
  EXPECT_EQ(resident_work_groups(launch_of(256, 32), preset, 40), 3u) << "given";
  EXPECT_EQ(resident_work_groups(launch_of(256, 32), preset, 0), 6u) << "not to be counted";
}

TEST(Residency, AnEstimateForbidsNoLaunchButAGivenNumberDoes) {
  const GpuPreset preset = load_preset("gtx480");
  EXPECT_EQ(resident_work_groups(launch_of(1024, 60), preset), 1u);
  EXPECT_THROW(resident_work_groups(launch_of(1024, 60), preset, 60), InputError);
}

// 255 registers of 32 lanes are 8192 in units of 256: 8 warps of 65,536, so 4 groups of two. A compiler spills what is more.
TEST(Residency, AnEstimateIsAtMostWhatAWorkItemCanHave) {
  const GpuPreset preset = load_preset("rtx3090");
  EXPECT_EQ(resident_work_groups(launch_of(64, 255), preset), 4u);
  EXPECT_EQ(resident_work_groups(launch_of(64, 340), preset), 4u);
  EXPECT_THROW(resident_work_groups(launch_of(64, 340), preset, 340), InputError) << "given, so not spilled";
}

TEST(Residency, AMisfitNamesItsLimit) {
  const GpuPreset preset = load_preset("gtx480");
  EXPECT_FALSE(misfit(launch_of(1024, 60), preset)) << "registers are only estimated";
  const auto registers = misfit(launch_of(1024, 60), preset, 60);
  ASSERT_TRUE(registers);
  EXPECT_STREQ(registers->what, "registers");
  const auto items = misfit(launch_of(1025, 0), preset);
  ASSERT_TRUE(items);
  EXPECT_STREQ(items->what, "work-items per work-group");
  EXPECT_EQ(items->per_group, 1025u);
  EXPECT_EQ(items->per_core, 1024u);
  LaunchInfo launch = launch_of(64, 0);
  launch.dynamic_local_bytes = 49152;
  EXPECT_FALSE(misfit(launch, preset)) << "all there is";
  ++launch.dynamic_local_bytes;
  const auto bytes = misfit(launch, preset);
  ASSERT_TRUE(bytes);
  EXPECT_STREQ(bytes->what, "bytes of local memory");
  EXPECT_EQ(bytes->per_core, 49152u);
}

// Launches 0 and 3 to 5 of kernel a and 6 of kernel b have 2048 work-items, 2 has 4096; 1 and 7 fit.
TEST(SkippedLaunches, AreListedByKernelAndNeedAsRanges) {
  std::vector<LaunchInfo> all;
  for (const std::uint32_t items : {2048u, 64u, 4096u, 2048u, 2048u, 2048u, 2048u, 1024u}) {
    all.push_back(launch_of(items, 0));
    all.back().id = LaunchId(static_cast<std::uint32_t>(all.size()) - 1);
    all.back().kernel.edit().name = all.size() == 7 ? "b" : "a";
  }
  std::vector<const LaunchInfo*> launches;
  for (const LaunchInfo& launch : all) launches.push_back(&launch);
  const nlohmann::json skipped = skip_misfits(launches, load_preset("v100"), std::nullopt);
  EXPECT_THAT(launches, ::testing::ElementsAre(&all[1], &all[7]));
  const auto one = [](const char* kernel, const char* numbers, unsigned count, unsigned needs) {
    return nlohmann::json{{"kernel", kernel}, {"launches", numbers}, {"count", count},
                          {"needs", needs},   {"limit", 1024u},      {"what", "work-items per work-group"},
                          {"gpu", "v100"}};
  };
  EXPECT_EQ(skipped, nlohmann::json::array(
                         {one("a", "0,3-5", 4, 2048), one("a", "2", 1, 4096), one("b", "6", 1, 2048)}));
  EXPECT_EQ(skipped_in({{"skipped", skipped}}), skipped);
  EXPECT_EQ(skipped_in(nullptr).size(), 0u);
  EXPECT_THROW(skipped_in({{"skipped", {{{"kernel", 5}}}}}), InputError);
  launches = {&all[0]};
  EXPECT_THROW(skip_misfits(launches, load_preset("v100"), std::nullopt), Refused);
}

// An A100 keeps 1,024 bytes for itself in every work-group and allocates in units of 128: 16 groups of 4 warps
// that take 1,000 bytes have 32 KiB, 16 of 1,025 bytes 34. Registers count, if they are given.
TEST(Residency, TheCarveOutOfALaunchCoversWhatIsResident) {
  const GpuPreset a100 = load_preset("a100");
  LaunchInfo launch = launch_of(128, 0);
  launch.kernel.edit().static_local_bytes = 1000;
  EXPECT_EQ(carveout_of(launch, a100), 32u);
  launch.kernel.edit().static_local_bytes = 1025;
  EXPECT_EQ(carveout_of(launch, a100), 64u);
  EXPECT_EQ(carveout_of(launch, a100, 255), 32u) << "two groups";
  EXPECT_EQ(carveout_of(launch, load_preset("gtx480")), 0u) << "local memory of its own";
}

TEST(Residency, ACarveOutThatIsTooSmallNamesItself) {
  GpuPreset a100 = load_preset("a100");
  set_carveout(a100, "8");
  LaunchInfo launch = launch_of(128, 0);
  EXPECT_EQ(resident_work_groups(launch, a100), 8u) << "the driver's part of each";
  launch.kernel.edit().static_local_bytes = 8192;
  try {
    resident_work_groups(launch, a100);
    FAIL() << "fits";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("a work-group takes 9216 bytes of local memory, a100 with "
                                                   "--carveout 8 allows 8192"));
  }
}

}  // namespace
}  // namespace warpscope
