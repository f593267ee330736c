#include "gpus/preset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "gpus/gpu_name.h"
#include "gpus/preset_file.h"
#include "gpus/preset_keys.h"
#include "traces/base/names.h"
#include "traces/base/printable.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

std::string listed(const GpuPreset& preset) {
  return preset.description + (preset.not_validated.empty() ? "" : "; not validated");
}

std::string value_text(const nlohmann::json& value) {
  return value.is_string() ? printable(value.get<std::string>()) : value.dump();
}

/// "16 (model)  [source]  note" of an entry of a preset file.
std::string entry_text(const nlohmann::json& entry) {
  const auto part = [&](const char* name, const char* format) {
    return entry.contains(name) ? fmt::format(fmt::runtime(format), printable(entry[name].get<std::string>()))
                                : "";
  };
  return value_text(entry.at("value")) + part("status", " ({})") + part("source", "  [{}]") +
         part("note", "  {}");
}

InputError unknown_gpu(const std::string& what, const std::string& name) {
  const std::vector<std::string> names = preset_names();
  const std::vector<std::string> similar = similar_gpu_names(name, names);
  if (similar.empty()) return unknown_name(what + ": unknown GPU", names_of(names) + ", or a .json file");
  return InputError(fmt::format(
      "{}: unknown GPU, did you mean {}? Expected a name of cachesim --list-presets, or a .json file", what,
      fmt::join(similar, " or ")));
}

}  // namespace

PresetChange preset_change(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("--set {}: expected key=value, for example l1_size_kib=48", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  std::error_code error;  // without the folder there are no names
  for (const auto& entry : fs::directory_iterator(preset_path("").parent_path(), error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

GpuPreset load_preset(const std::string& name_or_path, const std::vector<PresetChange>& changes,
                      const std::string& asked_by) {
  const bool is_path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json");
  if (is_path) return read_preset_file(name_or_path, changes);
  const std::string name = canonical_gpu_name(name_or_path);
  const fs::path file = preset_path(name);
  std::error_code error;  // such as of a name that no file may have
  if (!name.empty() && fs::is_regular_file(file, error)) return read_preset_file(file.string(), changes);
  throw unknown_gpu(fmt::format("{} {}", asked_by, quotable(name_or_path)), name_or_path);
}

std::string preset_list() {
  const std::vector<std::string> names = preset_names();
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::string text;
  for (const std::string& name : names)
    text += name + std::string(width - name.size() + 2, ' ') + listed(load_preset(name)) + "\n";
  return text;
}

std::string preset_text(const GpuPreset& preset) {
  std::string text = fmt::format("{}: {}\n", printable(preset.name), printable(preset.description));
  if (!preset.not_validated.empty())
    text += fmt::format("not validated: {}\n", printable(preset.not_validated));
  if (!preset.not_modelled.empty())
    text += fmt::format("not modelled: {}\n", printable(names_of(preset.not_modelled)));
  std::string unknown;
  for (const PresetKey& key : preset_keys()) {
    if (const auto found = preset.raw.find(key.name); found != preset.raw.end())
      text += fmt::format("{} = {}\n", key.name, entry_text(*found));
    else
      unknown += fmt::format("  {}: {}\n", key.name, key.help);
  }
  if (!unknown.empty())
    text +=
        "unknown, or not part of this GPU (timed mode assumes a value or does without; --set KEY=VALUE gives "
        "one):\n" +
        unknown;
  return text;
}

}  // namespace warpscope
