#include "gpus/occupancy.h"

#include <algorithm>
#include <array>

namespace warpscope {
namespace {

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// What one warp takes of the register file.
std::uint64_t registers_of_warp(const GpuPreset& preset, std::uint32_t registers) {
  constexpr std::array kDoubleUnit = {21u, 22u, 29u, 30u, 37u, 38u, 45u, 46u};
  std::uint64_t unit = preset.register_allocation_unit.value_or(1);
  if (preset.register_allocation == "warp-fermi" &&
      std::find(kDoubleUnit.begin(), kDoubleUnit.end(), registers) != kDoubleUnit.end())
    unit *= 2;
  return rounded_up(std::uint64_t{registers} * preset.warp_size, unit);
}

/// Registers for a whole work-group at a time: compute capability 1.x.
OccupancyLimit by_group_registers(const GpuPreset& preset, std::uint64_t warps, std::uint32_t registers) {
  const std::uint64_t counted = rounded_up(warps, preset.warp_allocation_multiple.value_or(1));
  const std::uint64_t of_group =
      rounded_up(counted * preset.warp_size * registers, preset.register_allocation_unit.value_or(1));
  return {"registers", of_group, *preset.registers_per_core, *preset.registers_per_core / of_group};
}

/// Work-groups of `warps` warps when the core is in `halves` that a work-group does not leave; if none fits
/// so, it spreads over the core.
std::uint64_t in_halves(std::uint64_t warps_of_core, std::uint64_t warps, std::uint64_t halves) {
  const std::uint64_t fitting = warps_of_core / halves / warps * halves;
  return fitting != 0 ? fitting : warps_of_core / warps;
}

OccupancyLimit by_warp_registers(const GpuPreset& preset, std::uint64_t warps, std::uint32_t registers,
                                 std::uint64_t halves) {
  const std::uint64_t partitions = preset.register_partitions.value_or(1);
  const std::uint64_t of_warp = registers_of_warp(preset, registers);
  const std::uint64_t warps_of_core = *preset.registers_per_core / partitions / of_warp * partitions;
  // The hardware refuses a work-group whose warps, rounded up to the partitions, exceed the file.
  const bool refused = of_warp * rounded_up(warps, partitions) > *preset.registers_per_core;
  return {"registers", of_warp * warps, *preset.registers_per_core,
          refused ? 0 : in_halves(warps_of_core, warps, halves)};
}

class Least {
 public:
  void take(const OccupancyLimit& limit) {
    if (!least_.binding || limit.work_groups < least_.binding->work_groups) least_.binding = limit;
  }
  void take(const char* what, std::optional<std::uint64_t> per_core, std::uint64_t per_group) {
    if (per_core && per_group != 0) take({what, per_group, *per_core, *per_core / per_group});
  }
  [[nodiscard]] const Occupancy& occupancy() const { return least_; }

 private:
  Occupancy least_;
};

}  // namespace

std::uint64_t allocated_local_bytes(const GpuPreset& preset, std::uint64_t local_bytes) {
  return rounded_up(local_bytes + preset.local_reserved_bytes_per_work_group.value_or(0),
                    preset.local_allocation_unit_bytes.value_or(1));
}

Occupancy occupancy(const GpuPreset& preset, const WorkGroupNeeds& needs) {
  const std::uint64_t warps = (needs.work_items + preset.warp_size - 1) / preset.warp_size;
  const bool halves = preset.l1_units_per_core == 2 && preset.l1_caches_global_loads;
  Least least;
  if (needs.work_items > preset.max_work_group_size.value_or(~std::uint32_t{0}))
    least.take({"work-items per work-group", needs.work_items, *preset.max_work_group_size, 0});
  least.take("slots", preset.max_work_groups_per_core, 1);
  if (warps > 1) least.take("barriers", preset.max_barriers_per_core, 1);
  if (preset.max_warps_per_core)
    least.take({"warps", warps, *preset.max_warps_per_core,
                in_halves(*preset.max_warps_per_core, warps, halves ? 2 : 1)});
  least.take("work-items", preset.max_work_items_per_core, needs.work_items);
  if (needs.local_bytes > preset.max_local_bytes_per_work_group.value_or(~std::uint32_t{0}))
    least.take({"bytes of local memory", needs.local_bytes, *preset.max_local_bytes_per_work_group, 0});
  least.take("bytes of local memory", preset.local_bytes_per_core,
             allocated_local_bytes(preset, needs.local_bytes));
  const std::uint32_t registers = needs.registers_per_work_item;
  if (registers == 0 || !preset.registers_per_core) return least.occupancy();
  if (registers > preset.max_registers_per_work_item.value_or(~std::uint32_t{0}))
    least.take({"registers per work-item", registers, *preset.max_registers_per_work_item, 0});
  least.take(preset.register_allocation == "work-group"
                 ? by_group_registers(preset, warps, registers)
                 : by_warp_registers(preset, warps, registers, halves ? 2 : 1));
  return least.occupancy();
}

}  // namespace warpscope
