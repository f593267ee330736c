#include "gpus/preset_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "traces/base/json_fields.h"
#include "traces/base/names.h"
#include "traces/base/types.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr bool is_required(std::string_view need) {
  return need == "required";
}

#define PRESET_KEY(type, name, need, help) PresetKey{#name, PresetType::type, is_required(#need), help},
constexpr std::array kPresetKeys{
#include "gpus/preset_keys.def"
};
#undef PRESET_KEY

#define PRESET_KEY(type, name, need, help)
#define PRESET_KEY_REMOVED(name) std::string_view(#name),
constexpr std::array kRemovedKeys{
#include "gpus/preset_keys.def"
};
#undef PRESET_KEY

/// The largest numbers, by what a name ends with or has in it; the first row that fits. `least` is of real numbers: whole ones begin at 0
/// or 1. A simulation's time grows with cycles, its memory with sizes and sets.
struct RangeRule {
  std::string_view part;
  double least, most;
};
constexpr std::array kRangeRules = {
    RangeRule{"work_group_starts_per_cycle", 1e-6, 1e6},  // of the whole GPU
    RangeRule{"_per_cycle", 1e-3, 1e6},                   // also _per_cycle_per_slice
    RangeRule{"_cycles", 1e-3, 100'000},                  // a load from DRAM takes below 1,000
    RangeRule{"_mhz", 1, 100'000},
    RangeRule{"_gb_per_s", 1e-3, 1e6},
    RangeRule{"l2_size_kib", 0, 1u << 20},  // 1 GiB
    RangeRule{"dram_size_mib", 0, 1u << 20},
    RangeRule{"_kib", 0, 1u << 16},  // every core has one of these
    RangeRule{"bytes", 0, 1u << 26},
    RangeRule{"registers_per_core", 0, 1u << 24},
    RangeRule{"warp_size", 0, kMaxWarpSize},
    RangeRule{"l2_store_cost", 1e-3, 1000},
    RangeRule{"", 1e-3, 1u << 16},  // cores (as streams), warps, banks, sets, ways, entries
};

bool is_count(const json& value, PresetRange range) {
  if (!value.is_number_unsigned()) return false;
  const auto number = static_cast<double>(value.get<std::uint64_t>());
  return number >= range.least && number <= range.most;
}

}  // namespace

std::span<const PresetKey> preset_keys() {
  return kPresetKeys;
}

const PresetKey* preset_key(const std::string& name) {
  return find_named(kPresetKeys, name);
}

bool was_preset_key(const std::string& name) {
  return std::find(kRemovedKeys.begin(), kRemovedKeys.end(), name) != kRemovedKeys.end();
}

PresetRange range_of(const PresetKey& key) {
  const auto rule = std::find_if(kRangeRules.begin(), kRangeRules.end(), [&](const RangeRule& one) {
    return std::string_view(key.name).find(one.part) != std::string_view::npos;
  });
  const double least = key.type == PresetType::Real ? rule->least : key.type == PresetType::Count ? 1 : 0;
  return {least, rule->most};
}

bool fits(const PresetKey& key, const json& value) {
  const PresetRange range = range_of(key);
  switch (key.type) {
    case PresetType::Text:
      return value.is_string() && !value.get_ref<const std::string&>().empty();
    case PresetType::Count:
    case PresetType::Size:
      return is_count(value, range);
    case PresetType::Real:
      return value.is_number() && value.get<double>() >= range.least && value.get<double>() <= range.most;
    case PresetType::Flag:
      return value.is_boolean();
    case PresetType::Counts:
      return value.is_array() && !value.empty() && std::is_sorted(value.begin(), value.end()) &&
             std::all_of(value.begin(), value.end(), [&](const json& one) { return is_count(one, range); });
  }
  return false;
}

std::string expected_value(const PresetKey& key) {
  const PresetRange range = range_of(key);
  const auto most = static_cast<std::uint64_t>(range.most);
  switch (key.type) {
    case PresetType::Text:
      return "a text";
    case PresetType::Count:
    case PresetType::Size:
      return fmt::format("a whole number from {} to {}", range.least, most);
    case PresetType::Real:
      return fmt::format("a number from {:.6g} to {}", range.least, most);
    case PresetType::Flag:
      return "true or false";
    case PresetType::Counts:
      return fmt::format("ascending whole numbers up to {} such as [0, 8, 16]", most);
  }
  return "";
}

json value_from_text(PresetType type, const std::string& text) {
  if (type == PresetType::Text) return text;
  try {
    return parse_json(text, "--set");
  } catch (const JsonError&) {
    return text;  // which fits no other type
  }
}

}  // namespace warpscope
