#pragma once
// How many work-groups a core holds at once, by NVIDIA's allocation rules (cuda_occupancy.h of the CUDA
// toolkit; CUDA C Programming Guide, "Hardware Multithreading").
#include <cstdint>
#include <optional>
#include <string>

#include "gpus/preset.h"

namespace warpscope {

/// What one work-group takes.
struct WorkGroupNeeds {
  std::uint64_t work_items = 1;
  std::uint64_t local_bytes = 0;              ///< static and dynamic
  std::uint32_t registers_per_work_item = 0;  ///< 32-bit registers; 0 = not known, binds nothing
};

/// What a core has of one kind of resource, in the units of one work-group's need.
struct OccupancyLimit {
  /// "work-items per work-group", "slots", "barriers", "warps", "work-items", "bytes of local memory", "registers",
  /// "registers per work-item"
  const char* what;
  std::uint64_t per_group;    ///< taken, after rounding
  std::uint64_t per_core;     ///< units that a core has
  std::uint64_t work_groups;  ///< work-groups that fit
};

struct Occupancy {
  /// The least limit, the first of equal ones; absent = nothing binds.
  std::optional<OccupancyLimit> binding;
  [[nodiscard]] std::uint64_t work_groups() const { return binding ? binding->work_groups : 0; }
};

/// Limits that the preset does not know do not bind. Registers, by `register_allocation`:
///   work-group  warps rounded up to warp_allocation_multiple, times registers, rounded up to the unit, of
///               the whole file (compute capability 1.x)
///   warp        each warp's registers rounded up to the unit; a warp's are in one of register_partitions
///               parts
///   warp-fermi  the same, with twice the unit for 21, 22, 29, 30, 37, 38, 45 and 46 registers (2.x)
/// Work-groups of one warp take no barrier (max_barriers_per_core).
/// Where a core has two L1 caches that hold global loads, a work-group stays in one half of the core
/// ("partitioned global caching", 5.2 and 6.1), unless it fits in none.
Occupancy occupancy(const GpuPreset& preset, const WorkGroupNeeds& needs);

/// Local memory that one work-group takes: its own and the driver's, rounded up.
std::uint64_t allocated_local_bytes(const GpuPreset& preset, std::uint64_t local_bytes);

}  // namespace warpscope
