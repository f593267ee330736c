// What the timed engine takes from presets.
#include "timed/config/preset_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/unit/timed/line_kernel.h"
#include "timed/engine.h"
#include "timed/issue/issue_policy.h"
#include "traces/base/error.h"

namespace warpscope::timed {
namespace {

TEST(PresetConfig, EveryPresetCanBeSimulated) {
  using namespace timed::testing;
  LineKernel k;
  const SiteId load = k.load();
  k.use(load);
  k.store();
  const VectorSource source =
      launch_of(k.finish(), 4, 2, [](std::uint32_t group, std::uint32_t warp, SiteId, std::uint64_t) {
        return (group * 2 + warp) * 128u;
      });
  for (const std::string& name : preset_names()) {
    SCOPED_TRACE(name);
    const PresetConfig from = config_from(load_preset(name));
    ASSERT_NO_THROW(validate(from.config));
    const LaunchTiming timing = run(source, from.config, {2, 2, "dynamic"});
    const OriginCounts sum = sum_of(timing);
    EXPECT_GT(timing.cycles, 0u);
    EXPECT_EQ(sum.hits + sum.hits_pending + sum.sector_misses + sum.misses + sum.bypasses, sum.transactions);
  }
}

TEST(PresetConfig, TakesLatenciesAndNamesWhatIsAssumed) {
  const PresetConfig volta = config_from(load_preset("v100"));
  EXPECT_EQ(volta.config.l1.hit_latency, 30u);
  EXPECT_EQ(volta.config.memory.l2_latency, 219u);
  EXPECT_EQ(volta.config.memory.dram_latency, 395u - 219u);
  EXPECT_EQ(volta.config.issue.costs[instruction_class_named("fp32_fma")].interval, 2u);  // 32 · 4 / 64
  // 898 · 10^9 bytes/s at 1380 MHz over 32 channels
  EXPECT_NEAR(volta.config.memory.dram_bytes_per_cycle, 20.335, 0.001);
  const auto names = [](const PresetConfig& config, const char* key) {
    return std::any_of(config.assumed.begin(), config.assumed.end(),
                       [&](const Assumption& one) { return one.key == key; });
  };
  EXPECT_FALSE(names(volta, "l1_hit_latency_cycles"));
  EXPECT_TRUE(names(volta, "work_group_start_cycles"));
  EXPECT_TRUE(names(volta, "launch_cycles"));
  const PresetConfig fermi = config_from(load_preset("gtx480"));
  EXPECT_TRUE(names(fermi, "l1_tags_per_cycle"));
}

TEST(PresetConfig, OnlyNvidiasCompilerPredicates) {
  for (const char* name : {"gtx480", "v100", "h100"})
    EXPECT_EQ(config_from(load_preset(name)).config.issue.predicated, 7u) << name;
  EXPECT_EQ(config_from(load_preset("mi100")).config.issue.predicated, 0u);
}

TEST(PresetConfig, TheNextWorkGroupStartsAsThePresetSays) {
  EXPECT_EQ(config_from(load_preset("h100")).config.group_start_latency, 350u);  // validation/notes/h100.md
  EXPECT_EQ(config_from(load_preset("v100")).config.group_start_latency, 100u);  // unknown
}

TEST(PresetConfig, RepliesAreAsWideAsThePresetSays) {
  for (const char* name :
       {"gtx480", "gt630", "k40"})  // a GT 630 gets 24 to 30 bytes per cycle, a K40c 28 to 30
    EXPECT_EQ(config_from(load_preset(name)).config.memory.reply_bytes_per_cycle, 32u) << name;
  EXPECT_EQ(config_from(load_preset("v100")).config.memory.reply_bytes_per_cycle, 64u);  // unknown
  const GpuPreset narrow = load_preset("v100", {{"l2_to_core_bytes_per_cycle", "16"}});
  EXPECT_EQ(config_from(narrow).config.memory.reply_bytes_per_cycle, 16u);
}

// One-warp groups, two on each of two cores: the first of each core ends a cycle before the second.
TEST(PresetConfig, FreedPlacesAreHandedOutCoreByCoreInAWindow) {
  using namespace timed::testing;
  LineKernel k;
  k.use(k.load());
  const VectorSource source =
      launch_of(k.finish(), 8, 1,
                [](std::uint32_t group, std::uint32_t, SiteId, std::uint64_t) { return group * 128u; });
  const auto cores = [&source](const char* window) {
    TimedConfig config =
        config_from(load_preset("v100", {{"dispatch_window_cycles", window}, {"schedulers_per_core", "1"}}))
            .config;
    std::vector<std::uint32_t> found;
    for (const CoreId core : run(source, config, {2, 2, "dynamic"}).core_of_group)
      found.push_back(core.value());
    return found;
  };
  EXPECT_EQ(cores("1"), (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(cores("100000"), (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 0, 1, 1}));
}

TEST(PresetConfig, StartOfWarpsAndPlaceOfLinesAreThePresets) {
  const auto with = [](const char* key, const char* value) {
    return config_from(load_preset("v100", {{key, value}})).config;
  };
  EXPECT_EQ(with("warp_start_cycles", "7").warp_start_cycles, 7u);
  EXPECT_TRUE(with("l1_allocates_on_fill", "true").l1.allocate_on_fill);
  TimedConfig config = with("l1_allocates_on_fill", "true");
  config.warp_start_cycles = 7;
  config.make_fixed_order();  // knows neither
  EXPECT_EQ(config.warp_start_cycles, 0u);
  EXPECT_FALSE(config.l1.allocate_on_fill);
}

TEST(PresetConfig, MemoryQueuesAreKnownOfOneComputeCapability) {
  for (const char* name : {"rtx3090", "a6000", "rtx3070"})
    EXPECT_EQ(config_from(load_preset(name)).config.issue.machine.published_memory_queue_entries, 5u) << name;
  for (const char* name : {"rtx2080ti", "a100", "rtx4090", "h100"})
    EXPECT_EQ(config_from(load_preset(name)).config.issue.machine.published_memory_queue_entries, 0u) << name;
  EXPECT_EQ(config_from(load_preset("a6000")).config.issue.machine.memory_queue_entries, 0u);  // on request
}

TEST(PresetConfig, LoadStoreUnitsAreThoseOfTheComputeCapability) {
  const auto lanes = [](const char* gpu) { return config_from(load_preset(gpu)).config.l1.lanes_per_cycle; };
  for (const char* gpu : {"t4", "rtx2080ti", "rtx3090", "a6000", "rtx4090", "l4"})
    EXPECT_EQ(lanes(gpu), 16u) << gpu;
  for (const char* gpu : {"v100", "a100", "h100", "gtx480", "k40"}) EXPECT_EQ(lanes(gpu), 0u) << gpu;
}

TEST(PresetConfig, ImpossibleValuesAreNamed) {
  TimedConfig config = config_from(load_preset("v100")).config;
  config.issue.schedulers = 0;
  EXPECT_THROW(validate(config), InputError);
  config = config_from(load_preset("v100")).config;
  config.l1.cache.sector_bytes = 8;
  EXPECT_THROW(validate(config), InputError);
  config = config_from(load_preset("v100")).config;
  config.issue.policy = "none";
  const StreamHeader header;
  EXPECT_THROW(TimedEngine(config, header), InputError);
  config = config_from(load_preset("v100")).config;
  config.issue.parameters.set(issue_policy_named("two-level").parameters()[0], 0);
  EXPECT_THROW(TimedEngine(config, header), InputError);
}

/// 65,536 registers for 2,048, 1,536 and 1,024 work-items, in eights, less 16; compilers for older GPUs were not looked at.
TEST(PresetConfig, AFullCoreLeavesSoManyRegistersForLoads) {
  const std::map<std::string, std::uint32_t> expected = {{"h100", 16},    {"a100", 16},    {"rtx3090", 24},
                                                         {"rtx4090", 24}, {"rtx2080", 48}, {"v100", 0},
                                                         {"gtx480", 0},   {"vega64", 0}};
  for (const auto& [name, registers] : expected)
    EXPECT_EQ(config_from(load_preset(name)).config.issue.load_registers, registers) << name;
}

/// A quarter of what NVIDIA documents of a core.
TEST(PresetMachine, TensorCoresOfGeForceAndProfessionalCards) {
  const auto single_sums = [](const char* name) {
    return config_from(load_preset(name)).config.issue.machine.tensor_single_sum_products;
  };
  EXPECT_EQ(single_sums("rtx3090"), 64);
  EXPECT_EQ(single_sums("a6000"), 128);
  EXPECT_EQ(single_sums("a100"), 0);
}

}  // namespace
}  // namespace warpscope::timed
