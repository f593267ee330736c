#include "gpus/l1_shape.h"

#include <algorithm>

namespace warpscope {

L1Shape l1_shape(const GpuPreset& preset, std::uint32_t carveout_kib) {
  const bool keeps_tags = preset.l1_keeps_tags.value_or(false);
  if (!preset.l1_unified_kib) return {preset.l1_size_kib, preset.l1_ways, keeps_tags ? preset.l1_sets : 0};
  const std::uint64_t bytes =
      std::uint64_t{*preset.l1_unified_kib - carveout_kib} * 1024 - preset.l1_residue_bytes.value_or(0);
  if (keeps_tags)
    return {static_cast<std::uint32_t>(std::max<std::uint64_t>(1, bytes / 1024)), preset.l1_ways,
            preset.l1_sets};
  const std::uint64_t way = std::uint64_t{preset.l1_sets} * preset.l1_line_bytes;
  std::uint64_t ways = std::max<std::uint64_t>(1, bytes / way);
  while (ways > 1 && ways * way % 1024 != 0) --ways;
  return {static_cast<std::uint32_t>(ways * way / 1024), static_cast<std::uint32_t>(ways)};
}

}  // namespace warpscope
