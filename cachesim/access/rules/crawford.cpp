// Crawford 2014, section 6.5: the distinct lines of a warp access, all lanes together.
#include "cachesim/access/tag_stage.h"

namespace warpscope {

constexpr RuleShape rule_crawford{all_lanes, kLineByLine};

}  // namespace warpscope
