#pragma once
// Replays one work-group as warps: who executes which access next, and where.
#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/address_replay.h"
#include "scheduler/control_flow.h"
#include "traces/warp_access.h"
#include "traces/work_group_trace.h"

namespace warpscope {

/// What all work-groups of a launch share.
struct ReplayContext {
  const ReplayPlan& plan;
  PatternMemory& memory;
  FlowFactory flow = make_ipdom_flow;
  std::uint32_t warp_size = 32;  ///< 1 .. kMaxWarpSize
  ReplayObserver* observer = nullptr;
};

/// The control side of one warp: always stands before its next access, at a barrier, or at its end.
class WarpReplay {
 public:
  [[nodiscard]] Pending pending() const { return position_.pending; }
  [[nodiscard]] SiteId site() const { return position_.site; }
  [[nodiscard]] LaneMask lanes() const { return position_.lanes; }

 private:
  friend class GroupReplay;
  void advance(const FlowContext& context) {
    if (flow_ != nullptr) {
      position_ = flow_->advance();
    } else {
      advance_uniform(context);
    }
  }
  void advance_uniform(const FlowContext& context);
  [[nodiscard]] std::uint64_t bits_left(std::size_t path_class) const {
    return flow_ != nullptr ? flow_->bits_left(path_class) : path_.bits_left();
  }

  WarpPosition position_;
  // All lanes on one path, the usual case, need no stack.
  PathCursor path_;
  LaneMask all_lanes_ = 0;
  std::uint32_t block_ = 0, step_ = 0;
  std::unique_ptr<DivergentFlow> flow_;  ///< null: all lanes on one path
};

/// The warps of one work-group, with its barriers: a barrier opens when every unfinished warp has arrived at
/// one.
class GroupReplay {
 public:
  /// Takes the trace; the last warp may be partial. Throws InputError when the trace does not fit the kernel.
  GroupReplay(const ReplayContext& context, WorkGroupTrace trace);
  GroupReplay(const GroupReplay&) = delete;  // cursors point into the trace
  GroupReplay& operator=(const GroupReplay&) = delete;

  [[nodiscard]] WorkGroupId group() const { return trace_.group; }
  [[nodiscard]] std::uint32_t warps() const { return static_cast<std::uint32_t>(warps_.size()); }
  [[nodiscard]] const WarpReplay& warp(WarpId warp) const { return warps_[warp.value()]; }
  [[nodiscard]] bool finished() const { return unfinished_ == 0; }

  /// Makes the pending access of `warp` (pending() == Access): fills base, pattern, pattern_id, site, group
  /// and warp of `out` and moves on. Returns true when a barrier opened, so that other warps may have become
  /// ready. The pattern stays valid until the next call. Throws InputError when path or addresses end too
  /// early.
  bool make_access(WarpId warp, WarpAccess& out);

  /// After the last access: throws InputError unless every outcome bit and every address of `warp` was used.
  void check_exhausted(WarpId warp) const;
  [[nodiscard]] const WorkGroupTrace& trace() const { return trace_; }

 private:
  void start(std::uint32_t warp);
  void advance(std::uint32_t warp);
  void arrive(std::uint32_t warp);
  bool open_barriers();
  [[nodiscard]] FlowContext flow_context(std::uint32_t warp) const;
  [[noreturn]] void fail(std::uint32_t warp, const std::string& what) const;

  ReplayContext context_;
  WorkGroupTrace trace_;
  AddressReplay addresses_;
  std::vector<WarpReplay> warps_;
  std::uint32_t unfinished_ = 0;
  std::uint32_t at_barrier_ = 0;
};

/// Distinct paths of the work-items first … first + lanes - 1, in order of their lowest lane.
std::vector<PathClass> path_classes(const WorkGroupTrace& trace, std::uint32_t first, std::uint32_t lanes);

}  // namespace warpscope
