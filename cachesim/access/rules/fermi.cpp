// Fermi: the distinct lines of a warp, of a half-warp for 8-byte and of a quarter-warp for 16-byte accesses; the tags of one
// line at a time, with its data. NVIDIA CUDA C Programming Guide, G.4.2.
#include "cachesim/access/tag_stage.h"

namespace warpscope {

extern constexpr CoalescingRule rule_fermi{
    .name = "fermi",
    .help = "unique lines per warp; per half-warp for 8-byte, per quarter-warp for 16-byte accesses",
    .source = "NVIDIA CUDA C Programming Guide, G.4.2 (compute capability 2.x)",
    .since = 20,
    .lanes_together = warp_or_its_parts,
    .tag_stage = kLineByLine,
};

}  // namespace warpscope
