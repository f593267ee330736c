#include "scheduler/formation/formed_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "traces/base/error.h"

namespace warpscope {
namespace {

std::uint32_t items_of(const FormedWarp& warp) {
  return static_cast<std::uint32_t>(warp.size()) -
         static_cast<std::uint32_t>(std::count(warp.begin(), warp.end(), kNoItem));
}

}  // namespace

FormedGroup::FormedGroup(const FormedLaunch& launch, WorkGroupTrace trace)
    : launch_(launch), group_(std::move(trace)), addresses_(group_, launch.memory, 1) {
  for (const std::uint32_t path : group_.paths->path_of) paths_.emplace_back(group_.paths->paths.at(path));
  const FormerContext context{launch_.plan, paths_, launch_.warp_size};
  if (launch_.formation == Formation::Dynamic || launch_.formation == Formation::Majority) {
    strands_.push_back(
        {make_pool_former(context, group_.work_items, launch_.formation == Formation::Majority), {}, 0});
    return;
  }
  const std::uint32_t width = launch_.warp_size * (launch_.formation == Formation::Large ? kWarpsOfLarge : 1);
  for (std::uint32_t first = 0; first < group_.work_items; first += width)
    strands_.push_back(
        {make_stack_former(context, first, std::min(first + width, group_.work_items)), {}, 0});
}

/// Goes on to the strand's next access. False at a barrier and at the end.
bool FormedGroup::find_access(Strand& strand) {
  for (;;) {
    FormedIssue& issue = strand.issue;
    if (issue.warps.empty()) {
      issue = strand.former->next();
      strand.warp = 0;
      if (issue.warps.empty()) return false;
      const ReplayPlan::Block& entered = launch_.plan.blocks[issue.block];
      if (issue.step != entered.first_step) continue;  // it was counted before the barrier
      const std::uint64_t each = launch_.instructions[issue.block];
      launch_.counts.warp_instructions += each * issue.warps.size();
      for (const FormedWarp& warp : issue.warps) launch_.counts.lane_instructions += each * items_of(warp);
      continue;
    }
    if (strand.warp == issue.warps.size()) {
      strand.warp = 0;
      ++issue.step;
    }
    if (issue.step == launch_.plan.blocks[issue.block].end_step) {
      strand.former->leave(issue);
      issue.warps.clear();
      continue;
    }
    const AccessKind kind = launch_.plan.steps[issue.step].kind;
    if (kind == AccessKind::Barrier) {
      strand.former->wait(issue, issue.step + 1);
      issue.warps.clear();
    } else if (kind == AccessKind::Fence) {
      ++issue.step;
    } else {
      return true;
    }
  }
}

void FormedGroup::make_access(Strand& strand, WarpAccess& out) {
  const FormedWarp& warp = strand.issue.warps[strand.warp++];
  const SiteId site = launch_.plan.steps[strand.issue.step].site;
  pattern_ = {};
  std::uint64_t base = 0;
  WarpAccess one;
  for (std::uint32_t lane = 0; lane < warp.size(); ++lane) {
    if (warp[lane] == kNoItem) continue;
    try {
      addresses_.next(warp[lane], site, 1, one);
    } catch (const AddressDamage&) {
      fail(fmt::format("work-item {} executes site {} more often than the capture has addresses for",
                       warp[lane], site.value()));
    }
    if (pattern_.lanes == 0) {
      base = one.base.key();
      out.warp = WarpId(warp[lane] / launch_.warp_size);
    }
    const auto offset = static_cast<std::int64_t>(one.base.key() - base);
    pattern_.offset[pattern_.lanes++] = offset;
    pattern_.mask |= LaneMask{1} << lane;
    pattern_.min_offset = std::min(pattern_.min_offset, offset);
    pattern_.max_offset = std::max(pattern_.max_offset, offset);
  }
  out.base = BufferAddr(base);
  out.pattern = &pattern_;
  out.pattern_id = 0;
  out.site = site;
  out.group = group_.group;
}

bool FormedGroup::step(WarpAccess& out) {
  do {
    for (std::size_t tried = 0; tried < strands_.size(); ++tried) {
      Strand& strand = strands_[turn_];
      turn_ = (turn_ + 1) % strands_.size();
      try {
        if (!find_access(strand)) continue;
      } catch (const PathDamage&) {
        fail("the recorded branches do not fit the kernel's control flow");
      }
      make_access(strand, out);
      return true;
    }
    turn_ = 0;
  } while (release());
  check_exhausted();
  return false;
}

/// Every strand is at a barrier or has ended.
bool FormedGroup::release() {
  bool any = false;
  for (Strand& strand : strands_) any |= strand.former->release();
  return any;
}

void FormedGroup::check_exhausted() const {
  for (std::uint32_t item = 0; item < group_.work_items; ++item) {
    if (paths_[item].bits_left() != 0)
      fail(fmt::format("work-item {} has branch outcomes that were not used", item));
    if (!addresses_.exhausted(item)) fail(fmt::format("work-item {} has addresses that were not used", item));
  }
}

void FormedGroup::fail(const std::string& what) const {
  throw InputError(fmt::format("launch {}, work-group {}: {}; capture it again", group_.launch.value(),
                               group_.group.value(), what));
}

}  // namespace warpscope
