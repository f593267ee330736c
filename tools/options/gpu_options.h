#pragma once
// --gpu and what belongs to it, the same for every tool that simulates.
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "gpus/preset.h"
#include "tools/options/option_values.h"

namespace warpscope {

/// Adds --gpu, its alias --preset, --set, --carveout, --list-presets, --show-preset.
void add_preset_options(boost::program_options::options_description& description);

struct GpuChoice {
  std::string name;      ///< name for load_preset()
  std::string asked_by;  ///< "--gpu", "--preset" or "WARPSCOPE_GPU"
};
/// --gpu or --preset, else the variable WARPSCOPE_GPU unless the options give a whole cache ("size-kib" is
/// set). Throws InputError when both options are there.
std::optional<GpuChoice> gpu_choice(const OptionValues& values);
/// What --set says, in its order. Throws InputError.
std::vector<PresetChange> preset_changes(const OptionValues& values);
/// That GPU with the changes of --set, or with `changes`, and --carveout; absent without a choice. Throws InputError as
/// load_preset() and set_carveout().
std::optional<GpuPreset> preset_from(const OptionValues& values);
std::optional<GpuPreset> preset_from(const OptionValues& values, const std::vector<PresetChange>& changes);
/// Answers --list-presets and --show-preset; whether there was one of them.
bool show_presets(const OptionValues& values, std::ostream& out);

}  // namespace warpscope
