#pragma once
// How much of the memory that local memory and the L1 share the driver gives local memory: the carve-out.
#include <cstdint>
#include <optional>
#include <string>

#include "gpus/occupancy.h"
#include "gpus/preset.h"

namespace warpscope {

/// The carve-out, in KiB, while work-groups with `needs` run: what set_carveout() said, else what NVIDIA's
/// driver was seen to choose (validation/notes/carveout.md). 0 if local memory shares none with the L1.
/// The driver takes the smallest of local_carveouts_kib that covers all that are resident, each with the
/// driver's own part, and on some generations room for more; how many work-groups there are does not count.
std::uint32_t carveout_kib(const GpuPreset& preset, const WorkGroupNeeds& needs);

/// Fixes the carve-out (--carveout): local memory, and with it what is resident, has `text` KiB. Throws
/// InputError when `text` is not one of local_carveouts_kib, or when nothing is divided.
void set_carveout(GpuPreset& preset, const std::string& text);

/// The name of a preset, with its carve-out if that is fixed, for messages.
std::string name_and_carveout(const GpuPreset& preset);

/// The carve-out that leaves an L1 of `l1_kib` (l1_shape()); absent if none does.
std::optional<std::uint32_t> carveout_beside(const GpuPreset& preset, std::uint64_t l1_kib);

}  // namespace warpscope
