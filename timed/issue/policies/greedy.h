#pragma once
// One warp issues until it cannot; then `Choose` (oldest_of or youngest_of) names the next.
#include <bit>

#include "timed/issue/issue_policy.h"

namespace warpscope::timed {

template <auto Choose>
class Greedy {
 public:
  explicit Greedy(const PolicyValues& /*values*/) {}
  WarpPlace pick(const IssueView& view) {
    if ((view.ready & greedy_) == 0) greedy_ = PlaceMask{1} << Choose(view.ready, view.age);
    return static_cast<WarpPlace>(std::countr_zero(greedy_));
  }
  void arrived(WarpPlace /*place*/) {}
  void left(WarpPlace place) { greedy_ &= ~(PlaceMask{1} << place); }

 private:
  PlaceMask greedy_ = 0;  ///< the warp that issued last, or none
};

}  // namespace warpscope::timed
