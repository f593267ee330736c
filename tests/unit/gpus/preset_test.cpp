// Every preset in the repository loads and is consistent; what is wrong in a preset file is said in one line.
#include "gpus/preset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "traces/error.h"

namespace warpscope {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string message_of(const std::string& preset) {
  try {
    load_preset(preset);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Loads the GTX 480's preset after `change`, from a file of its own.
std::string message_after(const std::function<void(json&)>& change) {
  json preset = load_preset("gtx480").raw;
  change(preset);
  const std::string path = ::testing::TempDir() + "changed.json";
  std::ofstream(path) << preset.dump();
  return message_of(path);
}

TEST(Preset, EveryFileOfTheRepositoryLoads) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WARPSCOPE_SOURCE_DIR "/gpus")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path());
    const GpuPreset preset = load_preset(entry.path().string());
    EXPECT_EQ(preset.name, entry.path().stem().string());
    EXPECT_THAT(preset_names(), Contains(preset.name)) << "found by name, too";
    const auto value = [&](const char* key) { return preset.raw[key]["value"].get<std::uint64_t>(); };
    EXPECT_EQ(value("l1_sets") * value("l1_ways") * value("l1_line_bytes"), value("l1_size_kib") * 1024);
    for (const auto& [key, content] : preset.raw.items()) {
      if (key == "description" || content["value"] == "unknown") continue;
      EXPECT_FALSE(content["source"].get<std::string>().empty()) << key;
    }
    ++files;
  }
  EXPECT_GE(files, 2);
}

// NVIDIA CUDA C Programming Guide, compute capability 2.x; 15 cores: Crawford 2014, section 6.4.
TEST(Preset, Gtx480IsWhatItsDocumentsSay) {
  const GpuPreset preset = load_preset("gtx480");
  EXPECT_EQ(preset.cores, 15u);
  EXPECT_EQ(preset.warp_size, 32u);
  EXPECT_EQ(preset.max_work_groups_per_core, 8u);
  EXPECT_EQ(preset.max_warps_per_core, 48u);
  EXPECT_EQ(preset.max_work_items_per_core, 1536u);
  EXPECT_EQ(preset.local_bytes_per_core, 48u * 1024);
  EXPECT_EQ(preset.l1_size_kib, 16u);
  EXPECT_EQ(preset.l1_line_bytes, 128u);
  EXPECT_EQ(preset.l1_ways, 4u);
  EXPECT_EQ(preset.l1_write_policy, "WENA");
  EXPECT_EQ(preset.l1_set_index, "fermi-xor");
}

TEST(Preset, UnknownValueIsAbsent) {
  json raw;
  EXPECT_EQ(message_after([](json& p) { p["max_warps_per_core"] = {{"value", "unknown"}}; }), "");
  EXPECT_EQ(load_preset(::testing::TempDir() + "changed.json").max_warps_per_core, std::nullopt);
}

TEST(Preset, UnknownNameListsTheKnownOnes) {
  EXPECT_THAT(message_of("gtx9999"),
              HasSubstr("--preset gtx9999: unknown GPU, expected one of c2050, gtx480"));
  EXPECT_THAT(message_of("no/such.json"), HasSubstr("no/such.json: cannot read"));
}

TEST(Preset, MistakesAreNamed) {
  EXPECT_THAT(message_after([](json& p) {
                p["l1_size"] = {{"value", 16}, {"source", "x"}};
              }),
              HasSubstr("changed.json: unknown key 'l1_size'"));
  EXPECT_THAT(message_after([](json& p) { p["cores"].erase("source"); }),
              HasSubstr("key 'cores': source is missing, expected where the value 15 comes from"));
  EXPECT_THAT(message_after([](json& p) { p.erase("l2_ways"); }), HasSubstr("key 'l2_ways' is missing"));
  EXPECT_THAT(message_after([](json& p) { p["cores"]["value"] = 0; }),
              HasSubstr("key 'cores' is 0, expected a whole"));
  EXPECT_THAT(message_after([](json& p) { p["cores"]["value"] = "15"; }),
              HasSubstr("key 'cores' is \"15\", expected"));
  EXPECT_THAT(message_after([](json& p) { p["cores"] = 15; }), HasSubstr("key 'cores': expected {\"value\""));
  EXPECT_THAT(message_after([](json& p) { p["cores"]["from"] = "x"; }),
              HasSubstr("key 'cores': 'from' does not fit"));
  EXPECT_THAT(message_after([](json& p) { p["l1_ways"]["value"] = "unknown"; }),
              HasSubstr("'l1_ways' is unknown"));
  EXPECT_THAT(message_after([](json& p) { p["l1_size_kib"]["value"] = 48; }),
              HasSubstr("l1_size_kib is 48, expected sets x ways x line = 32 x 4 x 128 = 16384 bytes"));
  EXPECT_THAT(message_after([](json& p) { p["l1_line_bytes"]["value"] = 96; }),
              HasSubstr("expected a power of two"));
  EXPECT_THAT(message_after([](json& p) { p["l1_sector_bytes"]["value"] = 48; }),
              HasSubstr("expected a divisor"));
  EXPECT_THAT(message_after([](json& p) { p = json::array(); }), HasSubstr("expected a JSON object"));
  std::ofstream(::testing::TempDir() + "text.json") << "{\"cores\": ";
  EXPECT_THAT(message_of(::testing::TempDir() + "text.json"), HasSubstr("text.json: byte 11: not JSON"));
}

}  // namespace
}  // namespace warpscope
