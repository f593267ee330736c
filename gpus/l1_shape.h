#pragma once
// How large the L1 is while a kernel runs.
#include <cstdint>

#include "gpus/preset.h"

namespace warpscope {

struct L1Shape {
  std::uint32_t size_kib = 0;
  std::uint32_t ways = 0;
  std::uint32_t carveout_kib = 0;  ///< of a unified memory, what local memory has; else 0
};

/// A preset without unified memory: its L1 as it is. With it: l1_unified_kib less the smallest of
/// local_carveouts_kib that covers `local_bytes` (all resident work-groups'), less l1_residue_bytes; the sets
/// stay, the ways follow, rounded down to whole KiB. Local memory beyond the largest carve-out takes that
/// one.
L1Shape l1_shape(const GpuPreset& preset, std::uint64_t local_bytes);

}  // namespace warpscope
