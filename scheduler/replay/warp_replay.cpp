#include "scheduler/replay/warp_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "traces/base/error.h"

namespace warpscope {
namespace {

// What decode() promises, checked again because the replay indexes with it.
void check_shape(const ReplayPlan& plan, const SharedGroup& group) {
  const GroupPaths& paths = *group.paths;
  const bool fits = group.columns.size() == plan.sites && paths.path_of.size() == group.work_items &&
                    group.work_items > 0 &&
                    std::all_of(paths.path_of.begin(), paths.path_of.end(),
                                [&](std::uint32_t path) { return path < paths.paths.size(); });
  if (fits) return;
  throw InputError(fmt::format(
      "launch {}, work-group {}: {} work-items and {} sites do not fit the kernel's {} sites; "
      "capture it again",
      group.launch.value(), group.group.value(), group.work_items, group.columns.size(), plan.sites));
}

/// In place of a FlowContext where nobody takes the reports.
struct Unwatched {
  void report_block(std::uint32_t /*block*/, LaneMask /*lanes*/) const {}
  void report_site(SiteId /*site*/, LaneMask /*lanes*/) const {}
};

/// In place of a FlowContext where only a trail takes them.
struct Trailed {
  WalkTrail& trail;
  void report_block(std::uint32_t block, LaneMask /*lanes*/) const {
    trail.push({TrailStep::Kind::Block, block});
  }
  void report_site(SiteId site, LaneMask /*lanes*/) const {
    trail.push({TrailStep::Kind::Site, site.value()});
  }
};

}  // namespace

std::vector<PathClass> path_classes(const GroupPaths& paths, std::uint32_t first, std::uint32_t lanes) {
  std::vector<PathClass> classes;
  std::vector<std::uint32_t> path_of_class;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const std::uint32_t path = paths.path_of[first + lane];
    const auto found = std::find(path_of_class.begin(), path_of_class.end(), path);
    const auto index = static_cast<std::size_t>(found - path_of_class.begin());
    if (found == path_of_class.end()) {
      path_of_class.push_back(path);
      classes.push_back({PathCursor(paths.paths[path]), 0});
    }
    classes[index].lanes |= LaneMask{1} << lane;
  }
  return classes;
}

template <class Context>
void WarpReplay::advance_uniform(const ReplayPlan& plan, const Context& context) {
  for (;;) {
    const ReplayPlan::Block& block = plan.blocks[block_];
    while (step_ < block.end_step) {
      const ReplayPlan::Step step = plan.steps[step_++];
      context.report_site(step.site, position_.lanes);
      if (step.kind == AccessKind::Fence) continue;
      position_.site = step.site;
      position_.pending = step.kind == AccessKind::Barrier ? Pending::Barrier : Pending::Access;
      return;
    }
    if (block.successors == 0) {
      position_.pending = Pending::End;
      return;
    }
    block_ = plan.successors[block.first_successor + path_.take(block)];
    step_ = plan.blocks[block_].first_step;
    context.report_block(block_, position_.lanes);
  }
}

GroupReplay::GroupReplay(const ReplayContext& context, SharedGroup group)
    : context_(context),
      group_((check_shape(context.plan, group), std::move(group))),
      addresses_(group_, context.memory, context.warp_size),
      warps_((group_.work_items + context.warp_size - 1) / context.warp_size),
      trails_(context.keep_trails ? warps_.size() : 0),
      unfinished_(warps()) {
  if (!group_.paths->walks.empty() && context.warp_size != kLanesOfWalks)
    throw InputError(
        fmt::format("launch {} is of machine code, whose warps have {} lanes; expected --policy warp or "
                    "jitter, and --warp-size {}",
                    group_.launch.value(), kLanesOfWalks, kLanesOfWalks));
  for (std::uint32_t w = 0; w < warps(); ++w) {
    start(w);
    advance(w);
    settle(w);
  }
  open_barriers();
}

FlowContext GroupReplay::flow_context(std::uint32_t warp) {
  return {&context_.plan,
          context_.observer,
          group_.group,
          WarpId(warp),
          trails_.empty() ? nullptr : &trails_[warp],
          walk_of(warp)};
}

const WarpWalk* GroupReplay::walk_of(std::uint32_t warp) const {
  const GroupWalks& walks = group_.paths->walks;
  return walks.empty() ? nullptr : &walks.walks[walks.walk_of[warp]];
}

void GroupReplay::start(std::uint32_t warp) {
  WarpReplay& replay = warps_[warp];
  const std::uint32_t first = warp * context_.warp_size;
  const std::uint32_t lanes = std::min(context_.warp_size, group_.work_items - first);
  const auto path = group_.paths->path_of.begin() + first;
  const WarpWalk* const walk = walk_of(warp);
  const bool parts = walk != nullptr && !walk->turns.empty();
  if (!parts && std::all_of(path, path + lanes, [&](std::uint32_t p) { return p == *path; })) {
    replay.path_ = PathCursor(group_.paths->paths[*path]);
    replay.position_.lanes = low_lanes(lanes);
    replay.step_ = context_.plan.blocks[0].first_step;
    flow_context(warp).report_block(0, replay.position_.lanes);
  } else {
    const FlowFactory flow = walk != nullptr ? make_executed_flow : context_.flow;
    replay.flow_ = flow(flow_context(warp), path_classes(*group_.paths, first, lanes));
  }
}

void GroupReplay::advance(std::uint32_t warp) {
  try {
    warps_[warp].advance(flow_context(warp));
  } catch (const PathDamage&) {
    fail_path(warp);
  }
}

void GroupReplay::fail_path(std::uint32_t warp) const {
  fail(warp, "the recorded branches do not fit the kernel's control flow");
}

/// The access before which `warp` is; moves on.
void GroupReplay::find_access(std::uint32_t warp, WarpAccess& out) {
  const WarpPosition& position = warps_[warp].position_;
  out.site = position.site;
  try {
    addresses_.next(warp, position.site, position.lanes, out);
  } catch (const AddressDamage& damage) {
    fail(warp, fmt::format("work-item {} executes site {} more often than the capture has addresses for",
                           warp * context_.warp_size + damage.lane, out.site.value()));
  }
  advance(warp);
}

/// After `warp` has come to its next access, barrier or end.
void GroupReplay::settle(std::uint32_t warp) {
  const Pending pending = warps_[warp].position_.pending;
  if (pending == Pending::Barrier) ++at_barrier_;
  if (pending == Pending::End) --unfinished_;
}

/// Fills the queue of `warp`, whose next step is an access.
void GroupReplay::work_ahead(std::uint32_t warp) {
  if (queues_.empty()) queues_.resize(warps_.size());
  AccessQueue& queue = queues_[warp];
  queue.clear();
  WarpAccess access;
  while (warps_[warp].position_.pending == Pending::Access && !queue.full()) {
    find_access(warp, access);
    queue.push(access);
  }
  warps_[warp].queued_ = true;
}

bool GroupReplay::open_barriers() {
  bool opened = false;
  while (at_barrier_ != 0 && at_barrier_ == unfinished_) {
    opened = true;
    at_barrier_ = 0;
    for (std::uint32_t w = 0; w < warps(); ++w) {
      if (pending(WarpId(w)) != Pending::Barrier) continue;
      if (!trails_.empty()) trails_[w].push({TrailStep::Kind::Barrier, 0});
      advance(w);
      settle(w);
    }
  }
  return opened;
}

bool GroupReplay::make_access(WarpId warp, WarpAccess& out) {
  const std::uint32_t w = warp.value();
  WarpReplay& replay = warps_[w];
  out.group = group_.group;
  out.warp = warp;
  const bool usual = replay.flow_ == nullptr && !replay.queued_ && context_.observer == nullptr;
  if (!usual || !addresses_.next_together(w, replay.position_.site, replay.position_.lanes, out))
    return make_any_access(w, out);
  out.site = replay.position_.site;
  try {
    if (trails_.empty())
      replay.advance_uniform(context_.plan, Unwatched{});
    else
      replay.advance_uniform(context_.plan, Trailed{trails_[w]});
  } catch (const PathDamage&) {
    fail_path(w);
  }
  if (replay.position_.pending == Pending::Access) return false;
  settle(w);
  return open_barriers();
}

bool GroupReplay::make_any_access(std::uint32_t w, WarpAccess& out) {
  WarpReplay& replay = warps_[w];
  if (!replay.queued_) {
    find_access(w, out);
    const bool scattered = replay.flow_ != nullptr || out.pattern_id == 0;
    if (!scattered || !context_.work_ahead) {
      settle(w);
      return replay.position_.pending != Pending::Access && open_barriers();
    }
    // The pattern just given out is the cursors' own; what comes next must not overwrite it.
    if (out.pattern_id == 0) {
      scratch_ = *out.pattern;
      out.pattern = &scratch_;
    }
  } else {
    queues_[w].pop(out, scratch_);
    if (queues_[w].left() == 1) addresses_.prefetch(w, replay.position_.site, replay.position_.lanes);
    if (!queues_[w].empty()) return false;
    replay.queued_ = false;
  }
  settle(w);
  if (replay.position_.pending != Pending::Access) return open_barriers();
  work_ahead(w);
  return false;
}

void GroupReplay::check_exhausted(WarpId warp) const {
  const std::uint32_t first = warp.value() * context_.warp_size;
  const std::uint32_t lanes = std::min(context_.warp_size, group_.work_items - first);
  const std::size_t classes = path_classes(*group_.paths, first, lanes).size();
  for (std::size_t c = 0; c < classes; ++c) {
    const std::uint64_t left = warps_[warp.value()].bits_left(c);
    if (left != 0) fail(warp.value(), fmt::format("{} recorded branch outcomes were not used", left));
  }
  if (!addresses_.exhausted(warp.value())) fail(warp.value(), "recorded addresses were not used");
}

void GroupReplay::fail(std::uint32_t warp, const std::string& what) const {
  throw InputError(
      fmt::format("launch {}, work-group {}, warp {} (work-items {} to {}): {}; capture it again",
                  group_.launch.value(), group_.group.value(), warp, warp * context_.warp_size,
                  std::min((warp + 1) * context_.warp_size, group_.work_items) - 1, what));
}

}  // namespace warpscope
