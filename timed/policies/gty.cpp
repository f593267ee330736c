// Greedy then youngest: one warp issues until it cannot, then the youngest that can. Reported for recent
// NVIDIA cores by R. Huerta, M. Abaie Shoushtary, J. Cruz, A. González, "Dissecting and Modeling the
// Architecture of Modern GPU Cores", MICRO 2025, doi 10.1145/3725843.3756041 (arXiv 2503.20481).
#include "timed/policy_core.h"

namespace warpscope::timed {
namespace {

class GreedyThenYoungest {
 public:
  explicit GreedyThenYoungest(const IssuePolicyOptions& /*options*/) {}
  WarpPlace pick(const IssueView& view) {
    if ((view.ready & greedy_) == 0) greedy_ = PlaceMask{1} << youngest_of(view.ready, view.age);
    return static_cast<WarpPlace>(std::countr_zero(greedy_));
  }
  void arrived(WarpPlace /*place*/) {}
  void left(WarpPlace place) { greedy_ &= ~(PlaceMask{1} << place); }

 private:
  PlaceMask greedy_ = 0;  ///< the warp that issued last, or none
};

}  // namespace
WARPSCOPE_ISSUE_POLICY(gty, GreedyThenYoungest)
}  // namespace warpscope::timed
