#include "wrapper/recording/barrier_flow.h"

#include <algorithm>

#include "traces/base/error.h"
#include "traces/capture/walk.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

std::vector<std::uint32_t> barrier_of_each_block(const KernelInfo& kernel) {
  std::vector<std::uint32_t> result(kernel.blocks.size(), kNone);
  for (std::size_t block = 0; block < result.size(); ++block)
    for (const SiteId site : kernel.blocks[block].sites)
      if (kernel.sites[site.value()].kind == AccessKind::Barrier) result[block] = site.value();
  return result;
}

/// The barrier between the branch at the end of `block` and the point where its ways meet again; kNone if
/// there is none. `found`: a barrier inside each block, or behind its branch.
std::uint32_t barrier_behind(const KernelInfo& kernel, std::size_t block,
                             const std::vector<std::uint32_t>& found) {
  const auto& meeting = kernel.blocks[block].immediate_post_dominator;
  for (const BlockId successor : kernel.blocks[block].successors) {
    std::optional<BlockId> at = successor;
    for (std::size_t steps = 0; at && at != meeting && steps < kernel.blocks.size(); ++steps) {
      if (found[at->value()] != kNone) return found[at->value()];
      at = kernel.blocks[at->value()].immediate_post_dominator;
    }
  }
  return kNone;
}

}  // namespace

/// The decisions of one work-item as one number.
struct BarrierFlow::Decisions {
  std::uint64_t hash = 0;
  bool fits = true;  ///< the outcomes lead from the kernel's entry to its return
};

// A branch decides about a barrier that depends on it, and about other such branches: until nothing is added.
BarrierFlow::BarrierFlow(const KernelInfo& kernel) : kernel_(kernel) {
  std::vector<std::uint32_t> found = barrier_of_each_block(kernel);
  if (std::count(found.begin(), found.end(), kNone) == static_cast<std::ptrdiff_t>(found.size())) return;
  std::vector<std::uint32_t> decisions(found.size(), kNone);
  bool changed = true;
  bool any = false;
  while (changed) {
    changed = false;
    for (std::size_t block = 0; block < found.size(); ++block) {
      if (decisions[block] != kNone || kernel.blocks[block].successors.size() < 2) continue;
      decisions[block] = barrier_behind(kernel, block, found);
      if (decisions[block] == kNone) continue;
      found[block] = decisions[block];
      changed = any = true;
    }
  }
  if (any) decisions_ = std::move(decisions);
}

std::optional<SiteId> BarrierFlow::barrier() const {
  for (const std::uint32_t site : decisions_)
    if (site != kNone) return SiteId(site);
  return {};
}

BarrierFlow::Decisions BarrierFlow::follow(const Path& path) const {
  Decisions result;
  try {
    for (PathWalker walk(kernel_, path); !walk.done();) {
      const BlockId block = walk.block();
      walk.advance();
      if (decisions_[block.value()] == kNone || walk.done()) continue;
      const std::uint64_t way = std::uint64_t{block.value()} << 32 | walk.block().value();
      result.hash = (result.hash ^ way) * 0x9e3779b97f4a7c15u;
      result.hash ^= result.hash >> 29;
    }
  } catch (const InputError&) {
    result.fits = false;
  }
  return result;
}

SiteId BarrierFlow::parting(const Path& a, const Path& b) const {
  SiteId last = *barrier();
  try {
    PathWalker walk_a(kernel_, a);
    PathWalker walk_b(kernel_, b);
    const auto to_decision = [this](PathWalker& walk) {
      while (!walk.done() && decisions_[walk.block().value()] == kNone) walk.advance();
    };
    for (;;) {
      to_decision(walk_a);
      to_decision(walk_b);
      if (walk_a.done() || walk_b.done()) return last;
      last = SiteId(decisions_[walk_a.block().value()]);
      walk_a.advance();
      walk_b.advance();
      if (walk_a.done() || walk_b.done() || walk_a.block() != walk_b.block()) return last;
    }
  } catch (const InputError&) {
    return last;
  }
}

std::optional<BarrierFlow::Divergence> BarrierFlow::check(const std::vector<Path>& paths) const {
  if (decisions_.empty() || paths.empty()) return {};
  const Decisions first = follow(paths.front());
  for (std::uint32_t number = 1; number < paths.size(); ++number) {
    const Decisions other = follow(paths[number]);
    if (other.fits == first.fits && other.hash == first.hash) continue;
    return Divergence{0, number, parting(paths.front(), paths[number])};
  }
  if (!first.fits) return Divergence{0, 0, *barrier()};
  return {};
}

}  // namespace warpscope
