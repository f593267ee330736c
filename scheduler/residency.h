#pragma once
// How many work-groups of a launch a core holds at once.
#include <cstdint>
#include <optional>

#include "gpus/occupancy.h"
#include "traces/program/capture.h"

namespace warpscope {

/// What a work-group of the launch takes. Registers per work-item: `registers` where given (0 = do not count
/// them), else registers_of() the kernel, at most what a work-item can have on this GPU: beyond that a compiler
/// spills.
WorkGroupNeeds needs_of(const LaunchInfo& launch, const GpuPreset& preset,
                        std::optional<std::uint32_t> registers);

/// The limit that keeps even one work-group of the launch off a core; absent = it fits. What only an estimate
/// of registers forbids fits.
std::optional<OccupancyLimit> misfit(const LaunchInfo& launch, const GpuPreset& preset,
                                     std::optional<std::uint32_t> registers = std::nullopt);

/// Work-groups of a launch that a core holds, by gpus/occupancy.h. 0 = no limit binds. Throws InputError for
/// a misfit.
std::uint32_t resident_work_groups(const LaunchInfo& launch, const GpuPreset& preset,
                                   std::optional<std::uint32_t> registers = std::nullopt);

/// The carve-out while the launch runs, in KiB (gpus/carveout.h).
std::uint32_t carveout_of(const LaunchInfo& launch, const GpuPreset& preset,
                          std::optional<std::uint32_t> registers = std::nullopt);

}  // namespace warpscope
