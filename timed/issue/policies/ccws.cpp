// Cache-conscious wavefront scheduling (T. Rogers, M. O'Connor, T. Aamodt, MICRO 2012, doi 10.1109/MICRO.2012.16, section
// 3.3). Paper's term → here:
//   victim tag array (VTA)         tags of lines that a warp brought into the L1 and that left: 16 per warp, 8 ways, LRU
//   VTA hit                        the warp misses a line whose tag is there: it has lost locality
//   base locality score            of a warp without lost locality
//   lost-locality score (LLS)      of a warp: raised to the LLDS by a VTA hit; falls by one per cycle, to the base score
//   lost-locality-detected score   LLDS = VTA hits / issued instructions · K_THROTTLE · cutoff, both counts since the
//     (LLDS)                       launch began
//   cumulative LLS cutoff          resident warps · base score
//   can issue                      in order of their scores, highest first, warps whose sum of scores up to and with
//                                  their own is within the cutoff; the others issue no loads
//   base prioritisation            greedy then oldest, among those that can issue
//
// Reconstructed, as the text leaves it open: equal scores go by age, oldest first; the warp with the highest score can
// always issue; a hit never lowers a score; the tag that was hit leaves the array; a new warp starts with an empty
// array; integers, quotients rounded down. The paper's unit is of a core with one scheduler; here of each scheduler,
// over the warps, hits and instructions that are its own.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "timed/issue/policies/greedy.h"
#include "timed/issue/policy_core.h"

namespace warpscope::timed {
namespace {

/// The lines that one warp lost: sets of 8 tags, the most recent first.
class VictimTags {
 public:
  void resize(std::uint32_t sets) { sets_.resize(sets); }
  void clear() { sets_.assign(sets_.size(), {}); }
  void insert(LineAddr line) {
    Set& set = of(line);
    take(line);
    set.count = std::min(set.count + 1, kWays);
    std::shift_right(set.tags.begin(), set.tags.begin() + set.count, 1);
    set.tags[0] = line.value();
  }
  /// Whether the tag was there; it no longer is.
  bool take(LineAddr line) {
    Set& set = of(line);
    const auto end = set.tags.begin() + set.count;
    const auto found = std::find(set.tags.begin(), end, line.value());
    if (found == end) return false;
    std::copy(found + 1, end, found);
    --set.count;
    return true;
  }

 private:
  static constexpr std::uint32_t kWays = 8;
  struct Set {
    std::array<std::uint64_t, kWays> tags{};
    std::uint32_t count = 0;
  };
  Set& of(LineAddr line) { return sets_[line.value() % sets_.size()]; }
  std::vector<Set> sets_;
};

class CacheConscious : public Greedy<oldest_of> {
 public:
  static constexpr std::array kParameters = {
      PolicyParameter{"ccws-throttle", "fold", 0, 10000, 8, "K_THROTTLE, 0 holds no warp back"},
      PolicyParameter{"ccws-base-score", "points", 1, 10000, 100, "base locality score"},
      PolicyParameter{"ccws-victim-sets", "sets", 1, 64, 2, "victim tags of a warp, in sets of 8"}};

  explicit CacheConscious(const PolicyValues& values)
      : Greedy(values), throttle_(values.of(kParameters[0])), base_(values.of(kParameters[1])) {
    for (VictimTags& tags : victims_) tags.resize(values.of(kParameters[2]));
    scores_.fill(base_);
  }

  WarpPlace pick(const IssueView& view) {
    ++issued_;
    return Greedy::pick(view);
  }
  PlaceMask may_issue(const IssueView& view) {
    decay(view.now);
    return view.ready & ~(view.loads & held(view));
  }
  void missed(WarpPlace place, LineAddr line, Cycle now) {
    if (!victims_[place].take(line)) return;
    decay(now);
    ++hits_;
    const std::uint64_t detected = hits_ * throttle_ * cutoff() / std::max<std::uint64_t>(issued_, 1);
    scores_[place] = std::max(scores_[place], detected);
    highest_ = std::max(highest_, scores_[place]);
  }
  void evicted(WarpPlace place, LineAddr line) { victims_[place].insert(line); }
  void arrived(WarpPlace place) {
    present_ |= PlaceMask{1} << place;
    scores_[place] = base_;
    victims_[place].clear();
  }
  void left(WarpPlace place) {
    Greedy::left(place);
    present_ &= ~(PlaceMask{1} << place);
  }

 private:
  [[nodiscard]] std::uint64_t cutoff() const {
    return static_cast<std::uint64_t>(std::popcount(present_)) * base_;
  }
  void decay(Cycle now) {
    const Cycle cycles = now - decayed_;
    decayed_ = now;
    if (highest_ == base_ || cycles == 0) return;
    highest_ = base_;
    for (std::uint64_t& score : scores_) {
      score = score - base_ > cycles ? score - cycles : base_;
      highest_ = std::max(highest_, score);
    }
  }
  /// Warps whose scores reach above the cutoff.
  [[nodiscard]] PlaceMask held(const IssueView& view) const {
    if (highest_ == base_) return 0;
    std::array<WarpPlace, 64> order{};
    std::size_t warps = 0;
    for (PlaceMask mask = present_; mask != 0; mask &= mask - 1)
      order[warps++] = static_cast<WarpPlace>(std::countr_zero(mask));
    std::sort(order.begin(), order.begin() + warps, [&](WarpPlace a, WarpPlace b) {
      return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : view.age[a] < view.age[b];
    });
    PlaceMask above = present_;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < warps; ++i) {
      sum += scores_[order[i]];
      if (i != 0 && sum > cutoff()) break;
      above &= ~(PlaceMask{1} << order[i]);
    }
    return above;
  }

  std::uint64_t throttle_, base_;
  PlaceMask present_ = 0;
  std::array<std::uint64_t, 64> scores_{};
  std::uint64_t highest_ = base_;  ///< the largest possible score
  Cycle decayed_ = 0;
  std::uint64_t hits_ = 0, issued_ = 0;
  std::array<VictimTags, 64> victims_;
};

}  // namespace
WARPSCOPE_ISSUE_POLICY(ccws, CacheConscious)
}  // namespace warpscope::timed
