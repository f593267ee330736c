#include "gpus/preset_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>

#include "gpus/gpu_name.h"
#include "gpus/preset_keys.h"
#include "traces/base/error.h"
#include "traces/base/installation.h"
#include "traces/base/json_fields.h"
#include "traces/base/names.h"
#include "traces/base/printable.h"
#include "traces/files/text_file.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr std::array kStatuses = {"measured", "model", "derived", "recalled"};

constexpr const char* kRemoved =
    "{}: nothing reads this key any more, expected a file and options without it";

constexpr unsigned kMostLikes = 4;

bool is_plain_key(const std::string& name) {
  return name == "description" || name == "like" || name == "not_modelled" || name == "not_validated";
}

/// Of --set. All keys together fill a terminal.
std::string unknown_key(const std::string& name) {
  std::vector<std::string> keys;
  for (const PresetKey& key : preset_keys()) keys.emplace_back(key.name);
  const std::vector<std::string> similar = similar_names(name, keys);
  return fmt::format("--set {}: unknown key, expected {}one that cachesim --show-preset GPU lists", name,
                     similar.empty() ? "" : fmt::format("{}, or another ", fmt::join(similar, ", ")));
}

bool is_unknown(const json& entry) {
  return entry.is_object() && entry.value("value", json()) == "unknown";
}

/// A preset file in memory. Its messages name the file.
class PresetFile {
 public:
  explicit PresetFile(std::string path) : path_(std::move(path)) { parse(); }
  void inherit(unsigned depth);
  void change(const std::vector<PresetChange>& changes);
  void check() const;
  [[nodiscard]] GpuPreset preset() const;

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(path_ + ": " + what); }
  void parse();
  [[nodiscard]] std::string path_of_like(const std::string& name) const;
  void check_entry(const std::string& name, const json& entry) const;
  void check_value(const PresetKey& key, const json& entry) const;
  void check_plain(const std::string& name, const json& content) const;
  void check_l1() const;
  void check_unified() const;
  void follow_l1_changes(const std::vector<PresetChange>& changes);
  void set(const char* key, const json& value, const std::string& source) {
    json_[key] = {{"value", value}, {"source", source}};
  }
  [[nodiscard]] const json* known(const char* key) const;
  [[nodiscard]] std::uint64_t count(const char* key) const { return known(key)->get<std::uint64_t>(); }
  [[nodiscard]] bool has_l1() const { return known("l1_size_kib") == nullptr || *known("l1_size_kib") != 0; }
  /// l1_keeps_tags: fewer lines than sets x ways are no contradiction.
  [[nodiscard]] bool keeps_tags() const;

  std::string path_;
  json json_;
};

void PresetFile::parse() {
  const std::string text = read_text_file(path_, "a preset (.json)");
  try {
    json_ = parse_json(text, path_);
  } catch (const JsonError& error) {
    throw InputError(fmt::format("{}, expected a preset as in gpus/gtx480.json", error.what()));
  }
  if (!json_.is_object()) fail("expected a JSON object as in gpus/gtx480.json");
  for (const auto& [name, entry] : json_.items()) check_entry(name, entry);
  if (!json_.contains("description")) fail("key 'description' is missing, expected a text");
}

/// What the file does not say is as in the preset that `like` names. `depth`: of files that lead here so.
void PresetFile::inherit(unsigned depth) {
  if (json_.contains("like")) {
    PresetFile other(path_of_like(json_["like"].get<std::string>()));
    if (depth == kMostLikes)
      fail("key 'like': leads on and on, expected a preset that has all values in the end");
    other.inherit(depth + 1);
    json_.erase("like");
    json_.insert(other.json_.begin(), other.json_.end());  // what is there already stays
  }
  for (auto entry = json_.begin(); entry != json_.end();)  // an unknown value may be written out
    entry = is_unknown(*entry) ? json_.erase(entry) : std::next(entry);
}

/// A preset next to this one, else one of those that are installed.
std::string PresetFile::path_of_like(const std::string& name) const {
  namespace fs = std::filesystem;
  std::error_code error;  // such as of a name that no file may have
  if (name.find('/') == std::string::npos) {
    for (const fs::path& path : {fs::path(path_).parent_path() / (name + ".json"), preset_path(name)})
      if (fs::is_regular_file(path, error)) return path.string();
  }
  fail(fmt::format("key 'like': there is no preset {}, expected a name of cachesim --list-presets",
                   quotable(name)));
}

void PresetFile::check_plain(const std::string& name, const json& content) const {
  if (name != "not_modelled") {
    if (!content.is_string()) fail(fmt::format("key '{}': expected a text", name));
    return;
  }
  const bool texts = content.is_array() && std::all_of(content.begin(), content.end(),
                                                       [](const json& text) { return text.is_string(); });
  if (!texts) fail("key 'not_modelled': expected a list of texts");
}

void PresetFile::check_entry(const std::string& name, const json& entry) const {
  if (is_plain_key(name)) return check_plain(name, entry);
  const PresetKey* key = preset_key(name);
  if (key == nullptr && was_preset_key(name)) fail(fmt::format(kRemoved, "key '" + name + "'"));
  if (key == nullptr)
    fail(fmt::format("unknown key '{}'; docs/reference/preset-keys.md lists the known ones", name));
  if (!entry.is_object() || !entry.contains("value"))
    fail(fmt::format("key '{}': expected {{\"value\": …, \"source\": \"…\"}}", name));
  for (const auto& [part, content] : entry.items()) {
    if (part == "value" || (content.is_string() && (part == "source" || part == "note"))) continue;
    if (part == "status" && std::find(kStatuses.begin(), kStatuses.end(), content) != kStatuses.end())
      continue;
    fail(fmt::format(
        "key '{}': '{}' does not fit, expected value, source and note as text, and as status one of {}", name,
        part, names_of(kStatuses)));
  }
  check_value(*key, entry);
}

void PresetFile::check_value(const PresetKey& key, const json& entry) const {
  const json& value = entry["value"];
  if (is_unknown(entry)) return;
  if (entry.value("source", "").empty()) {
    fail(fmt::format("key '{}': source is missing, expected where the value {} comes from", key.name,
                     quotable(dump(value))));
  }
  if (!fits(key, value)) {
    fail(fmt::format("key '{}' is {}, expected {}", key.name, quotable(dump(value)), expected_value(key)));
  }
}

const json* PresetFile::known(const char* key) const {
  const auto entry = json_.find(key);
  return entry == json_.end() ? nullptr : &entry->at("value");
}

void PresetFile::change(const std::vector<PresetChange>& changes) {
  for (const auto& [name, text] : changes) {
    const PresetKey* key = preset_key(name);
    if (key == nullptr && was_preset_key(name)) throw InputError(fmt::format(kRemoved, "--set " + name));
    if (key == nullptr) throw InputError(unknown_key(name));
    const json value = value_from_text(key->type, text);
    if (value == "unknown") {
      json_.erase(key->name);
      continue;
    }
    if (!fits(*key, value))
      throw InputError(fmt::format("--set {}={}: expected {} or unknown", name, text, expected_value(*key)));
    set(key->name, value, "--set");
  }
  follow_l1_changes(changes);
}

/// Who sets one side of size = sets x ways x line need not set the others.
void PresetFile::follow_l1_changes(const std::vector<PresetChange>& changes) {
  const auto changed = [&](const char* key) {
    return std::any_of(changes.begin(), changes.end(), [&](const auto& one) { return one.first == key; });
  };
  const bool shape = changed("l1_ways") || changed("l1_sets") || changed("l1_line_bytes");
  if (!shape && !changed("l1_size_kib")) return;
  for (const char* key : {"l1_sets", "l1_line_bytes"})
    if (known(key) == nullptr || count(key) == 0) return;
  if (changed("l1_size_kib")) {
    if (!changed("l1_unified_kib")) json_.erase("l1_unified_kib");
    if (keeps_tags()) return;
    const std::uint64_t of_a_way = count("l1_sets") * count("l1_line_bytes");
    if (!has_l1() || changed("l1_ways") || known("l1_size_kib") == nullptr) return;
    if (count("l1_size_kib") * 1024 % of_a_way == 0)
      set("l1_ways", count("l1_size_kib") * 1024 / of_a_way, "follows from --set");
  } else if (known("l1_ways") != nullptr) {
    const std::uint64_t bytes = count("l1_sets") * count("l1_ways") * count("l1_line_bytes");
    if (bytes % 1024 == 0) set("l1_size_kib", bytes / 1024, "follows from --set");
    if (!changed("l1_unified_kib")) json_.erase("l1_unified_kib");
  }
}

void PresetFile::check() const {
  for (const PresetKey& key : preset_keys()) {
    const bool of_l1 =
        std::string_view(key.name).starts_with("l1_") && key.name != std::string_view("l1_size_kib");
    if (key.required && known(key.name) == nullptr && (has_l1() || !of_l1))
      fail(fmt::format("key '{}' is unknown, expected a value: the simulation needs it", key.name));
  }
  if (has_l1()) {
    check_l1();
    check_unified();
  }
}

bool PresetFile::keeps_tags() const {
  return known("l1_keeps_tags") != nullptr && known("l1_keeps_tags")->get<bool>();
}

void PresetFile::check_l1() const {
  const std::uint64_t line = count("l1_line_bytes");
  if (!std::has_single_bit(line)) fail(fmt::format("l1_line_bytes is {}, expected a power of two", line));
  const PresetKey& size = *preset_key("l1_size_kib");  // may follow from what --set changes
  if (!fits(size, *known(size.name)))
    fail(fmt::format("l1_size_kib is {}, expected {}", count("l1_size_kib"), expected_value(size)));
  const std::uint64_t bytes = count("l1_sets") * count("l1_ways") * line;
  const bool has_spare_tags = keeps_tags() && bytes >= count("l1_size_kib") * 1024;
  if (!has_spare_tags && bytes != count("l1_size_kib") * 1024) {
    fail(fmt::format("l1_size_kib is {}, expected sets x ways x line = {} x {} x {} = {} bytes",
                     count("l1_size_kib"), count("l1_sets"), count("l1_ways"), line, bytes));
  }
  if (known("l1_sector_bytes") == nullptr) return;
  const std::uint64_t sector = count("l1_sector_bytes");
  if (line % sector != 0 || line / sector > 32) {
    fail(fmt::format("l1_sector_bytes is {}, expected a divisor of l1_line_bytes = {}, at most 32 to a line",
                     sector, line));
  }
}

void PresetFile::check_unified() const {
  if (known("l1_unified_kib") == nullptr) return;
  if (known("local_carveouts_kib") == nullptr)
    fail("l1_unified_kib is known, expected local_carveouts_kib to be known, too");
  const std::uint64_t unified = count("l1_unified_kib");
  const auto carveouts = known("local_carveouts_kib")->get<std::vector<std::uint64_t>>();
  if (count("l1_size_kib") + carveouts.front() != unified) {
    fail(fmt::format(
        "l1_size_kib is {}, expected l1_unified_kib less the smallest of local_carveouts_kib = {}",
        count("l1_size_kib"), unified - std::min(unified, carveouts.front())));
  }
  const std::uint64_t residue = known("l1_residue_bytes") == nullptr ? 0 : count("l1_residue_bytes");
  if ((unified - std::min(unified, carveouts.back())) * 1024 <= residue)
    fail("local_carveouts_kib: the largest one leaves nothing of l1_unified_kib for the L1");
}

template <class T>
void assign(T& member, const json& value) {
  value.get_to(member);
}
template <class T>
void assign(std::optional<T>& member, const json& value) {
  member = value.get<T>();
}

GpuPreset PresetFile::preset() const {
  GpuPreset preset;
  preset.name = std::filesystem::path(path_).stem().string();
  preset.description = json_["description"].get<std::string>();
  if (json_.contains("not_modelled")) json_["not_modelled"].get_to(preset.not_modelled);
  if (json_.contains("not_validated")) json_["not_validated"].get_to(preset.not_validated);
#define PRESET_KEY(type, name, need, help) \
  if (const json* value = known(#name)) assign(preset.name, *value);
#include "gpus/preset_keys.def"
#undef PRESET_KEY
  preset.raw = json_;
  return preset;
}

}  // namespace

std::filesystem::path preset_path(const std::string& name) {
  return std::filesystem::path(installed_path("share/warpscope/gpus")) / (name + ".json");
}

GpuPreset read_preset_file(const std::string& path, const std::vector<PresetChange>& changes) {
  PresetFile file(path);
  file.inherit(0);
  if (!changes.empty()) file.change(changes);
  file.check();
  return file.preset();
}

}  // namespace warpscope
