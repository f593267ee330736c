// Occupancy and the L1 that is left: hand arithmetic, and values of NVIDIA's occupancy calculation
// (cuda_occupancy.h of CUDA 13.0, compiled and asked).
#include "gpus/occupancy.h"

#include <gtest/gtest.h>

#include <vector>

namespace warpscope {
namespace {

std::uint64_t groups(const char* gpu, std::uint64_t work_items, std::uint32_t registers,
                     std::uint64_t local_bytes = 0) {
  WorkGroupNeeds needs;
  needs.work_items = work_items;
  needs.registers_per_work_item = registers;
  needs.local_bytes = local_bytes;
  return occupancy(load_preset(gpu), needs).work_groups();
}

// 256 work-items = 8 warps on a GTX 480. 48 warps allow 6 groups. 21 registers: 672 per warp, rounded to 768
// (the double unit); 16,384 / 768 = 21 warps in each half, 42 = 5 groups. 25: 800 -> 832; 19 + 19 warps = 4
// groups. 33: 1056 -> 1088; 15 + 15 = 3. 43: 1376 -> 1408; 11 + 11 = 2.
TEST(Occupancy, FermiHolds6543GroupsOf256ByRegisters) {
  for (std::uint32_t registers = 1; registers <= 63; ++registers) {
    const std::uint64_t expected = registers <= 20   ? 6
                                   : registers <= 24 ? 5
                                   : registers <= 32 ? 4
                                   : registers <= 42 ? 3
                                                     : 2;
    EXPECT_EQ(groups("gtx480", 256, registers), expected) << registers;
  }
}

TEST(Occupancy, FermiByWarpsAndSlots) {
  EXPECT_EQ(groups("gtx480", 64, 32), 8u) << "slots";
  EXPECT_EQ(groups("gtx480", 1024, 20), 1u) << "32 of 48 warps";
  EXPECT_EQ(groups("gtx480", 512, 20), 3u);
  EXPECT_EQ(groups("gtx480", 512, 32), 2u);
  EXPECT_EQ(groups("gtx480", 1024, 33), 0u) << "30 warps have registers, 32 are needed";
  EXPECT_EQ(groups("gtx480", 1056, 20), 0u) << "33 of 48 warps, but a work-group has 32 at most";
  EXPECT_EQ(groups("gtx480", 256, 64), 0u) << "a work-item has 63 registers";
}

// GT200 gives registers to whole groups: 256 work-items x 10 = 2560, five units of 512; 16,384 / 2560 = 6.4,
// but 8 warps of 32 allow 4. 96 work-items are 3 warps, counted as 4: 4 x 32 x 32 = 4096; 4 groups.
TEST(Occupancy, Gt200RoundsWholeGroups) {
  EXPECT_EQ(groups("gtx280", 256, 10), 4u);
  EXPECT_EQ(groups("gtx280", 256, 17), 3u) << "4352 -> 4608; 16,384 / 4608";
  EXPECT_EQ(groups("gtx280", 96, 32), 4u);
  EXPECT_EQ(groups("gtx280", 64, 10, 5000), 3u) << "5000 -> 5120 bytes; 16,384 / 5120";
}

struct Nvidia {
  const char* gpu;
  std::uint32_t work_items, registers, local_bytes, groups;
};
// What cudaOccMaxActiveBlocksPerMultiprocessor says, partitioned global caching on where our preset caches
// loads.
constexpr Nvidia kNvidia[] = {
    {"k40", 256, 32, 0, 8},      {"k40", 256, 37, 0, 6},        {"k40", 192, 63, 0, 5},
    {"k40", 64, 32, 5000, 9},    {"gtx980", 256, 40, 0, 6},     {"p100", 256, 40, 0, 6},
    {"titanx", 1024, 32, 0, 2},  {"titanx", 768, 32, 0, 2},     {"gtx1080", 160, 64, 0, 6},
    {"v100", 256, 40, 0, 6},     {"v100", 1024, 64, 0, 1},      {"v100", 1024, 65, 0, 0},
    {"v100", 128, 32, 33000, 2}, {"t4", 64, 32, 0, 16},         {"t4", 64, 32, 5000, 12},
    {"a100", 32, 32, 0, 32},     {"a100", 128, 32, 16384, 9},   {"rtx3080", 64, 32, 0, 16},
    {"rtx4090", 64, 32, 0, 24},  {"rtx4090", 64, 32, 8192, 11}, {"h100", 256, 128, 49152, 2},
    {"h100", 96, 255, 0, 2},     {"h100", 64, 32, 16384, 13},
};

TEST(Occupancy, EqualsNvidiasCalculation) {
  for (const Nvidia& row : kNvidia)
    EXPECT_EQ(groups(row.gpu, row.work_items, row.registers, row.local_bytes), row.groups)
        << row.gpu << " " << row.work_items << " " << row.registers << " " << row.local_bytes;
}

/// Waves that a SIMD unit holds of a kernel with that many vector registers, and of how many on it is fewer: what llc of
/// LLVM 15 prints (-march=amdgcn, -mcpu as named).
struct Waves {
  std::uint32_t from, waves;
};
struct AmdOccupancy {
  const char *gpu, *cpu;
  std::uint32_t simds, wave_size;
  std::vector<Waves> waves;
};
const std::vector<Waves> kGcn = {{8, 10}, {25, 9}, {29, 8}, {33, 7}, {37, 6},
                                 {41, 5}, {49, 4}, {65, 3}, {85, 2}, {129, 1}};
const AmdOccupancy kLlvm[] = {
    {"r9290x", "gfx701", 4, 64, kGcn},
    {"vega64", "gfx900", 4, 64, kGcn},
    {"mi100", "gfx908", 4, 64, kGcn},
    {"mi250x", "gfx90a", 4, 64, {{8, 8}, {65, 7}, {73, 6}, {81, 5}, {97, 4}, {129, 3}, {169, 2}}},
    {"rx6900xt",
     "gfx1030",
     2,
     32,
     {{8, 16}, {65, 12}, {81, 10}, {97, 9}, {113, 8}, {129, 7}, {145, 6}, {161, 5}, {193, 4}}},
};

TEST(Occupancy, OfAmdIsWhatLlvmPrints) {
  for (const AmdOccupancy& gpu : kLlvm) {
    const GpuPreset preset = load_preset(gpu.gpu);
    for (std::uint32_t registers = 8; registers <= 256; ++registers) {
      std::uint64_t waves = 0;
      for (const Waves& step : gpu.waves)
        if (registers >= step.from) waves = step.waves;
      EXPECT_EQ(occupancy(preset, {gpu.wave_size, 0, registers}).work_groups(), waves * gpu.simds)
          << gpu.cpu << " " << registers;
    }
  }
}

// 40 waves of 64: as 40 work-groups of one wave; 20 of two, of which 16 have a barrier; 13 of three.
TEST(Occupancy, OnlyWorkGroupsOfSeveralWavesTakeABarrier) {
  EXPECT_EQ(groups("vega64", 64, 8), 40u);
  EXPECT_EQ(groups("vega64", 128, 8), 16u);
  EXPECT_EQ(groups("vega64", 192, 8), 13u);
  EXPECT_STREQ(occupancy(load_preset("vega64"), {128, 0, 8}).binding->what, "barriers");
}

TEST(Occupancy, SaysWhatBinds) {
  const GpuPreset preset = load_preset("a100");
  const auto binding = [&](std::uint64_t items, std::uint64_t local, std::uint32_t registers) {
    return std::string(occupancy(preset, {items, local, registers}).binding->what);
  };
  EXPECT_EQ(binding(32, 0, 0), "slots");
  EXPECT_EQ(binding(256, 0, 16), "warps");
  EXPECT_EQ(binding(128, 40000, 16), "bytes of local memory");
  EXPECT_EQ(binding(256, 0, 128), "registers");
  EXPECT_EQ(binding(32, 170000, 16), "bytes of local memory") << "more than a work-group may have";
  EXPECT_EQ(binding(1056, 0, 0), "work-items per work-group") << "a core would hold them";
}

}  // namespace
}  // namespace warpscope
