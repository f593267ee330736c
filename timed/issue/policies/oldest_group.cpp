// The oldest work-group first, as clocks of an H200 show (validation/notes/h100.md, "Order of warps"): a younger work-group issues
// only what the older ones leave. Within a work-group greedy, then round robin from the last warp downwards.
#include <bit>

#include "timed/issue/policy_core.h"

namespace warpscope::timed {
namespace {

class OldestGroup {
 public:
  explicit OldestGroup(const PolicyValues& /*values*/) {}
  WarpPlace pick(const IssueView& view) {
    const PlaceMask mask = of_oldest_group(view);
    const PlaceMask below = mask & ((PlaceMask{2} << last_) - 1);  // and itself, which is the highest of them
    last_ = static_cast<WarpPlace>(63 - std::countl_zero(below != 0 ? below : mask));
    return last_;
  }
  void arrived(WarpPlace /*place*/) {}
  void left(WarpPlace /*place*/) {}

 private:
  WarpPlace last_ = 0;  ///< the warp that issued last
};

}  // namespace
WARPSCOPE_ISSUE_POLICY(oldest_group, OldestGroup)
}  // namespace warpscope::timed
