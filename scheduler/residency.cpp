#include "scheduler/residency.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/base/error.h"

namespace warpscope {

WorkGroupNeeds needs_of(const LaunchInfo& launch, std::optional<std::uint32_t> registers) {
  return {launch.local.count(), launch.kernel->static_local_bytes + launch.dynamic_local_bytes,
          registers.value_or(launch.kernel->registers_estimate)};
}

std::optional<OccupancyLimit> misfit(const LaunchInfo& launch, const GpuPreset& preset,
                                     std::optional<std::uint32_t> registers) {
  WorkGroupNeeds needs = needs_of(launch, registers);
  if (!registers) needs.registers_per_work_item = 0;
  const Occupancy found = occupancy(preset, needs);
  return found.work_groups() == 0 ? found.binding : std::nullopt;
}

std::uint32_t resident_work_groups(const LaunchInfo& launch, const GpuPreset& preset,
                                   std::optional<std::uint32_t> registers) {
  if (const auto limit = misfit(launch, preset, registers))
    throw InputError(
        fmt::format("launch {}: a work-group takes {} {}, {} allows {}; take smaller "
                    "work-groups, or --max-workgroups to ignore the limits",
                    launch.id.value(), limit->per_group, limit->what, preset.name, limit->per_core));
  const Occupancy found = occupancy(preset, needs_of(launch, registers));
  if (!found.binding) return 0;
  // What only an estimate forbids is let in.
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(found.binding->work_groups, 1, 0xFFFFFFFFu));
}

std::uint64_t resident_local_bytes(const LaunchInfo& launch, const GpuPreset& preset, std::uint32_t cores,
                                   std::optional<std::uint32_t> registers) {
  const std::uint64_t per_group = needs_of(launch, registers).local_bytes;
  if (per_group == 0) return 0;
  cores = std::max(1u, cores);
  if (misfit(launch, preset, registers)) return allocated_local_bytes(preset, per_group);
  const std::uint64_t share = (launch.groups().count() + cores - 1) / cores;
  const std::uint64_t limit = resident_work_groups(launch, preset, registers);
  return (limit == 0 ? share : std::min(share, limit)) * allocated_local_bytes(preset, per_group);
}

}  // namespace warpscope
