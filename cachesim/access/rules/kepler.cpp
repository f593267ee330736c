// Kepler, where global loads are cached at all: as Fermi. NVIDIA CUDA C Programming Guide, G.5.2.
#include "cachesim/access/tag_stage.h"

namespace warpscope {

extern constexpr CoalescingRule rule_kepler{
    .name = "kepler",
    .help = "as fermi, where global loads are cached at all (compute capability 3.x)",
    .source = "NVIDIA CUDA C Programming Guide, section G.5.2 (compute capability 3.x)",
    .since = 30,
    .lanes_together = warp_or_its_parts,
    .tag_stage = kLineByLine,
};

}  // namespace warpscope
