#pragma once
// How large the L1 is while a kernel runs.
#include <cstdint>

#include "gpus/preset.h"

namespace warpscope {

struct L1Shape {
  std::uint32_t size_kib = 0;
  std::uint32_t ways = 0;
  std::uint32_t tag_sets = 0;  ///< sets of tags, if there are more tags than lines; 0: as many
};

/// A preset without unified memory: its L1 as it is. With it: l1_unified_kib less `carveout_kib` (one of
/// local_carveouts_kib, gpus/carveout.h), less l1_residue_bytes; the sets stay, the ways follow, rounded down
/// to whole KiB. With l1_keeps_tags sets and ways stay, and only the size follows.
L1Shape l1_shape(const GpuPreset& preset, std::uint32_t carveout_kib);

}  // namespace warpscope
