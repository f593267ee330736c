#pragma once
// GPU presets: data files gpus/<name>.json, every value with its source.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpscope {

/// C++ types of the keys, by need and by type (preset_keys.def).
namespace preset_type {
template <class T>
using required = T;
template <class T>
using optional = std::optional<T>;
using Text = std::string;
using Count = std::uint32_t;  ///< 1 … 2^32 - 1
using Size = std::uint32_t;   ///< 0 … 2^32 - 1
using Real = double;          ///< a number above 0
using Flag = bool;
using Counts = std::vector<std::uint32_t>;
}  // namespace preset_type

// The groups of preset_keys.def: CoreValues, L1Values and so on, with a member for every key.
#define PRESET_GROUP(name, title) struct name {
#define PRESET_KEY(type, name, need, help) preset_type::need<preset_type::type> name{};  // NOLINT: a type
#define PRESET_GROUP_END \
  }                      \
  ;
#include "gpus/preset_keys.def"
#undef PRESET_KEY

/// What scheduler, cache simulator and timed engine read from a preset; preset_keys.def says what each value means.
/// A value that the file does not have is unknown: absent.
struct GpuPreset : CoreValues,
                   ResidencyValues,
                   LocalMemoryValues,
                   L1Values,
                   SharedL1Values,
                   L1RateValues,
                   L2Values,
                   DramValues,
                   ArithmeticValues {
  std::string name, description;
  std::vector<std::string> not_modelled;  ///< parts of the GPU that nothing here simulates
  std::string not_validated;  ///< why no result for it can be relied upon; empty = see docs/validation
  nlohmann::json raw;         ///< the whole file after --set, for the context block
};

/// A --set: key and value as text.
using PresetChange = std::pair<std::string, std::string>;
/// "key=value" in two. Throws InputError when there is no '='.
PresetChange preset_change(const std::string& text);

/// Loads a preset by name (gpu_name.h; from the presets folder next to the binary or in the source tree) or by path of a
/// .json file, and applies `changes`. Of l1_size_kib, l1_ways and l1_sets, what is not changed follows what
/// is (first the ways, then the size); a changed l1_size_kib is a fixed size: l1_unified_kib becomes unknown.
/// Throws InputError: unknown name (with those that it may mean, else all, after `asked_by`, the option or variable that gave
/// it), unknown key (lists the known ones), a value of the wrong type, missing source, inconsistent geometry.
GpuPreset load_preset(const std::string& name_or_path, const std::vector<PresetChange>& changes = {},
                      const std::string& asked_by = "--gpu");
std::vector<std::string> preset_names();

/// Text of --list-presets: a line per preset, name and description.
std::string preset_list();
/// Text of --show-preset: a line per known key with value, status, source and note, then the unknown keys with their
/// meaning.
std::string preset_text(const GpuPreset& preset);

}  // namespace warpscope
