// Two-level round robin (V. Narasiman, M. Shebanow, C. Lee, R. Miftakhutdinov, O. Mutlu, Y. Patt, "Improving
// GPU Performance via Large Warps and Two-Level Warp Scheduling", MICRO 2011, doi 10.1145/2155620.2155656,
// section 4): warps are divided into fetch groups of fixed places. Round robin inside the active group; when
// every warp of it waits for memory, the next group in turn becomes active. While the active group only waits
// for short instructions, the next groups fill the slot and the active group stays. (The paper's groups are
// of a whole core with one scheduler; here of each scheduler.)
#include <array>

#include "timed/issue/policy_core.h"

namespace warpscope::timed {
namespace {

class TwoLevel {
 public:
  static constexpr std::array kParameters = {
      PolicyParameter{"active-warps", "warps", 1, 64, 8, "warps of a fetch group"}};

  explicit TwoLevel(const PolicyValues& values)
      : size_(values.of(kParameters[0])), groups_((64 + size_ - 1) / size_) {}

  WarpPlace pick(const IssueView& view) {
    for (std::uint32_t turned = 0; turned < groups_ && stalled(view, active_); ++turned)
      active_ = (active_ + 1) % groups_;
    std::uint32_t group = active_;
    while ((view.ready & mask_of(group)) == 0) group = (group + 1) % groups_;
    const WarpPlace picked = next_from(view.ready & mask_of(group), next_);
    next_ = picked + 1;
    return picked;
  }
  void arrived(WarpPlace /*place*/) {}
  void left(WarpPlace /*place*/) {}

 private:
  [[nodiscard]] PlaceMask mask_of(std::uint32_t group) const {
    const PlaceMask one = size_ == 64 ? ~PlaceMask{0} : (PlaceMask{1} << size_) - 1;
    return one << (group * size_);
  }
  /// No warp of the group, or all of them wait for memory.
  [[nodiscard]] bool stalled(const IssueView& view, std::uint32_t group) const {
    return (view.present & mask_of(group) & ~view.waiting_for_memory) == 0;
  }

  std::uint32_t size_, groups_;
  std::uint32_t active_ = 0;
  WarpPlace next_ = 0;
};

}  // namespace
WARPSCOPE_ISSUE_POLICY(two_level, TwoLevel)
}  // namespace warpscope::timed
