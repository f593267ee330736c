// Crawford 2014, section 6.5: the distinct lines of a warp access, all lanes together.
#include "cachesim/access/tag_stage.h"

namespace warpscope {

extern constexpr CoalescingRule rule_crawford{
    .name = "crawford",
    .help = "unique lines per warp access, all lanes together",
    .source = "Crawford 2014, section 6.5",
    .since = 0,
    .lanes_together = all_lanes,
    .tag_stage = kLineByLine,
};

}  // namespace warpscope
