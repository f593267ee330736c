#pragma once
// One preset file: read, changed by --set, checked.
#include <filesystem>
#include <string>
#include <vector>

#include "gpus/preset.h"

namespace warpscope {

/// Where the preset of a name is; a file need not be there.
std::filesystem::path preset_path(const std::string& name);

/// Reads and checks one preset file. Throws InputError as load_preset() does.
GpuPreset read_preset_file(const std::string& path, const std::vector<PresetChange>& changes);

}  // namespace warpscope
