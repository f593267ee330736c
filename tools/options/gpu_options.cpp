#include "tools/options/gpu_options.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ostream>

#include "gpus/carveout.h"
#include "traces/base/error.h"

namespace warpscope {

namespace po = boost::program_options;

void add_preset_options(po::options_description& description) {
  description.add_options()("gpu", po::value<std::string>()->value_name("GPU"),
                            "cores, warp size, residency limits and L1 of this GPU: a name, or a .json file "
                            "(default: $WARPSCOPE_GPU)")(
      "preset", po::value<std::string>()->value_name("GPU"), "the same as --gpu")(
      "set", po::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
      "set a key of the GPU to another value; may be repeated; --show-preset lists the keys")(
      "carveout", po::value<std::string>()->value_name("KIB"),
      "what local memory has of a memory that it shares with the L1: one of the GPU's sizes (default: the "
      "size that NVIDIA's driver chooses for each launch)")("list-presets", po::bool_switch(),
                                                            "the GPUs that --gpu knows")(
      "show-preset", po::value<std::string>()->value_name("GPU"),
      "every key of a GPU with value and source (after --set)");
}

std::optional<GpuChoice> gpu_choice(const OptionValues& values) {
  const auto gpu = text_of(values, "gpu"), preset = text_of(values, "preset");
  if (gpu && preset)
    throw InputError(fmt::format("--gpu {} and --preset {}: two names of one option, expected one of them",
                                 *gpu, *preset));
  if (gpu) return GpuChoice{*gpu, "--gpu"};
  if (preset) return GpuChoice{*preset, "--preset"};
  // A cache in five words says all that there is to say; what it means must not depend on the environment.
  if (has_option(values, "size-kib")) return std::nullopt;
  const char* const variable = std::getenv("WARPSCOPE_GPU");
  if (variable == nullptr || *variable == '\0') return std::nullopt;
  return GpuChoice{variable, "WARPSCOPE_GPU"};
}

std::vector<PresetChange> preset_changes(const OptionValues& values) {
  std::vector<PresetChange> changes;
  for (const std::string& text : texts_of(values, "set")) changes.push_back(preset_change(text));
  return changes;
}

std::optional<GpuPreset> preset_from(const OptionValues& values) {
  return preset_from(values, preset_changes(values));
}

std::optional<GpuPreset> preset_from(const OptionValues& values, const std::vector<PresetChange>& changes) {
  const auto carveout = text_of(values, "carveout");
  if (const auto choice = gpu_choice(values)) {
    GpuPreset preset = load_preset(choice->name, changes, choice->asked_by);
    if (carveout) set_carveout(preset, *carveout);
    return preset;
  }
  if (carveout)
    throw InputError(
        fmt::format("--carveout {}: divides a GPU's memory, expected --gpu GPU, too", *carveout));
  if (!changes.empty())
    throw InputError(fmt::format("--set {}: changes a GPU, expected --gpu GPU, too", changes[0].first));
  return std::nullopt;
}

bool show_presets(const OptionValues& values, std::ostream& out) {
  if (is_on(values, "list-presets")) {
    out << preset_list();
    return true;
  }
  const auto shown = text_of(values, "show-preset");
  if (!shown) return false;
  out << preset_text(load_preset(*shown, preset_changes(values), "--show-preset"));
  return true;
}

}  // namespace warpscope
