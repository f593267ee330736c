// Fermi: the distinct lines of a warp, of a half-warp for 8-byte and of a quarter-warp for 16-byte accesses; the tags of one
// line at a time, with its data. NVIDIA CUDA C Programming Guide, G.4.2.
#include "cachesim/access/tag_stage.h"

namespace warpscope {

constexpr RuleShape rule_fermi{warp_or_its_parts, kLineByLine};

}  // namespace warpscope
