#include "gpus/l1_shape.h"

#include <algorithm>

namespace warpscope {

L1Shape l1_shape(const GpuPreset& preset, std::uint64_t local_bytes) {
  if (!preset.l1_unified_kib) return {preset.l1_size_kib, preset.l1_ways, 0};
  const auto& carveouts = *preset.local_carveouts_kib;
  const auto covers = std::find_if(carveouts.begin(), carveouts.end(), [&](std::uint32_t kib) {
    return std::uint64_t{kib} * 1024 >= local_bytes;
  });
  L1Shape shape;
  shape.carveout_kib = covers != carveouts.end() ? *covers : carveouts.back();
  const std::uint64_t bytes =
      std::uint64_t{*preset.l1_unified_kib - shape.carveout_kib} * 1024 - preset.l1_residue_bytes.value_or(0);
  const std::uint64_t way = std::uint64_t{preset.l1_sets} * preset.l1_line_bytes;
  std::uint64_t ways = std::max<std::uint64_t>(1, bytes / way);
  while (ways > 1 && ways * way % 1024 != 0) --ways;
  shape.ways = static_cast<std::uint32_t>(ways);
  shape.size_kib = static_cast<std::uint32_t>(ways * way / 1024);
  return shape;
}

}  // namespace warpscope
