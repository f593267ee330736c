// Loose round robin: warps take turns; who cannot issue is passed over.
#include "timed/issue/policy_core.h"

namespace warpscope::timed {
namespace {

class LooseRoundRobin {
 public:
  explicit LooseRoundRobin(const PolicyValues& /*values*/) {}
  WarpPlace pick(const IssueView& view) {
    const WarpPlace picked = next_from(view.ready, next_);
    next_ = picked + 1;
    return picked;
  }
  void arrived(WarpPlace /*place*/) {}
  void left(WarpPlace /*place*/) {}

 private:
  WarpPlace next_ = 0;
};

}  // namespace
WARPSCOPE_ISSUE_POLICY(lrr, LooseRoundRobin)
}  // namespace warpscope::timed
