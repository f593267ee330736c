// Kepler, where global loads are cached at all: as Fermi. NVIDIA CUDA C Programming Guide, G.5.2.
#include "cachesim/access/tag_stage.h"

namespace warpscope {

constexpr RuleShape rule_kepler{warp_or_its_parts, kLineByLine};

}  // namespace warpscope
