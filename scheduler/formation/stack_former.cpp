#include <algorithm>
#include <map>
#include <utility>

#include "scheduler/formation/formation.h"

namespace warpscope {
namespace {

using ItemList = std::vector<std::uint32_t>;  ///< ascending

struct StackEntry {
  std::uint32_t block = 0, step = 0;
  std::uint32_t reconverge = ReplayPlan::kExit;
  ItemList items;
};

class StackFormer final : public WarpFormer {
 public:
  StackFormer(const FormerContext& context, std::uint32_t first, std::uint32_t end) : context_(context) {
    StackEntry all;
    all.step = context.plan.blocks[0].first_step;
    for (std::uint32_t item = first; item < end; ++item) all.items.push_back(item);
    stack_.push_back(std::move(all));
  }

  FormedIssue next() override {
    if (waits_ || stack_.empty()) return {};
    const StackEntry& top = stack_.back();
    return {top.block, top.step, warps_of(top.items)};
  }
  void leave(const FormedIssue& issue) override;
  void wait(const FormedIssue& /*issue*/, std::uint32_t step) override {
    stack_.back().step = step;
    waits_ = true;
  }
  bool release() override { return std::exchange(waits_, false); }

 private:
  [[nodiscard]] std::vector<FormedWarp> warps_of(const ItemList& items) const;
  void go(std::uint32_t target);
  void diverge(const ReplayPlan::Block& block, const std::map<std::uint32_t, ItemList>& ways);

  FormerContext context_;
  std::vector<StackEntry> stack_;  ///< the last entry runs
  bool waits_ = false;             ///< whether it waits at a barrier
};

/// The k-th active work-item of a lane is in the k-th warp.
std::vector<FormedWarp> StackFormer::warps_of(const ItemList& items) const {
  std::vector<FormedWarp> warps;
  std::vector<std::uint32_t> used(context_.warp_size, 0);
  for (const std::uint32_t item : items) {
    const std::uint32_t lane = item % context_.warp_size;
    const std::uint32_t number = used[lane]++;
    if (number == warps.size()) warps.emplace_back(context_.warp_size, kNoItem);
    warps[number][lane] = item;
  }
  return warps;
}

void StackFormer::leave(const FormedIssue& issue) {
  const ReplayPlan::Block& block = context_.plan.blocks[issue.block];
  if (block.successors == 0) {
    stack_.pop_back();
    return;
  }
  const std::uint32_t* const targets = &context_.plan.successors[block.first_successor];
  if (block.outcome_bits == 0) return go(targets[0]);
  std::map<std::uint32_t, ItemList> ways;
  for (const std::uint32_t item : stack_.back().items)
    ways[targets[context_.paths[item].take(block)]].push_back(item);
  if (ways.size() == 1) return go(ways.begin()->first);
  diverge(block, ways);
}

void StackFormer::go(std::uint32_t target) {
  StackEntry& top = stack_.back();
  if (target == top.reconverge) {
    stack_.pop_back();
    return;
  }
  top.block = target;
  top.step = context_.plan.blocks[target].first_step;
}

/// The running entry becomes the one in which its work-items meet again, unless it would only hand on to the entry below or to the
/// end; of the others the lowest block runs first.
void StackFormer::diverge(const ReplayPlan::Block& block, const std::map<std::uint32_t, ItemList>& ways) {
  StackEntry& top = stack_.back();
  if (block.reconverge == top.reconverge || block.reconverge == ReplayPlan::kExit) {
    stack_.pop_back();
  } else {
    top.block = block.reconverge;
    top.step = context_.plan.blocks[block.reconverge].first_step;
  }
  for (auto way = ways.rbegin(); way != ways.rend(); ++way)
    if (way->first != block.reconverge)
      stack_.push_back(
          {way->first, context_.plan.blocks[way->first].first_step, block.reconverge, way->second});
}

}  // namespace

std::unique_ptr<WarpFormer> make_stack_former(const FormerContext& context, std::uint32_t first,
                                              std::uint32_t end) {
  return std::make_unique<StackFormer>(context, first, end);
}

}  // namespace warpscope
