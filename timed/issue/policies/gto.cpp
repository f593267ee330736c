// Greedy then oldest: one warp issues until it cannot, then the oldest that can (T. Rogers, M. O'Connor, T.
// Aamodt, "Cache-Conscious Wavefront Scheduling", MICRO 2012, doi 10.1109/MICRO.2012.16, section 4).
#include "timed/issue/policies/greedy.h"
#include "timed/issue/policy_core.h"

namespace warpscope::timed {
WARPSCOPE_ISSUE_POLICY(gto, Greedy<oldest_of>)
}  // namespace warpscope::timed
