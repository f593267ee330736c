#pragma once
// From a GPU preset to its L1.
#include <optional>
#include <string>

#include "cachesim/simulate/launch_cache.h"
#include "cachesim/transactions/access_path.h"
#include "gpus/preset.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// The L1 of --preset at its largest, or next to a fixed carve-out. The preset has one (l1_size_kib is not 0).
CacheConfig preset_cache(const GpuPreset& preset);
/// `cache` with the capacity and the ways that a launch's carve-out leaves it (carveout_of(), l1_shape()), in
/// fixed order, timed mode and sweeps; the read-only cache in its place for a launch that only that one serves (Kepler);
/// null if all launches have the same.
/// `registers` per work-item, as given; absent = as the launch says.
LaunchCache launch_cache(const GpuPreset& preset, const CacheConfig& cache,
                         std::optional<std::uint32_t> registers);
/// l1_write_policy, with or without allocation on store misses where l1_store_miss_allocates says so, and with or without
/// hits by line where stores allocate and l1_store_hits_line says so.
std::string preset_write_policy(const GpuPreset& preset);
/// What private memory's stores do where l1_private_write_policy is unknown: as documented for Fermi.
constexpr const char* kPrivateWritePolicy = "WBWA";
/// Which accesses look the L1 up, or on Kepler the read-only cache. Where l1_caches_private_memory is unknown, private memory's do.
L1Takes preset_takes(const GpuPreset& preset);

}  // namespace warpscope
