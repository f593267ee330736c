// What holds for every preset of the repository, and what NVIDIA's tables say of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "gpus/preset.h"
#include "gpus/preset_keys.h"

namespace warpscope {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<std::string> preset_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(WARPSCOPE_SOURCE_DIR "/gpus"))
    if (entry.path().extension() == ".json") names.push_back(entry.path().string());
  return names;
}

TEST(EveryPreset, LoadsAndNamesItsSources) {
  const std::vector<std::string> files = preset_files();
  EXPECT_GE(files.size(), 60u);
  const std::vector<std::string> names = preset_names();
  const std::string list = preset_list();
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const GpuPreset preset = load_preset(file);
    EXPECT_EQ(preset.name, std::filesystem::path(file).stem().string());
    EXPECT_THAT(names, Contains(preset.name)) << "found by name, too";
    const nlohmann::json written = nlohmann::json::parse(std::ifstream(file));
    for (const PresetKey& key : preset_keys()) {
      if (!written.contains(key.name)) continue;  // unknown
      const nlohmann::json& entry = written[key.name];
      EXPECT_TRUE(fits(key, entry["value"])) << key.name;
      EXPECT_NE(entry["value"], "unknown") << key.name;
      EXPECT_FALSE(entry["source"].get<std::string>().empty()) << key.name;
    }
    EXPECT_THAT(preset_text(preset), HasSubstr("\ncores = " + std::to_string(preset.cores)));
    EXPECT_THAT(list, HasSubstr(preset.name));
  }
}

TEST(EveryPreset, IsConsistent) {
  for (const std::string& file : preset_files()) {
    SCOPED_TRACE(file);
    const GpuPreset preset = load_preset(file);
    EXPECT_EQ(std::uint64_t{preset.l1_sets} * preset.l1_ways * preset.l1_line_bytes,
              std::uint64_t{preset.l1_size_kib} * 1024);
    EXPECT_EQ(*preset.max_warps_per_core * preset.warp_size, *preset.max_work_items_per_core);
    EXPECT_LE(*preset.max_local_bytes_per_work_group, *preset.local_bytes_per_core);
    EXPECT_EQ(*preset.registers_per_core % *preset.register_partitions, 0u);
    if (preset.l2_size_kib) {
      EXPECT_EQ(std::uint64_t{*preset.l2_size_kib} * 1024 %
                    (std::uint64_t{*preset.l2_slices} * *preset.l2_ways * preset.l1_line_bytes),
                0u);
    }
    if (preset.l1_unified_kib) {
      EXPECT_EQ(preset.local_carveouts_kib->back() * 1024, *preset.local_bytes_per_core);
    }
    if (preset.l2_hit_latency_cycles) {
      EXPECT_LT(*preset.l1_hit_latency_cycles, *preset.l2_hit_latency_cycles);
      EXPECT_LT(*preset.l2_hit_latency_cycles, *preset.dram_latency_cycles);
    }
  }
}

/// From NVIDIA's tables of compute capabilities (CUDA C Programming Guide; cuda_occupancy.h), by hand.
struct Limits {
  const char* capability;
  std::uint32_t groups, warps, registers, local_kib, allocation;
};
const std::map<std::string, Limits> kLimits = {
    {"gtx280", {"1.3", 8, 32, 16384, 16, 512}},       {"gtx480", {"2.0", 8, 48, 32768, 48, 128}},
    {"c2050", {"2.0", 8, 48, 32768, 48, 128}},        {"k20", {"3.5", 16, 64, 65536, 48, 256}},
    {"k40", {"3.5", 16, 64, 65536, 48, 256}},         {"gtx980", {"5.2", 32, 64, 65536, 96, 256}},
    {"p100", {"6.0", 32, 64, 65536, 64, 256}},        {"titanx", {"6.1", 32, 64, 65536, 96, 256}},
    {"gtx1080", {"6.1", 32, 64, 65536, 96, 256}},     {"v100", {"7.0", 32, 64, 65536, 96, 256}},
    {"t4", {"7.5", 16, 32, 65536, 64, 256}},          {"rtx2080", {"7.5", 16, 32, 65536, 64, 256}},
    {"a100", {"8.0", 32, 64, 65536, 164, 128}},       {"rtx3080", {"8.6", 16, 48, 65536, 100, 128}},
    {"rtx4090", {"8.9", 24, 48, 65536, 100, 128}},    {"h100", {"9.0", 32, 64, 65536, 228, 128}},
    {"h200", {"9.0", 32, 64, 65536, 228, 128}},       {"gt630", {"2.1", 8, 48, 32768, 48, 128}},
    {"gtx680", {"3.0", 16, 64, 65536, 48, 256}},      {"gtxtitan", {"3.5", 16, 64, 65536, 48, 256}},
    {"gtx750", {"5.0", 32, 64, 65536, 64, 256}},      {"gtx1070", {"6.1", 32, 64, 65536, 96, 256}},
    {"p40", {"6.1", 32, 64, 65536, 96, 256}},         {"rtx2080ti", {"7.5", 16, 32, 65536, 64, 256}},
    {"rtx3070", {"8.6", 16, 48, 65536, 100, 128}},    {"rtx3090", {"8.6", 16, 48, 65536, 100, 128}},
    {"a6000", {"8.6", 16, 48, 65536, 100, 128}},      {"l4", {"8.9", 24, 48, 65536, 100, 128}},
    {"rtx5090", {"12.0", 24, 48, 65536, 100, 128}},   {"gb10", {"12.1", 24, 48, 65536, 100, 128}},
    {"gtx1050", {"6.1", 32, 64, 65536, 96, 256}},     {"gtx1050ti", {"6.1", 32, 64, 65536, 96, 256}},
    {"gtx1060", {"6.1", 32, 64, 65536, 96, 256}},     {"gtx1080ti", {"6.1", 32, 64, 65536, 96, 256}},
    {"gtx1650", {"7.5", 16, 32, 65536, 64, 256}},     {"gtx1660", {"7.5", 16, 32, 65536, 64, 256}},
    {"gtx1660s", {"7.5", 16, 32, 65536, 64, 256}},    {"rtx2060", {"7.5", 16, 32, 65536, 64, 256}},
    {"rtx2070", {"7.5", 16, 32, 65536, 64, 256}},     {"rtx3050", {"8.6", 16, 48, 65536, 100, 128}},
    {"rtx3060", {"8.6", 16, 48, 65536, 100, 128}},    {"a10", {"8.6", 16, 48, 65536, 100, 128}},
    {"a40", {"8.6", 16, 48, 65536, 100, 128}},        {"a30", {"8.0", 32, 64, 65536, 164, 128}},
    {"orin", {"8.7", 16, 48, 65536, 164, 128}},       {"rtx4050", {"8.9", 24, 48, 65536, 100, 128}},
    {"rtx4060", {"8.9", 24, 48, 65536, 100, 128}},    {"rtx4060ti", {"8.9", 24, 48, 65536, 100, 128}},
    {"rtx4070", {"8.9", 24, 48, 65536, 100, 128}},    {"rtx4080", {"8.9", 24, 48, 65536, 100, 128}},
    {"l40s", {"8.9", 24, 48, 65536, 100, 128}},       {"rtx5070", {"12.0", 24, 48, 65536, 100, 128}},
    {"rtx5080", {"12.0", 24, 48, 65536, 100, 128}},   {"h20", {"9.0", 32, 64, 65536, 228, 128}},
    {"b200", {"10.0", 32, 64, 65536, 228, 128}},      {"rtxpro6000", {"12.0", 24, 48, 65536, 100, 128}},
    {"rtx5070ti", {"12.0", 24, 48, 65536, 100, 128}}, {"rtx6000ada", {"8.9", 24, 48, 65536, 100, 128}},
    {"rtx4070ti", {"8.9", 24, 48, 65536, 100, 128}},  {"a10g", {"8.6", 16, 48, 65536, 100, 128}},
    {"rtx3060ti", {"8.6", 16, 48, 65536, 100, 128}},  {"rtx3080ti", {"8.6", 16, 48, 65536, 100, 128}},
};

TEST(EveryPreset, HasTheLimitsOfItsComputeCapability) {
  for (const auto& [name, limits] : kLimits) {
    SCOPED_TRACE(name);
    const GpuPreset preset = load_preset(name);
    EXPECT_EQ(preset.compute_capability, limits.capability);
    EXPECT_EQ(preset.max_work_groups_per_core, limits.groups);
    EXPECT_EQ(preset.max_warps_per_core, limits.warps);
    EXPECT_EQ(preset.registers_per_core, limits.registers);
    EXPECT_EQ(preset.local_bytes_per_core, limits.local_kib * 1024);
    EXPECT_EQ(preset.local_allocation_unit_bytes, limits.allocation);
  }
}

/// LDS of 64 KiB, 16 KiB of vector cache; waves and lines by AMD's documents.
struct Amd {
  const char* gpu;
  std::uint32_t wave, waves, line;
  const char* coalescing;
};
constexpr Amd kAmd[] = {{"r9290x", 64, 40, 64, "gcn"},
                        {"vega64", 64, 40, 64, "gcn"},
                        {"mi100", 64, 40, 64, "gcn"},
                        {"mi250x", 64, 32, 64, "gcn"},
                        {"rx6900xt", 32, 32, 128, "rdna"}};

TEST(EveryPreset, OfAmdIsWhatItsDocumentsSay) {
  for (const Amd& amd : kAmd) {
    SCOPED_TRACE(amd.gpu);
    const GpuPreset preset = load_preset(amd.gpu);
    EXPECT_EQ(preset.vendor, "AMD");
    EXPECT_EQ(preset.compute_capability, std::nullopt);
    EXPECT_EQ(preset.warp_size, amd.wave);
    EXPECT_EQ(preset.max_warps_per_core, amd.waves);
    EXPECT_EQ(preset.l1_size_kib, 16u);
    EXPECT_EQ(preset.l1_line_bytes, amd.line);
    EXPECT_EQ(preset.local_bytes_per_core, 65536u);
    EXPECT_EQ(preset.coalescing, amd.coalescing);
  }
}

TEST(EveryPreset, ThatIsNotNvidiasSaysThatNobodyHasValidatedIt) {
  const std::string list = preset_list();
  for (const std::string& file : preset_files()) {
    const GpuPreset preset = load_preset(file);
    EXPECT_EQ(preset.not_validated.empty(), preset.vendor == "NVIDIA") << file;
    if (preset.not_validated.empty()) continue;
    EXPECT_THAT(preset_text(preset), HasSubstr("\nnot validated: no result"));
    EXPECT_THAT(list, HasSubstr(preset.description + "; not validated\n"));
  }
}

TEST(EveryPreset, NamesWhatHopperHasAndNothingHereSimulates) {
  for (const char* name : {"h100", "h200"}) {
    const std::string text = preset_text(load_preset(name));
    for (const char* missing : {"TMA", "distributed shared memory"})
      EXPECT_THAT(text, HasSubstr(missing)) << name;
  }
}

}  // namespace
}  // namespace warpscope
