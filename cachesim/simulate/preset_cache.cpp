#include "cachesim/simulate/preset_cache.h"

#include "gpus/l1_shape.h"
#include "scheduler/residency.h"

namespace warpscope {
namespace {

// GPGPU-Sim configs/tested-cfgs/SM3_KEPLER_TITAN/gpgpusim.config, -gpgpu_tex_cache:l1 N:16:128:24,L:R
constexpr std::uint32_t kReadonlyWays = 24;

/// Maxwell and Pascal: the L1 is the texture cache, which takes read-only loads in any case.
bool is_texture_cache(const GpuPreset& preset) {
  return preset.generation == "Maxwell" || preset.generation == "Pascal";
}

/// Kepler of compute capability 3.5 and later, where global loads bypass the L1.
bool has_readonly_cache(const GpuPreset& preset) {
  return !preset.l1_caches_global_loads && preset.readonly_cache_kib.has_value();
}

/// The L1 of a launch, or the read-only cache in its place.
CacheConfig with_readonly_cache(const GpuPreset& preset, const CacheConfig& cache, const LaunchInfo& launch) {
  CacheConfig config = cache;
  if (taken_of(*launch.kernel, preset_takes(preset)) != L1Takes::ReadOnlyLoads) return config;
  config.size_kib = *preset.readonly_cache_kib;
  config.ways = kReadonlyWays;
  return config;
}

}  // namespace

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
  if (is_texture_cache(preset)) return takes_private ? L1Takes::PrivateAndReadOnly : L1Takes::ReadOnlyLoads;
  if (has_readonly_cache(preset)) return takes_private ? L1Takes::PrivateOrReadOnly : L1Takes::ReadOnlyLoads;
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
  if (has_readonly_cache(preset))
    return [preset, cache](const LaunchInfo& launch) { return with_readonly_cache(preset, cache, launch); };
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
