#include <algorithm>
#include <map>
#include <utility>

#include "scheduler/formation/formation.h"

namespace warpscope {
namespace {

/// Warps at one place. New work-items join the last one.
struct PoolPlace {
  std::vector<FormedWarp> warps;
  std::uint64_t items = 0;
};

class PoolFormer final : public WarpFormer {
 public:
  PoolFormer(const FormerContext& context, std::uint32_t items, bool by_majority)
      : context_(context), by_majority_(by_majority) {
    for (std::uint32_t first = 0; first < items; first += context.warp_size) {
      FormedWarp warp;
      for (std::uint32_t item = first; item < std::min(first + context.warp_size, items); ++item)
        warp.push_back(item);
      add({0, context.plan.blocks[0].first_step}, warp);
    }
  }

  FormedIssue next() override;
  void leave(const FormedIssue& issue) override;
  void wait(const FormedIssue& issue, std::uint32_t step) override {
    for (const FormedWarp& warp : issue.warps)
      for (const std::uint32_t item : warp)
        if (item != kNoItem) waiting_[item] = {issue.block, step};
  }
  bool release() override;

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  ///< block and step

  void add(const Key& place, const FormedWarp& items);

  FormerContext context_;
  bool by_majority_;
  std::map<Key, PoolPlace> pool_;
  std::map<std::uint32_t, Key> waiting_;  ///< work-items at a barrier
};

/// Items of different lanes, which come together: those whose lane is free join the last warp, the others begin one.
void PoolFormer::add(const Key& place, const FormedWarp& items) {
  PoolPlace& found = pool_[place];
  const bool joins = !found.warps.empty();
  FormedWarp rest(context_.warp_size, kNoItem);
  bool any = false;
  for (const std::uint32_t item : items) {
    const std::uint32_t lane = item % context_.warp_size;
    const bool is_free = joins && found.warps.back()[lane] == kNoItem;
    (is_free ? found.warps.back() : rest)[lane] = item;
    any |= !is_free;
  }
  if (any) found.warps.push_back(std::move(rest));
  found.items += items.size();
}

/// Those that began in one warp come together.
bool PoolFormer::release() {
  std::map<std::pair<std::uint32_t, Key>, FormedWarp> together;
  for (const auto& [item, place] : std::exchange(waiting_, {}))
    together[{item / context_.warp_size, place}].push_back(item);
  for (const auto& [where, items] : together) add(where.second, items);
  return !pool_.empty();
}

FormedIssue PoolFormer::next() {
  if (pool_.empty()) return {};
  auto chosen = pool_.begin();
  if (by_majority_)
    for (auto other = pool_.begin(); other != pool_.end(); ++other)
      if (other->second.items > chosen->second.items) chosen = other;
  FormedIssue issue{chosen->first.first, chosen->first.second, std::move(chosen->second.warps)};
  pool_.erase(chosen);
  return issue;
}

void PoolFormer::leave(const FormedIssue& issue) {
  const ReplayPlan::Block& block = context_.plan.blocks[issue.block];
  if (block.successors == 0) return;
  for (const FormedWarp& warp : issue.warps) {
    std::map<std::uint32_t, FormedWarp> ways;  // by block
    for (const std::uint32_t item : warp) {
      if (item == kNoItem) continue;
      const std::uint32_t taken = block.outcome_bits == 0 ? 0 : context_.paths[item].take(block);
      ways[context_.plan.successors[block.first_successor + taken]].push_back(item);
    }
    for (const auto& [target, items] : ways) add({target, context_.plan.blocks[target].first_step}, items);
  }
}

}  // namespace

std::unique_ptr<WarpFormer> make_pool_former(const FormerContext& context, std::uint32_t items,
                                             bool by_majority) {
  return std::make_unique<PoolFormer>(context, items, by_majority);
}

}  // namespace warpscope
