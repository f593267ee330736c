#include "cachesim/simulate/preset_cache.h"

#include "gpus/l1_shape.h"
#include "scheduler/residency.h"

namespace warpscope {

std::string preset_write_policy(const GpuPreset& preset) {
  const std::string& policy = preset.l1_write_policy;
  if (!preset.l1_store_miss_allocates || (policy != "WTNA" && policy != "WTWA" && policy != "WTWL"))
    return policy;
  if (!*preset.l1_store_miss_allocates) return "WTNA";
  return preset.l1_store_hits_line.value_or(policy == "WTWL") ? "WTWL" : "WTWA";
}

L1Takes preset_takes(const GpuPreset& preset) {
  const bool takes_private = preset.l1_caches_private_memory.value_or(true);
  if (preset.l1_size_kib == 0) return L1Takes::Nothing;
  if (preset.l1_caches_global_loads) return takes_private ? L1Takes::Everything : L1Takes::GlobalMemory;
  return takes_private ? L1Takes::PrivateMemory : L1Takes::Nothing;
}

CacheConfig preset_cache(const GpuPreset& preset) {
  CacheConfig cache;
  // Without a launch that says more: the L1 at its largest.
  const L1Shape shape = l1_shape(preset, preset.l1_unified_kib ? preset.local_carveouts_kib->front() : 0);
  cache.size_kib = shape.size_kib;
  cache.ways = shape.ways;
  cache.tag_sets = shape.tag_sets;
  cache.line_bytes = preset.l1_line_bytes;
  cache.sector_bytes = preset.l1_sector_bytes.value_or(0);
  cache.replacement = preset.l1_replacement;
  cache.write_policy = preset_write_policy(preset);
  cache.private_write_policy = preset.l1_private_write_policy.value_or(kPrivateWritePolicy);
  cache.set_index = preset.l1_set_index;
  return cache;
}

LaunchCache launch_cache(const GpuPreset& preset, const CacheConfig& cache,
                         std::optional<std::uint32_t> registers) {
  if (!preset.l1_unified_kib) return nullptr;
  return [preset, cache, registers](const LaunchInfo& launch) {
    const L1Shape shape = l1_shape(preset, carveout_of(launch, preset, registers));
    CacheConfig config = cache;
    config.size_kib = shape.size_kib;
    config.ways = shape.ways;
    config.tag_sets = shape.tag_sets;
    return config;
  };
}

}  // namespace warpscope
