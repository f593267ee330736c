// Greedy then oldest: one warp issues until it cannot, then the oldest that can (T. Rogers, M. O'Connor, T.
// Aamodt, "Cache-Conscious Wavefront Scheduling", MICRO 2012, doi 10.1109/MICRO.2012.16, section 4).
#include "timed/policy_core.h"

namespace warpscope::timed {
namespace {

class GreedyThenOldest {
 public:
  explicit GreedyThenOldest(const IssuePolicyOptions& /*options*/) {}
  WarpPlace pick(const IssueView& view) {
    if ((view.ready & greedy_) == 0) greedy_ = PlaceMask{1} << oldest_of(view.ready, view.age);
    return static_cast<WarpPlace>(std::countr_zero(greedy_));
  }
  void arrived(WarpPlace /*place*/) {}
  void left(WarpPlace place) { greedy_ &= ~(PlaceMask{1} << place); }

 private:
  PlaceMask greedy_ = 0;  ///< the warp that issued last, or none
};

}  // namespace
WARPSCOPE_ISSUE_POLICY(gto, GreedyThenOldest)
}  // namespace warpscope::timed
