#include "timed/program/predicates.h"

#include <algorithm>

namespace warpscope::timed {
namespace {

class ConditionalParts {
 public:
  ConditionalParts(const KernelInfo& kernel, std::uint32_t most)
      : kernel_(kernel), most_(most), predecessors_(kernel.blocks.size()) {
    for (const BlockInfo& block : kernel.blocks)
      for (const BlockId to : block.successors) ++predecessors_[to.value()];
  }

  /// The part that the branch at the end of `block` decides about, if it is one; the block behind it is the post-dominator.
  [[nodiscard]] std::optional<BlockId> part_behind(BlockId block) const {
    const BlockInfo& info = kernel_.blocks[block.value()];
    if (info.successors.size() != 2 || !info.immediate_post_dominator) return {};
    const BlockId join = *info.immediate_post_dominator;
    if (join.value() <= block.value()) return {};
    for (const bool second : {false, true})
      if (info.successors[second ? 0 : 1] == join && is_part(info.successors[second ? 1 : 0], join, info))
        return info.successors[second ? 1 : 0];
    return {};
  }

  /// Whether the loads of `part` may go in front of what is in `between`.
  [[nodiscard]] bool goes_before(BlockId part, const std::vector<BlockId>& between) const {
    const auto& sites = kernel_.blocks[part.value()].sites;
    return std::all_of(sites.begin(), sites.end(), [&](SiteId site) {
      const SiteInfo& info = kernel_.sites[site.value()];
      return info.kind != AccessKind::Load || !info.earliest ||
             std::find(between.begin(), between.end(), info.earliest->block) == between.end();
    });
  }

 private:
  [[nodiscard]] bool is_part(BlockId at, BlockId join, const BlockInfo& head) const {
    const BlockInfo& part = kernel_.blocks[at.value()];
    if (at == join || part.successors.size() != 1 || part.successors[0] != join) return false;
    if (predecessors_[at.value()] != 1 || part.loop != head.loop || !part.meetings.empty()) return false;
    if (part.instructions > most_ + count_in(part, "phi") + count_in(part, "branch")) return false;
    return std::all_of(part.sites.begin(), part.sites.end(), [&](SiteId site) {
      const SiteInfo& info = kernel_.sites[site.value()];
      return !info.is_volatile && (info.kind == AccessKind::Load || info.kind == AccessKind::Store);
    });
  }

  const KernelInfo& kernel_;
  std::uint32_t most_;
  std::vector<std::uint32_t> predecessors_;
};

}  // namespace

std::vector<std::optional<BlockId>> ends_of_predicated(const KernelInfo& kernel, std::uint32_t most) {
  std::vector<std::optional<BlockId>> ends(kernel.blocks.size());
  if (most == 0) return ends;
  const ConditionalParts parts(kernel, most);
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    std::vector<BlockId> run, between;  // the parts, and all blocks behind the first branch
    BlockId at(b);
    for (;;) {
      const std::optional<BlockId> part = parts.part_behind(at);
      if (!part || ends[part->value()] || !parts.goes_before(*part, between)) break;
      if (!run.empty() && !kernel.blocks[at.value()].sites.empty()) break;
      run.push_back(*part);
      at = *kernel.blocks[at.value()].immediate_post_dominator;
      between.insert(between.end(), {*part, at});
    }
    if (run.size() < 2) continue;
    for (const BlockId part : run) ends[part.value()] = at;
  }
  return ends;
}

}  // namespace warpscope::timed
