#pragma once
// How many work-groups of a launch a core holds at once.
#include <cstdint>
#include <optional>

#include "gpus/occupancy.h"
#include "traces/capture.h"

namespace warpscope {

/// What a work-group of the launch takes. Registers per work-item: `registers` where given (0 = do not count
/// them), else the capture's estimate.
WorkGroupNeeds needs_of(const LaunchInfo& launch, std::optional<std::uint32_t> registers);

/// Work-groups of a launch that a core holds, by gpus/occupancy.h. 0 = no limit binds. Throws InputError when
/// not even one work-group fits. What only an estimate of registers forbids is let in.
std::uint32_t resident_work_groups(const LaunchInfo& launch, const GpuPreset& preset,
                                   std::optional<std::uint32_t> registers = std::nullopt);

/// Local memory of the work-groups of a launch that are on a core together, at most.
std::uint64_t resident_local_bytes(const LaunchInfo& launch, const GpuPreset& preset,
                                   std::optional<std::uint32_t> registers = std::nullopt);

}  // namespace warpscope
