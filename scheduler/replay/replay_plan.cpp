#include "scheduler/replay/replay_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/base/error.h"

namespace warpscope {
namespace {

void check_id(const KernelInfo& kernel, const char* what, std::size_t id, std::size_t size) {
  if (id < size) return;
  throw InputError(fmt::format("kernel {}: {} {} is out of range, expected less than {}; capture it again",
                               kernel.name, what, id, size));
}

}  // namespace

ReplayPlan::ReplayPlan(const KernelInfo& kernel)
    : sites(static_cast<std::uint32_t>(kernel.sites.size())),
      loops(static_cast<std::uint32_t>(kernel.loops.size())) {
  if (kernel.blocks.empty()) {
    throw InputError(
        fmt::format("kernel {}: no blocks, expected a control-flow graph; capture it again", kernel.name));
  }
  blocks.reserve(kernel.blocks.size());
  for (const BlockInfo& info : kernel.blocks) add_block(kernel, info);
  mark_endless_blocks();
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (kernel.blocks[block].instructions != 0 || !kernel.blocks[block].sites.empty()) continue;
    blocks[block].is_end = blocks[block].successors == 0;
    if (blocks[block].successors != 2) continue;
    const std::uint32_t* const ways = &successors[blocks[block].first_successor];
    const Block& access = blocks[ways[0]];
    blocks[block].is_gate = access.successors == 1 && successors[access.first_successor] == ways[1];
  }
}

void ReplayPlan::add_block(const KernelInfo& kernel, const BlockInfo& info) {
  Block block;
  block.first_step = static_cast<std::uint32_t>(steps.size());
  for (const SiteId site : info.sites) {
    check_id(kernel, "site", site.value(), kernel.sites.size());
    const SiteInfo& step = kernel.sites[site.value()];
    steps.push_back({site, step.kind});
  }
  block.end_step = static_cast<std::uint32_t>(steps.size());
  block.first_successor = static_cast<std::uint32_t>(successors.size());
  block.successors = static_cast<std::uint32_t>(info.successors.size());
  block.outcome_bits = outcome_bits(info.successors.size());
  for (const BlockId successor : info.successors) {
    check_id(kernel, "successor", successor.value(), kernel.blocks.size());
    successors.push_back(successor.value());
  }
  if (info.immediate_post_dominator) {
    block.reconverge = info.immediate_post_dominator->value();
    check_id(kernel, "post-dominator", block.reconverge, kernel.blocks.size());
  }
  add_levels(kernel, info, block);
  blocks.push_back(block);
}

void ReplayPlan::add_levels(const KernelInfo& kernel, const BlockInfo& info, Block& block) {
  block.first_level = static_cast<std::uint32_t>(levels.size());
  std::optional<std::uint32_t> loop = info.loop;
  while (loop) {
    check_id(kernel, "loop", *loop, kernel.loops.size());
    check_id(kernel, "loop nest of depth", levels.size() - block.first_level, kernel.loops.size());
    levels.push_back({kernel.loops[*loop].header, *loop});
    loop = kernel.loops[*loop].parent;
  }
  block.end_level = static_cast<std::uint32_t>(levels.size());
  std::reverse(levels.begin() + block.first_level, levels.end());
  if (info.loop) {
    block.loop = *info.loop;
    block.is_header = kernel.loops[*info.loop].header.value() == blocks.size();
  }
}

// A block from which only single-successor blocks follow, in a circle, never ends. No finished work-item
// entered one, but a damaged capture could lead there. Such a block asks for more outcome bits than any path
// has, so that the ordinary check of the path's length stops the replay.
void ReplayPlan::mark_endless_blocks() {
  constexpr std::uint32_t kMoreThanAnyPath = 1u << 31;
  for (Block& start : blocks) {
    const Block* at = &start;
    std::size_t steps_taken = 0;
    while (at->successors == 1 && steps_taken <= blocks.size()) {
      at = &blocks[successors[at->first_successor]];
      ++steps_taken;
    }
    if (steps_taken > blocks.size()) start.outcome_bits = kMoreThanAnyPath;
  }
}

}  // namespace warpscope
