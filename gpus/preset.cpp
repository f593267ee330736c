#include "gpus/preset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "traces/error.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

enum class Type : std::uint8_t { Text, Count };

/// A key that a preset file may hold. Required keys have to have a value that is known.
struct Key {
  const char* name;
  Type type;
  bool required;
};

constexpr std::array kKeys{
    Key{"vendor", Type::Text, false},
    Key{"generation", Type::Text, true},
    Key{"compute_capability", Type::Text, false},
    Key{"cores", Type::Count, true},
    Key{"warp_size", Type::Count, true},
    Key{"schedulers_per_core", Type::Count, false},
    Key{"max_work_groups_per_core", Type::Count, false},
    Key{"max_warps_per_core", Type::Count, false},
    Key{"max_work_items_per_core", Type::Count, false},
    Key{"max_work_group_size", Type::Count, false},
    Key{"registers_per_core", Type::Count, false},
    Key{"register_allocation_unit_per_warp", Type::Count, false},
    Key{"local_size_per_core_kib", Type::Count, false},
    Key{"local_allocation_unit_bytes", Type::Count, false},
    Key{"local_banks", Type::Count, false},
    Key{"l1_size_kib", Type::Count, true},
    Key{"l1_line_bytes", Type::Count, true},
    Key{"l1_sector_bytes", Type::Count, false},
    Key{"l1_ways", Type::Count, true},
    Key{"l1_sets", Type::Count, true},
    Key{"l1_replacement", Type::Text, true},
    Key{"l1_write_policy", Type::Text, true},
    Key{"l1_set_index", Type::Text, true},
    Key{"coalescing", Type::Text, true},
    Key{"l1_hit_latency_cycles", Type::Count, false},
    Key{"l1_mshr_entries", Type::Count, false},
    Key{"l1_mshr_merges_per_entry", Type::Count, false},
    Key{"l2_size_kib", Type::Count, false},
    Key{"l2_line_bytes", Type::Count, false},
    Key{"l2_slices", Type::Count, false},
    Key{"l2_sets_per_slice", Type::Count, false},
    Key{"l2_ways", Type::Count, false},
    Key{"l2_hit_latency_cycles", Type::Count, false},
};

[[noreturn]] void fail(const std::string& file, const std::string& what) {
  throw InputError(file + ": " + what);
}

/// Reads and checks one preset file.
class PresetFile {
 public:
  explicit PresetFile(std::string path) : path_(std::move(path)) { parse(); }

  [[nodiscard]] GpuPreset preset() const;

 private:
  void parse();
  void check_entry(const std::string& name, const json& entry) const;
  void check_geometry() const;
  [[nodiscard]] const json* known(const char* key) const;
  [[nodiscard]] std::uint64_t count(const char* key) const { return known(key)->get<std::uint64_t>(); }
  [[nodiscard]] std::uint32_t count32(const char* key) const {
    return static_cast<std::uint32_t>(count(key));
  }
  [[nodiscard]] std::optional<std::uint32_t> optional_count(const char* key) const {
    return known(key) != nullptr ? std::optional(count32(key)) : std::nullopt;
  }
  [[nodiscard]] std::string text(const char* key) const { return known(key)->get<std::string>(); }

  std::string path_;
  json json_;
};

void PresetFile::parse() {
  std::ifstream file(path_);
  if (!file) fail(path_, fmt::format("cannot read: {}; expected a preset (.json)", std::strerror(errno)));
  try {
    json_ = json::parse(file);
  } catch (const json::parse_error& error) {
    fail(path_, fmt::format("byte {}: not JSON, expected a preset as in gpus/gtx480.json", error.byte));
  }
  if (!json_.is_object()) fail(path_, "expected a JSON object as in gpus/gtx480.json");
  for (const auto& [name, entry] : json_.items()) check_entry(name, entry);
  if (!json_.contains("description")) fail(path_, "key 'description' is missing, expected a text");
  for (const Key& key : kKeys) {
    if (!json_.contains(key.name)) {
      fail(path_, fmt::format("key '{}' is missing, expected {{\"value\": …, \"source\": \"…\"}}{}", key.name,
                              key.required ? "" : " or {\"value\": \"unknown\"}"));
    }
    if (key.required && known(key.name) == nullptr) {
      fail(path_, fmt::format("key '{}' is unknown, expected a value: the simulation needs it", key.name));
    }
  }
  check_geometry();
}

void PresetFile::check_entry(const std::string& name, const json& entry) const {
  if (name == "description") {
    if (!entry.is_string()) fail(path_, "key 'description': expected a text");
    return;
  }
  const auto* key = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& k) { return name == k.name; });
  if (key == kKeys.end())
    fail(path_, fmt::format("unknown key '{}'; gpus/README.md lists the known ones", name));
  if (!entry.is_object() || !entry.contains("value")) {
    fail(path_, fmt::format("key '{}': expected {{\"value\": …, \"source\": \"…\"}}", name));
  }
  for (const auto& [part, content] : entry.items()) {
    if (part == "value" || (content.is_string() && (part == "source" || part == "note"))) continue;
    fail(path_,
         fmt::format("key '{}': '{}' does not fit, expected value, and source and note as text", name, part));
  }
  const json& value = entry["value"];
  if (value == "unknown") return;
  if (entry.value("source", "").empty()) {
    fail(path_, fmt::format("key '{}': source is missing, expected where the value {} comes from", name,
                            value.dump()));
  }
  const bool fits =
      key->type == Type::Text
          ? value.is_string() && !value.get_ref<const std::string&>().empty()
          : value.is_number_unsigned() && value != 0 && value.get<std::uint64_t>() <= 0xFFFFFFFFu;
  if (!fits) {
    fail(path_, fmt::format("key '{}' is {}, expected {} or \"unknown\"", name, value.dump(),
                            key->type == Type::Text ? "a text" : "a whole number from 1 to 2^32 - 1"));
  }
}

const json* PresetFile::known(const char* key) const {
  const json& value = json_.at(key).at("value");
  return value == "unknown" ? nullptr : &value;
}

void PresetFile::check_geometry() const {
  const std::uint64_t line = count("l1_line_bytes");
  if (!std::has_single_bit(line))
    fail(path_, fmt::format("l1_line_bytes is {}, expected a power of two", line));
  const std::uint64_t bytes = count("l1_sets") * count("l1_ways") * line;
  if (bytes != count("l1_size_kib") * 1024) {
    fail(path_, fmt::format("l1_size_kib is {}, expected sets x ways x line = {} x {} x {} = {} bytes",
                            count("l1_size_kib"), count("l1_sets"), count("l1_ways"), line, bytes));
  }
  if (known("l1_sector_bytes") != nullptr && line % count("l1_sector_bytes") != 0) {
    fail(path_, fmt::format("l1_sector_bytes is {}, expected a divisor of l1_line_bytes = {}",
                            count("l1_sector_bytes"), line));
  }
}

GpuPreset PresetFile::preset() const {
  GpuPreset preset;
  preset.name = fs::path(path_).stem().string();
  preset.description = json_["description"].get<std::string>();
  preset.generation = text("generation");
  preset.cores = count32("cores");
  preset.warp_size = count32("warp_size");
  preset.max_work_groups_per_core = optional_count("max_work_groups_per_core");
  preset.max_warps_per_core = optional_count("max_warps_per_core");
  preset.max_work_items_per_core = optional_count("max_work_items_per_core");
  preset.max_work_group_size = optional_count("max_work_group_size");
  if (known("local_size_per_core_kib") != nullptr)
    preset.local_bytes_per_core = count("local_size_per_core_kib") * 1024;
  preset.schedulers_per_core = optional_count("schedulers_per_core");
  preset.l1_size_kib = count("l1_size_kib");
  preset.l1_line_bytes = count32("l1_line_bytes");
  preset.l1_ways = count32("l1_ways");
  preset.l1_replacement = text("l1_replacement");
  preset.l1_write_policy = text("l1_write_policy");
  preset.l1_set_index = text("l1_set_index");
  preset.coalescing = text("coalescing");
  preset.raw = json_;
  return preset;
}

/// Folders that may hold presets: beside the binary (bin/../share), then the source tree of this build.
std::vector<fs::path> preset_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path binary = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(binary.parent_path().parent_path() / "share" / "warpscope" / "gpus");
  folders.emplace_back(WARPSCOPE_PRESET_FOLDER);
  std::erase_if(folders, [&](const fs::path& folder) { return !fs::is_directory(folder, error); });
  return folders;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const fs::path& folder : preset_folders()) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

GpuPreset load_preset(const std::string& name_or_path) {
  const bool is_path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json");
  if (is_path) return PresetFile(name_or_path).preset();
  for (const fs::path& folder : preset_folders()) {
    const fs::path file = folder / (name_or_path + ".json");
    if (fs::is_regular_file(file)) return PresetFile(file.string()).preset();
  }
  throw InputError(fmt::format("--preset {}: unknown GPU, expected one of {}, or a .json file", name_or_path,
                               joined(preset_names())));
}

}  // namespace warpscope
