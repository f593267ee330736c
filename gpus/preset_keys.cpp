#include "gpus/preset_keys.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "traces/base/json_fields.h"
#include "traces/base/names.h"

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

bool is_count(const json& value, std::uint64_t least) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() >= least &&
         value.get<std::uint64_t>() <= 0xFFFFFFFFu;
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

bool fits(PresetType type, const json& value) {
  switch (type) {
    case PresetType::Text:
      return value.is_string() && !value.get_ref<const std::string&>().empty();
    case PresetType::Count:
      return is_count(value, 1);
    case PresetType::Size:
      return is_count(value, 0);
    case PresetType::Real:
      return value.is_number() && value.get<double>() > 0;
    case PresetType::Flag:
      return value.is_boolean();
    case PresetType::Counts:
      return value.is_array() && !value.empty() && std::is_sorted(value.begin(), value.end()) &&
             std::all_of(value.begin(), value.end(), [](const json& one) { return is_count(one, 0); });
  }
  return false;
}

const char* expected_value(PresetType type) {
  switch (type) {
    case PresetType::Text:
      return "a text";
    case PresetType::Count:
      return "a whole number from 1 to 2^32 - 1";
    case PresetType::Size:
      return "a whole number from 0 to 2^32 - 1";
    case PresetType::Real:
      return "a number above 0";
    case PresetType::Flag:
      return "true or false";
    case PresetType::Counts:
      return "ascending whole numbers such as [0, 8, 16]";
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
