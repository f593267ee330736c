#pragma once
// One preset file: read, changed by --set, checked.
#include <string>
#include <vector>

#include "gpus/preset.h"

namespace warpscope {

/// Reads and checks one preset file. Throws InputError as load_preset() does.
GpuPreset read_preset_file(const std::string& path, const std::vector<PresetChange>& changes);

}  // namespace warpscope
