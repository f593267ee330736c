#include "scheduler/residency.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpus/carveout.h"
#include "gpus/registers.h"
#include "traces/base/error.h"

namespace warpscope {

WorkGroupNeeds needs_of(const LaunchInfo& launch, const GpuPreset& preset,
                        std::optional<std::uint32_t> registers) {
  const std::uint32_t estimate = std::min(registers_of(*launch.kernel, preset),
                                          preset.max_registers_per_work_item.value_or(~std::uint32_t{0}));
  return {launch.local.count(), launch.kernel->static_local_bytes + launch.dynamic_local_bytes,
          registers.value_or(estimate)};
}

std::optional<OccupancyLimit> misfit(const LaunchInfo& launch, const GpuPreset& preset,
                                     std::optional<std::uint32_t> registers) {
  WorkGroupNeeds needs = needs_of(launch, preset, registers);
  if (!registers) needs.registers_per_work_item = 0;
  const Occupancy found = occupancy(preset, needs);
  return found.work_groups() == 0 ? found.binding : std::nullopt;
}

std::uint32_t resident_work_groups(const LaunchInfo& launch, const GpuPreset& preset,
                                   std::optional<std::uint32_t> registers) {
  if (const auto limit = misfit(launch, preset, registers))
    throw InputError(fmt::format(
        "launch {}: a work-group takes {} {}, {} allows {}; take smaller "
        "work-groups, or --max-workgroups to ignore the limits",
        launch.id.value(), limit->per_group, limit->what, name_and_carveout(preset), limit->per_core));
  const Occupancy found = occupancy(preset, needs_of(launch, preset, registers));
  if (!found.binding) return 0;
  // What only an estimate forbids is let in.
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(found.binding->work_groups, 1, 0xFFFFFFFFu));
}

std::uint32_t carveout_of(const LaunchInfo& launch, const GpuPreset& preset,
                          std::optional<std::uint32_t> registers) {
  return carveout_kib(preset, needs_of(launch, preset, registers));
}

}  // namespace warpscope
