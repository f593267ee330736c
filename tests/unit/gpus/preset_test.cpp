// Every preset in the repository loads and is consistent; what is wrong in a preset file is said in one line.
#include "gpus/preset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "gpus/preset_keys.h"
#include "tests/unit/temporary_folder.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string message_of(const std::string& preset) {
  try {
    load_preset(preset);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string written(const TemporaryFolder& folder, const std::string& name, const json& preset) {
  const std::string path = folder.file(name);
  std::ofstream(path) << preset.dump();
  return path;
}

/// Loads the GTX 480's preset after `change`, from its own file.
std::string message_after(const std::function<void(json&)>& change) {
  json preset = load_preset("gtx480").raw;
  change(preset);
  const TemporaryFolder folder;
  return message_of(written(folder, "changed.json", preset));
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

// What --set may change, and what follows: 16 KiB = 32 sets x 4 ways x 128 bytes; 48 KiB = 64 x 6 x 128.
TEST(PresetChange, ReplacesTypedValuesAndTheGeometryFollows) {
  const GpuPreset wider = load_preset("gtx480", {{"l1_size_kib", "32"}});
  EXPECT_EQ(wider.l1_ways, 8u);
  const GpuPreset other = load_preset("gtx480", {{"l1_sets", "64"}, {"l1_size_kib", "48"}});
  EXPECT_EQ(other.l1_ways, 6u);
  EXPECT_EQ(load_preset("gtx480", {{"l1_ways", "2"}}).l1_size_kib, 8u);
  const GpuPreset fixed = load_preset("v100", {{"l1_size_kib", "32"}});
  EXPECT_EQ(fixed.l1_ways, 64u);
  EXPECT_FALSE(fixed.l1_unified_kib) << "a size that is set does not follow the local memory";
  const GpuPreset mixed = load_preset("gtx480", {{"cores", "1"},
                                                 {"dram_latency_cycles", "300.5"},
                                                 {"l1_caches_global_loads", "false"},
                                                 {"local_carveouts_kib", "[0, 8]"},
                                                 {"warp_scheduler", "lrr"},
                                                 {"l1_hit_latency_cycles", "unknown"}});
  EXPECT_EQ(mixed.cores, 1u);
  EXPECT_EQ(mixed.dram_latency_cycles, 300.5);
  EXPECT_FALSE(mixed.l1_caches_global_loads);
  EXPECT_EQ(mixed.local_carveouts_kib, (std::vector<std::uint32_t>{0, 8}));
  EXPECT_EQ(mixed.warp_scheduler, "lrr");
  EXPECT_FALSE(mixed.l1_hit_latency_cycles);
  EXPECT_EQ(mixed.raw["cores"]["source"], "--set") << "results tell where a value comes from";
}

TEST(PresetChange, MistakesAreNamed) {
  const auto refusal = [](const PresetChange& change) -> std::string {
    try {
      load_preset("gtx480", {change});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal({"l1_size", "16"}),
              HasSubstr("--set l1_size: unknown key, expected l1_size_kib, or another one that "));
  EXPECT_THAT(refusal({"l1_way", "16"}), HasSubstr("expected l1_ways, or another one that "));
  EXPECT_THAT(refusal({"mshr_entries", "1"}), HasSubstr("expected l1_mshr_entries, or another one that "));
  EXPECT_THAT(refusal({"zzz", "1"}),
              HasSubstr("--set zzz: unknown key, expected one that cachesim --show-preset GPU lists"));
  EXPECT_EQ(refusal({"l2_mshr_entries", "64"}),
            "--set l2_mshr_entries: nothing reads this key any more, expected a file and options without it");
  EXPECT_THAT(refusal({"cores", "many"}), HasSubstr("--set cores=many: expected a whole number from 1"));
  EXPECT_THAT(refusal({"cores", "unknown"}), HasSubstr("key 'cores' is unknown, expected a value"));
  EXPECT_THAT(refusal({"l1_line_bytes", "96"}), HasSubstr("l1_line_bytes is 96, expected a power of two"));
  EXPECT_THAT(refusal({"l1_size_kib", "17"}), HasSubstr("l1_size_kib is 17, expected sets x ways x line"));
  EXPECT_EQ(preset_change("cores=2"), (PresetChange{"cores", "2"}));
  EXPECT_THROW(preset_change("cores"), InputError);
}

TEST(Preset, AbsentKeyIsUnknown) {
  json preset = load_preset("gtx480").raw;
  preset.erase("max_warps_per_core");
  preset["max_work_items_per_core"] = {{"value", "unknown"}, {"note", "as files said it once"}};
  const TemporaryFolder folder;
  std::ofstream(folder.file("changed.json")) << preset.dump();
  const GpuPreset changed = load_preset(folder.file("changed.json"));
  EXPECT_EQ(changed.max_warps_per_core, std::nullopt);
  EXPECT_EQ(changed.max_work_items_per_core, std::nullopt);
  EXPECT_FALSE(changed.raw.contains("max_work_items_per_core")) << "one way to be unknown";
  EXPECT_FALSE(load_preset("gtx480", {{"l2_ways", "unknown"}}).raw.contains("l2_ways"));
}

TEST(PresetLike, TakesWhatItDoesNotSayFromAnotherOne) {
  const TemporaryFolder folder;
  const json sixteen = {{"value", 16}, {"source", "this test"}};
  written(folder, "mine.json", {{"description", "mine"}, {"like", "gtx480"}, {"cores", sixteen}});
  const std::string path = written(
      folder, "other.json",
      {{"description", "other"}, {"like", "mine"}, {"l1_hit_latency_cycles", {{"value", "unknown"}}}});
  const GpuPreset preset = load_preset(path);
  EXPECT_EQ(preset.description, "other");
  EXPECT_EQ(preset.cores, 16u) << "of mine, next to it";
  EXPECT_EQ(preset.l1_ways, load_preset("gtx480").l1_ways) << "of the installed one, through mine";
  EXPECT_FALSE(preset.l1_hit_latency_cycles) << "not known of it, though it is of the other";
  EXPECT_FALSE(preset.raw.contains("like"));
}

TEST(PresetLike, MistakesAreNamed) {
  const TemporaryFolder folder;
  const auto refusal = [&](const json& like) {
    return message_of(written(folder, "mine.json", {{"description", "mine"}, {"like", like}}));
  };
  EXPECT_THAT(refusal("nothing"),
              HasSubstr("mine.json: key 'like': there is no preset nothing, expected a name of"));
  EXPECT_THAT(refusal("../gpus/h100"), HasSubstr("there is no preset ../gpus/h100"));
  EXPECT_THAT(refusal(7), HasSubstr("key 'like': expected a text"));
  EXPECT_THAT(refusal("mine"), HasSubstr("key 'like': leads on and on"));
}

TEST(Preset, ShowsKnownValuesWithTheirSourcesThenUnknownKeysWithTheirMeaning) {
  const std::string text = preset_text(load_preset("gtx480", {{"l2_ways", "unknown"}}));
  EXPECT_THAT(text, HasSubstr("\nl1_ways = 4  [CNugteren/gpu-cache-model configurations/default16.conf]\n"));
  EXPECT_THAT(text, HasSubstr("\nl2_set_index = linear (model)  [GPGPU-Sim configs"));
  EXPECT_THAT(text,
              HasSubstr("\nl1_sector_bytes = 128  [CNugteren/gpu-cache-model configurations/default16.conf]  "
                        "whole lines: no sectors\n"));
  const std::size_t unknown = text.find("\nunknown, or not part of this GPU");
  ASSERT_NE(unknown, std::string::npos);
  EXPECT_GT(unknown, text.find("\ndram_channels = 6"));
  EXPECT_LT(unknown, text.find("\n  l2_ways: lines of a set\n"));
  EXPECT_EQ(text.find("l2_ways = "), std::string::npos);
}

TEST(Preset, UnknownNameListsTheKnownOnes) {
  EXPECT_THAT(message_of("gtx9999"), HasSubstr("--gpu gtx9999: unknown GPU, expected one of 8800gtx, a10, "));
  EXPECT_THAT(message_of("no/such.json"), HasSubstr("no/such.json: cannot read"));
}

// A simulation takes time for every cycle and memory for every line, so each number ends somewhere, far beyond any GPU.
TEST(Preset, EveryNumberHasItsRange) {
  for (const PresetKey& key : preset_keys()) {
    const bool whole = key.type == PresetType::Count || key.type == PresetType::Size;
    if (!whole && key.type != PresetType::Real) continue;
    SCOPED_TRACE(key.name);
    const PresetRange range = range_of(key);
    const double least = range.least, most = range.most;
    EXPECT_LE(most, 1u << 26);
    const auto number = [&](double value) {
      return whole ? json(static_cast<std::uint64_t>(value)) : json(value);
    };
    EXPECT_TRUE(fits(key, number(least)));
    EXPECT_TRUE(fits(key, number(most)));
    EXPECT_FALSE(fits(key, number(most + 1)));
    EXPECT_FALSE(fits(key, json(least - 1)));
    EXPECT_FALSE(fits(key, json("1")));
    EXPECT_THAT(message_after([&](json& p) {
                  p[key.name] = {{"value", number(most + 1)}, {"source", "x"}};
                }),
                HasSubstr(expected_value(key)));
  }
  EXPECT_EQ(expected_value(*preset_key("l2_hit_latency_cycles")), "a number from 0.001 to 100000");
  EXPECT_EQ(expected_value(*preset_key("cores")), "a whole number from 1 to 65536");
  EXPECT_EQ(expected_value(*preset_key("l1_size_kib")), "a whole number from 0 to 65536");
}

TEST(Preset, MistakesAreNamed) {
  EXPECT_THAT(message_after([](json& p) {
                p["l1_size"] = {{"value", 16}, {"source", "x"}};
              }),
              HasSubstr("changed.json: unknown key 'l1_size'"));
  EXPECT_THAT(message_after([](json& p) { p["cores"].erase("source"); }),
              HasSubstr("key 'cores': source is missing, expected where the value 15 comes from"));
  EXPECT_THAT(message_after([](json& p) {
                p["l2_mshr_entries"] = {{"value", 16}, {"source", "x"}};
              }),
              HasSubstr("changed.json: key 'l2_mshr_entries': nothing reads this key any more"));
  EXPECT_THAT(message_after([](json& p) { p.erase("cores"); }),
              HasSubstr("key 'cores' is unknown, expected a value: the simulation needs it"));
  EXPECT_THAT(message_after([](json& p) { p["cores"]["value"] = 0; }),
              HasSubstr("key 'cores' is 0, expected a whole"));
  EXPECT_THAT(message_after([](json& p) { p["cores"]["value"] = "15"; }),
              HasSubstr("key 'cores' is \"15\", expected"));
  EXPECT_THAT(message_after([](json& p) { p["cores"] = 15; }), HasSubstr("key 'cores': expected {\"value\""));
  EXPECT_THAT(message_after([](json& p) { p["cores"]["from"] = "x"; }),
              HasSubstr("key 'cores': 'from' does not fit"));
  EXPECT_THAT(message_after([](json& p) { p["cores"]["status"] = "guessed"; }),
              HasSubstr("key 'cores': 'status' does not fit"));
  EXPECT_THAT(message_after([](json& p) { p["core_clock_mhz"]["value"] = 0; }),
              HasSubstr("key 'core_clock_mhz' is 0, expected a number from 1 to 100000"));
  EXPECT_THAT(message_after([](json& p) { p["l1_caches_global_loads"]["value"] = 1; }),
              HasSubstr("key 'l1_caches_global_loads' is 1, expected true or false"));
  EXPECT_THAT(message_after([](json& p) {
                p["local_carveouts_kib"] = {{"value", {16, 8}}, {"source", "x"}};
              }),
              HasSubstr("key 'local_carveouts_kib' is [16,8], expected ascending whole numbers"));
  EXPECT_THAT(message_after([](json& p) {
                p["l1_unified_kib"] = {{"value", 64}, {"source", "x"}};
              }),
              HasSubstr("expected local_carveouts_kib to be known"));
  EXPECT_THAT(message_after([](json& p) { p["not_modelled"] = "TMA"; }),
              HasSubstr("key 'not_modelled': expected a list of texts"));
  EXPECT_THAT(message_after([](json& p) { p["not_validated"] = true; }),
              HasSubstr("key 'not_validated': expected a text"));
  EXPECT_THAT(message_after([](json& p) { p["l1_ways"]["value"] = "unknown"; }),
              HasSubstr("'l1_ways' is unknown"));
  EXPECT_THAT(message_after([](json& p) { p["l1_size_kib"]["value"] = 48; }),
              HasSubstr("l1_size_kib is 48, expected sets x ways x line = 32 x 4 x 128 = 16384 bytes"));
  EXPECT_THAT(message_after([](json& p) { p["l1_line_bytes"]["value"] = 96; }),
              HasSubstr("expected a power of two"));
  EXPECT_THAT(message_after([](json& p) { p["l1_sector_bytes"]["value"] = 48; }),
              HasSubstr("expected a divisor"));
  EXPECT_THAT(message_after([](json& p) { p = json::array(); }), HasSubstr("expected a JSON object"));
  const TemporaryFolder folder;
  std::ofstream(folder.file("text.json")) << "{\"cores\": ";
  EXPECT_THAT(message_of(folder.file("text.json")),
              HasSubstr("text.json: not JSON: byte 11, expected a preset"));
}

}  // namespace
}  // namespace warpscope
