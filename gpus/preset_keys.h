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
/// What the numbers of a key may be: far beyond any GPU, and such that a simulation still ends.
struct PresetRange {
  double least, most;
};
PresetRange range_of(const PresetKey& key);
/// Whether a known value has the key's type, and is in its range.
bool fits(const PresetKey& key, const nlohmann::json& value);
/// What to write for this key, for messages: "a whole number from 1 to 65536".
std::string expected_value(const PresetKey& key);
/// A value as text of the command line gives it: "unknown", 64, 1.5, true, [0,8], LRU. Not checked.
nlohmann::json value_from_text(PresetType type, const std::string& text);

}  // namespace warpscope
