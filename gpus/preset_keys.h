#pragma once
// The table of preset keys, and the checks of one value.
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace warpscope {

enum class PresetType : std::uint8_t { Text, Count, Size, Real, Flag, Counts };

/// A line of preset_keys.def.
struct PresetKey {
  const char* name;
  PresetType type;
  bool required;
  const char* help;
};

std::span<const PresetKey> preset_keys();
/// Null when there is no such key.
const PresetKey* preset_key(const std::string& name);
/// Whether an earlier version had this key, and this one does not.
bool was_preset_key(const std::string& name);
/// Whether a known value has the key's type.
bool fits(PresetType type, const nlohmann::json& value);
/// What to write for this type, for messages: "a whole number from 1 to 2^32 - 1".
const char* expected_value(PresetType type);
/// A value as text of the command line gives it: "unknown", 64, 1.5, true, [0,8], LRU. Not checked.
nlohmann::json value_from_text(PresetType type, const std::string& text);

}  // namespace warpscope
