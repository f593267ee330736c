#pragma once
// How many work-groups of a launch a core holds at once.
#include <cstdint>

#include "gpus/preset.h"
#include "traces/capture.h"

namespace warpscope {

/// The least of the preset's limits on work-groups, warps, work-items and local memory (static plus dynamic)
/// per core; limits that the preset does not know do not bind (NVIDIA CUDA C Programming Guide, "Hardware
/// Multithreading"). 0 = no limit binds. Throws InputError when not even one work-group fits.
std::uint32_t resident_work_groups(const LaunchInfo& launch, const GpuPreset& preset);

}  // namespace warpscope
