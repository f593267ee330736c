// How long an access occupies the L1 where tags are banked, by hand.
#include <gtest/gtest.h>

#include "tests/unit/timed/line_kernel.h"
#include "timed/config/preset_config.h"
#include "traces/base/error.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;

TimedConfig staged_config() {
  TimedConfig config = plain_config();
  config.coalescing = "volta";
  config.l1.stages = L1Stages::Wavefronts;
  config.l1.cache.size_kib = 64;
  config.l1.cache.sector_bytes = 32;
  config.l1.tags_per_cycle = 4;
  config.l1.data_bytes_per_cycle = 128;
  return config;
}

/// A load that misses, its use, and the same load again, which hits. Tags are looked up in 0 … tags - 1; the
/// last line's data is there in 99 + tags, the use issues then, the second load in the cycle after; it
/// occupies the L1 for `cycles`, and its data is there 10 cycles after the last of them: 110 + tags + cycles
/// cycles in all.
Cycle load_twice(const TimedConfig& config, std::uint32_t width, const ItemAddress& address) {
  LineKernel k;
  const SiteId first = k.load();
  k.use(first);
  k.load();
  KernelInfo kernel = k.finish();
  for (SiteInfo& site : kernel.sites) {
    site.width = width;
    site.alignment = std::min(16u, width);
  }
  return run(launch_of_items(kernel, 1, address), config).cycles - 110;
}

TEST(Wavefronts, OfTheLargerStageOccupyTheL1) {
  const auto tags_and_cycles = [](std::uint32_t width, const ItemAddress& address) {
    return load_twice(staged_config(), width, address);
  };
  EXPECT_EQ(tags_and_cycles(4, [](auto item, auto) { return item * 4; }), 1u + 1u);
  EXPECT_EQ(tags_and_cycles(4, [](auto, auto) { return 0; }), 1u + 1u);
  // Two lines in different banks; two words per data bank.
  EXPECT_EQ(tags_and_cycles(4, [](auto item, auto) { return item * 8; }), 1u + 2u);
  // Four lines in four banks; their first words are all in data bank 0.
  EXPECT_EQ(tags_and_cycles(4, [](auto item, auto) { return item % 4 * 128; }), 1u + 4u);
  // Lines 0, 5, 10, 15 are all in tag bank 0; one word per data bank.
  EXPECT_EQ(tags_and_cycles(4, [](auto item, auto) { return item % 4 * (640 + 4); }), 4u + 4u);
  // 32 lines, eight in each tag bank; one word per data bank.
  EXPECT_EQ(tags_and_cycles(4, [](auto item, auto) { return item * 132; }), 8u + 8u);
  // 16 bytes per lane: four lines, four quarter-warps.
  EXPECT_EQ(tags_and_cycles(16, [](auto item, auto) { return item * 16; }), 1u + 4u);
}

/// Warps load a word per bank of local memory and use it; data 7 cycles after the last cycle of the data stage.
LaunchTiming load_local(std::uint32_t warps, std::uint32_t bytes_per_cycle,
                        L1Stages stages = L1Stages::Wavefronts) {
  LineKernel k;
  const SiteId load = k.load(AddressSpace::Local);
  TimedConfig config = staged_config();
  config.l1.stages = stages;
  config.l1.local_latency = 7;
  config.l1.data_bytes_per_cycle = bytes_per_cycle;
  return run(launch_of_items(k.use(load).finish(), warps, [](auto item, auto) { return item * 4; }), config);
}

TEST(Wavefronts, OfLocalMemoryAreLongerWhereTheL1MovesLessThanAllBanks) {
  EXPECT_EQ(load_local(1, 128).cycles, 0u + 7u + 1u);
  EXPECT_EQ(load_local(2, 128).cycles, 1u + 7u + 1u);
  // Half of the banks in a cycle: data in 1 + 7. The second warp's turn comes in 2, its data in 3 + 7.
  EXPECT_EQ(load_local(1, 64).cycles, 1u + 7u + 1u);
  EXPECT_EQ(load_local(2, 64).cycles, 3u + 7u + 1u);
  // Before Volta local memory has a data path of its own.
  EXPECT_EQ(load_local(2, 64, L1Stages::InOrder).cycles, 1u + 7u + 1u);
  // They are counted once, and are no conflicts.
  const LaunchTiming narrow = load_local(2, 64);
  EXPECT_EQ(narrow.cores[0].origins[0].outside_wavefronts, 2u);
  EXPECT_EQ(narrow.cores[0].origins[0].outside_conflicts, 0u);
}

TEST(LoadStoreLanes, BeginAWarpsAccessInParts) {
  // Half a warp in a cycle: two cycles, in which the data stage has time for two wavefronts.
  TimedConfig config = staged_config();
  config.l1.lanes_per_cycle = 16;
  config.l1.local_latency = 7;
  const auto local = [&config](std::uint32_t warps, std::uint32_t stride) {
    LineKernel k;
    const SiteId load = k.load(AddressSpace::Local);
    return run(launch_of_items(k.use(load).finish(), warps, [=](auto item, auto) { return item * stride; }),
               config)
        .cycles;
  };
  EXPECT_EQ(local(1, 4), 1u + 7u + 1u);
  EXPECT_EQ(local(2, 4), 3u + 7u + 1u);
  EXPECT_EQ(local(2, 8), 3u + 7u + 1u);
  EXPECT_EQ(local(2, 16), 7u + 7u + 1u);
  EXPECT_EQ(load_twice(config, 4, [](auto item, auto) { return item * 4; }), 1u + 2u);
  EXPECT_EQ(load_twice(config, 4, [](auto item, auto) { return item * 8; }), 1u + 2u);
  EXPECT_EQ(load_twice(config, 4, [](auto item, auto) { return item * 132; }), 8u + 8u);
  config.l1.lanes_per_cycle = 24;  // 24 lanes, then 8
  EXPECT_EQ(local(2, 4), 3u + 7u + 1u);
  config.l1.lanes_per_cycle = 32;
  EXPECT_EQ(local(2, 4), 1u + 7u + 1u);
}

TEST(Wavefronts, OfSeveralInstructionsAddUp) {
  // 32 bytes per lane, two instructions: each eight lines, two per tag bank, and four quarter-warps of degree
  // 2. The second one's lines were asked for in the first two cycles.
  EXPECT_EQ(load_twice(staged_config(), 32, [](auto item, auto) { return item * 32; }), 2u + 16u);
}

TEST(Wavefronts, TwoLinesOfOneBankTakeTwoCycles) {
  // Lines 0 and 5 are in tag bank 0, lines 0 and 1 are not in the same; one word per data bank.
  EXPECT_EQ(load_twice(staged_config(), 4, [](auto item, auto) { return item % 2 * (640 + 4); }), 2u + 2u);
  EXPECT_EQ(load_twice(staged_config(), 4, [](auto item, auto) { return item % 2 * (128 + 4); }), 1u + 1u);
}

TEST(Wavefronts, ARequestsTagsFollowThoseOfTheOneBefore) {
  // 32 bytes per lane from byte 112 of every second line on: the first instruction touches lines 0, 2, 4, 6,
  // the second lines 1, 3, 5, 7, each in four tag banks, so their tags take a cycle each. In the data stage
  // four addresses meet in the same banks, in each of four quarter-warps of two instructions.
  EXPECT_EQ(load_twice(staged_config(), 32, [](auto item, auto) { return item % 4 * 256 + 112; }), 2u + 32u);
}

TEST(Wavefronts, TagsOfEveryFurtherRequestFollow) {
  // 64 bytes from byte 80 on are four instructions, of which the last one touches the next line. Its tag is
  // looked up in cycle 3, and in cycle 7 where every instruction takes its bank of tags twice (lines 0 and
  // 20, then 1 and 21); the data is there 100 cycles later, and used at once.
  const auto cycles = [](const ItemAddress& address) {
    LineKernel k;
    const SiteId load = k.load();
    KernelInfo kernel = k.use(load).finish();
    kernel.sites[0].width = 64;
    kernel.sites[0].alignment = 16;
    return run(launch_of_items(kernel, 1, address), staged_config()).cycles;
  };
  EXPECT_EQ(cycles([](auto, auto) { return 80; }), 3u + 100u + 1u);
  EXPECT_EQ(cycles([](auto item, auto) { return item % 2 * 2560 + 80; }), 7u + 100u + 1u);
}

TEST(Wavefronts, AreNoneOfWhatPassesBy) {
  LineKernel k;
  const SiteId first = k.load(), second = k.load();
  KernelInfo kernel = k.use(second).use(first).finish();
  TimedConfig config = staged_config();
  const ItemAddress one_bank = [](auto item, auto) { return item % 4 * (640 + 4); };
  // Looked up, lines 0, 5, 10, 15 of one tag bank take four cycles each time.
  EXPECT_EQ(run(launch_of_items(kernel, 1, one_bank), config).cores[0].l1_cycles, 8u);
  config.l1.takes = L1Takes::Nothing;
  const LaunchTiming timing = run(launch_of_items(kernel, 1, one_bank), config);
  EXPECT_EQ(timing.cores[0].l1_cycles, 0u);
  EXPECT_EQ(timing.cycles, 103u);  // four sectors a cycle: sent in 0 and 1, used in 101 and 102
}

TEST(Wavefronts, TagsOfAFullBankAreLookedUpCycleByCycle) {
  TimedConfig config = staged_config();
  config.l1.mshr_entries = 4;
  LineKernel k;
  k.load();
  // Lines 0, 5, 10, 15 in cycles 0 … 3, and 1, with line 0, in 0: the fifth line waits for the first entry.
  const LaunchTiming timing = run(
      launch_of_items(k.finish(), 1, [](auto item, auto) { return item % 5 == 4 ? 128 : item % 5 * 640; }),
      config);
  EXPECT_EQ(sum_of(timing).reservation_fails, 97u);  // line 15 in 3 … 99
}

TEST(Wavefronts, ASlowerPortStretchesTheDataStage) {
  TimedConfig config = staged_config();
  config.l1.data_bytes_per_cycle = 64;
  EXPECT_EQ(load_twice(config, 4, [](auto item, auto) { return item * 4; }), 1u + 2u);
  EXPECT_EQ(load_twice(config, 4, [](auto item, auto) { return item % 4 * (640 + 4); }), 4u + 4u);
  config.l1.data_bytes_per_cycle = 0;  // no limit
  EXPECT_EQ(load_twice(config, 4, [](auto item, auto) { return item * 8; }), 1u + 1u);
}

TEST(Wavefronts, NotAskedForLinesGoInOrderAndBytesCount) {
  TimedConfig config = staged_config();
  config.l1.stages = L1Stages::InOrder;
  EXPECT_EQ(load_twice(config, 4, [](auto item, auto) { return item % 4 * (640 + 4); }), 1u + 1u);
  EXPECT_EQ(load_twice(config, 4, [](auto item, auto) { return item * 36; }),
            3u + 8u);  // 9 lines, 32 sectors
  EXPECT_EQ(load_twice(staged_config(), 4, [](auto item, auto) { return item * 36; }), 3u + 3u);
}

TEST(Wavefronts, OfMaxwellAreThoseOfEightLanesAtATime) {
  TimedConfig config = staged_config();
  config.coalescing = "maxwell";
  EXPECT_EQ(load_twice(config, 4, [](auto item, auto) { return item * 4; }), 1u + 4u);
}

TEST(Wavefronts, AreCountedAsTheL1sCycles) {
  LineKernel k;
  k.load();
  k.store();
  const LaunchTiming timing =
      run(launch_of_items(k.finish(), 1, [](auto item, auto) { return item % 4 * 128; }), staged_config());
  EXPECT_EQ(timing.cores[0].l1_cycles, 8u);
}

TEST(Wavefronts, AreThePresetsWhereItsTagsAreBanked) {
  EXPECT_EQ(config_from(load_preset("v100")).config.l1.stages, L1Stages::Wavefronts);
  EXPECT_EQ(config_from(load_preset("h100")).config.l1.stages, L1Stages::Wavefronts);
  EXPECT_EQ(config_from(load_preset("titanx")).config.l1.stages, L1Stages::InOrder);
  EXPECT_EQ(config_from(load_preset("gtx480")).config.l1.stages, L1Stages::InOrder);
  EXPECT_EQ(config_from(load_preset("v100"), L1Stages::InOrder).config.l1.stages, L1Stages::InOrder);
  const TimedConfig titanx = config_from(load_preset("titanx"), L1Stages::Wavefronts).config;
  EXPECT_EQ(titanx.l1.tags_per_cycle, 4u);
}

TEST(Wavefronts, NeedAPowerOfTwoOfTags) {
  TimedConfig config = staged_config();
  config.l1.tags_per_cycle = 3;
  EXPECT_THROW(validate(config), InputError);
  config.l1.stages = L1Stages::InOrder;
  EXPECT_NO_THROW(validate(config));
}

}  // namespace
}  // namespace warpscope::timed
