#pragma once
// Replays one work-group as warps: who executes which access next, and where.
#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/replay/access_queue.h"
#include "scheduler/replay/address_replay.h"
#include "scheduler/replay/control_flow.h"
#include "scheduler/replay/prefetch.h"
#include "traces/program/shared_group.h"
#include "traces/stream/warp_access.h"

namespace warpscope {

/// What all work-groups of a launch share.
struct ReplayContext {
  const ReplayPlan& plan;
  PatternMemory& memory;
  FlowFactory flow = make_ipdom_flow;
  std::uint32_t warp_size = 32;  ///< 1 .. kMaxWarpSize
  ReplayObserver* observer = nullptr;
  bool work_ahead = true;    ///< replays ahead if lanes diverge: faster, with more memory per warp
  bool keep_trails = false;  ///< every warp's walk can be taken from trail(); not together with work_ahead
};

/// The control side of one warp: it is always before an access, at a barrier, or at its end.
class alignas(64) WarpReplay {
  friend class GroupReplay;
  void advance(const FlowContext& context) {
    if (flow_ != nullptr) {
      position_ = flow_->advance();
    } else {
      advance_uniform(*context.plan, context);
    }
  }
  /// `context` may be Unwatched.
  template <class Context>
  void advance_uniform(const ReplayPlan& plan, const Context& context);
  [[nodiscard]] std::uint64_t bits_left(std::size_t path_class) const {
    return flow_ != nullptr ? flow_->bits_left(path_class) : path_.bits_left();
  }

  WarpPosition position_;
  // All lanes on one path, the usual case, need no stack; position_.lanes stays what it is.
  [[no_unique_address]] PathCursor path_;
  std::uint32_t block_ = 0;
  std::unique_ptr<DivergentFlow> flow_;  ///< null: all lanes on one path
  std::uint32_t step_ = 0;
  bool queued_ = false;  ///< accesses wait in the warp's queue
};
static_assert(sizeof(WarpReplay) == 64);  // a line of the host's cache: every turn reads another warp's

/// The warps of one work-group, with its barriers: a barrier opens when every unfinished warp has arrived at
/// one.
class GroupReplay {
 public:
  /// The last warp may be partial. Throws InputError when the work-group does not fit the kernel.
  GroupReplay(const ReplayContext& context, SharedGroup group);
  GroupReplay(const GroupReplay&) = delete;  // cursors point into the group
  GroupReplay& operator=(const GroupReplay&) = delete;

  [[nodiscard]] WorkGroupId group() const { return group_.group; }
  [[nodiscard]] std::uint32_t warps() const { return static_cast<std::uint32_t>(warps_.size()); }
  [[nodiscard]] bool finished() const { return unfinished_ == 0; }
  /// What `warp` does next.
  [[nodiscard]] Pending pending(WarpId warp) const {
    const WarpReplay& replay = warps_[warp.value()];
    return replay.queued_ ? Pending::Access : replay.position_.pending;
  }

  /// Makes the pending access of `warp` (pending() == Access): fills base, pattern, pattern_id, site, group
  /// and warp of `out` and moves on. Returns true when a barrier opened, so that other warps may have become
  /// ready. The pattern stays valid until the next call. Throws InputError when path or addresses end too
  /// early.
  bool make_access(WarpId warp, WarpAccess& out);

  /// Asks early for what make_access() needs: first for the warp's state, and when that has come, for its
  /// addresses.
  void prefetch(WarpId warp) const { prefetch_line(&warps_[warp.value()]); }
  void prefetch_addresses(WarpId warp) const {
    addresses_.prefetch_cursor(warp.value(), warps_[warp.value()].position_.site);
  }

  /// Both at once, for a warp whose next access is known to be at `site`.
  void prefetch_access(WarpId warp, SiteId site) const {
    prefetch(warp);
    addresses_.prefetch_cursor(warp.value(), site);
    if (!trails_.empty()) trails_[warp.value()].prefetch();
  }
  /// Of a warp that will be at work before long: its state and its trail.
  void prefetch_walk(WarpId warp) const {
    prefetch(warp);
    if (!trails_.empty()) prefetch_line(&trails_[warp.value()]);
  }

  /// What `warp` has walked through since its consumer last looked; only with keep_trails.
  [[nodiscard]] WalkTrail& trail(WarpId warp) { return trails_[warp.value()]; }

  /// After the last access: throws InputError unless every outcome bit and every address of `warp` was used.
  void check_exhausted(WarpId warp) const;
  [[nodiscard]] const SharedGroup& shared_group() const { return group_; }

 private:
  bool make_any_access(std::uint32_t warp, WarpAccess& out);
  void start(std::uint32_t warp);
  void advance(std::uint32_t warp);
  void find_access(std::uint32_t warp, WarpAccess& out);
  void settle(std::uint32_t warp);
  void work_ahead(std::uint32_t warp);
  bool open_barriers();
  [[nodiscard]] FlowContext flow_context(std::uint32_t warp);
  [[nodiscard]] const WarpWalk* walk_of(std::uint32_t warp) const;
  [[noreturn]] void fail_path(std::uint32_t warp) const;
  [[noreturn]] void fail(std::uint32_t warp, const std::string& what) const;

  ReplayContext context_;
  SharedGroup group_;
  AddressReplay addresses_;
  std::vector<WarpReplay> warps_;
  std::vector<AccessQueue> queues_;  ///< each warp's queue; empty until a warp works ahead
  std::vector<WalkTrail> trails_;    ///< each warp's trail, or empty
  LanePattern scratch_;  ///< pattern of the access that was given out last, if it came from a queue
  std::uint32_t unfinished_ = 0;
  std::uint32_t at_barrier_ = 0;
};

/// Distinct paths of the work-items first … first + lanes - 1, in order of their lowest lane.
std::vector<PathClass> path_classes(const GroupPaths& paths, std::uint32_t first, std::uint32_t lanes);

}  // namespace warpscope
