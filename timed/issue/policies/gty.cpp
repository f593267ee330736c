// Greedy then youngest: one warp issues until it cannot, then the youngest that can. Reported for recent
// NVIDIA cores by R. Huerta, M. Abaie Shoushtary, J. Cruz, A. González, "Dissecting and Modeling the
// Architecture of Modern GPU Cores", MICRO 2025, doi 10.1145/3725843.3756041 (arXiv 2503.20481).
#include "timed/issue/policies/greedy.h"
#include "timed/issue/policy_core.h"

namespace warpscope::timed {
WARPSCOPE_ISSUE_POLICY(gty, Greedy<youngest_of>)
}  // namespace warpscope::timed
