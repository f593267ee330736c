// The command line of the schedule: defaults, what a preset gives, what overrides it, and what is refused.
#include "tools/options/schedule_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/policies/registry.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using ::testing::HasSubstr;
namespace po = boost::program_options;

ScheduleOptions parse(const std::vector<std::string>& arguments) {
  const OptionGroup group = schedule_options("Order");
  po::variables_map values;
  po::store(po::command_line_parser(arguments).options(group.options).run(), values);
  return schedule_options_from(values);
}

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ScheduleOptions, DefaultsWithoutPreset) {
  const ScheduleOptions options = parse({});
  EXPECT_EQ(options.policy, "warp");
  EXPECT_EQ(options.warp_size, 32u);
  EXPECT_EQ(options.cores, 1u);
  EXPECT_EQ(options.max_work_groups, 8u);
  EXPECT_FALSE(options.limits);
  EXPECT_EQ(options.layout.base, 0x10000000u);
}

TEST(ScheduleOptions, PresetGivesTheMachineAndTheCommandLineOverridesIt) {
  const ScheduleOptions preset = parse({"--preset", "gtx480"});
  EXPECT_EQ(preset.cores, 15u);
  ASSERT_TRUE(preset.limits);
  EXPECT_EQ(preset.limits->name, "gtx480");
  EXPECT_EQ(preset.preset_context["name"], "gtx480");
  const ScheduleOptions overridden = parse(
      {"--preset", "gtx480", "--cores", "2", "--core", "1", "--warp-size", "16", "--max-workgroups", "4"});
  EXPECT_EQ(overridden.cores, 2u);
  EXPECT_EQ(overridden.only_core, CoreId(1));
  EXPECT_EQ(overridden.warp_size, 16u);
  EXPECT_EQ(overridden.max_work_groups, 4u);
  EXPECT_FALSE(overridden.limits);
}

TEST(ScheduleOptions, SingleWorkItemPoliciesTakeOneCoreAndAllGroups) {
  for (const SchedulerInfo& policy : schedulers()) {
    if (policy.order != VisitOrder::WorkItems) continue;
    const ScheduleOptions options = parse({"--preset", "gtx480", "--policy", policy.name});
    EXPECT_EQ(options.warp_size, 1u);
    EXPECT_EQ(options.cores, 1u);
    EXPECT_EQ(options.max_work_groups, 0u);
    EXPECT_FALSE(options.limits);
    EXPECT_EQ(parse({"--policy", policy.name, "--cores", "3"}).cores, 3u);
    EXPECT_THAT(refusal({"--policy", policy.name, "--warp-size", "32"}),
                HasSubstr("schedules single work-items"));
  }
}

TEST(ScheduleOptions, RefusesWhatMakesNoSense) {
  EXPECT_THAT(refusal({"--policy", "gto"}),
              HasSubstr("--policy gto: unknown policy, expected one of random, seq"));
  EXPECT_THAT(refusal({"--warp-size", "0"}), HasSubstr("--warp-size 0: expected a number from 1 to 64"));
  EXPECT_THAT(refusal({"--warp-size", "65"}), HasSubstr("--warp-size 65: expected a number from 1 to 64"));
  EXPECT_THAT(refusal({"--cores", "0"}), HasSubstr("--cores 0: expected a number from 1"));
  EXPECT_THAT(refusal({"--cores", "4", "--core", "4"}), HasSubstr("--core 4: expected a number from 0 to 3"));
  EXPECT_THAT(refusal({"--core", "first"}), HasSubstr("--core first: expected"));
  EXPECT_THAT(refusal({"--seed=-1"}), HasSubstr("--seed -1: expected"));
  EXPECT_THAT(refusal({"--reconvergence", "min-pc"}), HasSubstr("unknown rule, expected ipdom or loops"));
  EXPECT_THAT(refusal({"--buffer-align", "96"}), HasSubstr("--buffer-align 96: expected a power of two"));
  EXPECT_THAT(refusal({"--buffer-base", "0xg"}), HasSubstr("--buffer-base 0xg: expected"));
  EXPECT_THAT(refusal({"--preset", "gtx"}), HasSubstr("unknown GPU"));
}

TEST(ScheduleOptions, AddressesMayBeHexadecimal) {
  EXPECT_EQ(parse({"--buffer-base", "0x20000000"}).layout.base, 0x20000000u);
  EXPECT_EQ(parse({"--buffer-base", "4096", "--buffer-align", "128", "--layout-seed", "3"}).layout.seed, 3u);
}

}  // namespace
}  // namespace warpscope
