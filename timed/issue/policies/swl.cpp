// Static wavefront limiting (T. Rogers, M. O'Connor, T. Aamodt, "Cache-Conscious Wavefront Scheduling", MICRO 2012, doi
// 10.1109/MICRO.2012.16, section 3.2): a limit, given with the launch, on how many warps issue; among them greedy then
// oldest. The best limit of a sweep is the paper's Best-SWL.
//
// Reconstructed: who is within the limit. Here the oldest warps that do not wait at a barrier: a warp at a barrier
// lends its place, so that the rest of its work-group can catch up (the paper says that they must), and takes it back
// afterwards. The paper's limit is of a core; here of each scheduler.
#include <array>
#include <bit>

#include "timed/issue/policies/greedy.h"
#include "timed/issue/policy_core.h"

namespace warpscope::timed {
namespace {

class StaticLimit : public Greedy<oldest_of> {
 public:
  static constexpr std::array kParameters = {PolicyParameter{
      "warp-limit", "warps", 1, 64, 64, "warps of a scheduler that issue; 64: all, as `gto`"}};

  explicit StaticLimit(const PolicyValues& values) : Greedy(values), limit_(values.of(kParameters[0])) {}

  PlaceMask may_issue(const IssueView& view) {
    PlaceMask others = view.present & ~view.at_barrier;
    if (static_cast<std::uint32_t>(std::popcount(others)) <= limit_) return view.ready;
    PlaceMask within = 0;
    for (std::uint32_t taken = 0; taken < limit_; ++taken) {
      const PlaceMask oldest = PlaceMask{1} << oldest_of(others, view.age);
      within |= oldest;
      others &= ~oldest;
    }
    return view.ready & within;
  }

 private:
  std::uint32_t limit_;
};

}  // namespace
WARPSCOPE_ISSUE_POLICY(swl, StaticLimit)
}  // namespace warpscope::timed
