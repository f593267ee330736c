#include <algorithm>
#include <bit>
#include <utility>

#include "scheduler/replay/control_flow.h"

namespace warpscope {
namespace {

using ClassMask = std::uint64_t;  ///< bit c = path class c

/// Lanes that execute together, and where they stop to wait for others.
struct Entry {
  std::uint32_t block = 0;
  std::uint32_t step = 0;  ///< index of the next step in ReplayPlan::steps
  std::uint32_t reconverge = ReplayPlan::kExit;
  ClassMask classes = 0;
  LaneMask lanes = 0;
  bool entered = false;  ///< the observer knows that these lanes are in `block`

  [[nodiscard]] bool same_place(const Entry& other) const {
    return block == other.block && step == other.step && reconverge == other.reconverge;
  }
};
using Stack = std::vector<Entry>;  ///< the last entry runs

class IpdomFlow final : public DivergentFlow {
 public:
  IpdomFlow(const FlowContext& context, std::vector<PathClass> classes)
      : context_(context), plan_(*context.plan), classes_(std::move(classes)) {
    for (std::size_t c = 0; c < classes_.size(); ++c) live_.classes |= ClassMask{1} << c;
    for (const PathClass& one : classes_) live_.lanes |= one.lanes;
    live_.step = plan_.blocks[0].first_step;
    stack_.push_back(live_);
  }

  WarpPosition advance() override;
  [[nodiscard]] std::uint64_t bits_left(std::size_t index) const override {
    return classes_[index].path.bits_left();
  }

 private:
  void leave_block();
  void go(std::uint32_t target);
  void diverge(const ReplayPlan::Block& block);
  void diverge_two_ways(const ReplayPlan::Block& block, ClassMask second);
  void diverge_many_ways(const ReplayPlan::Block& block);
  void wait_for(std::uint32_t reconverge);
  void push(std::uint32_t target, std::uint32_t reconverge, ClassMask classes);
  void step_aside();
  void meet_again();

  FlowContext context_;
  const ReplayPlan& plan_;
  std::vector<PathClass> classes_;
  Entry live_;  ///< classes and lanes that have not returned
  Stack stack_;
  std::vector<Stack> waiting_;  ///< lanes at a barrier that others of the warp have not reached
};

WarpPosition IpdomFlow::advance() {
  for (;;) {
    if (stack_.empty()) {
      if (waiting_.empty()) return {};
      meet_again();
      return {Pending::Barrier, plan_.steps[stack_.back().step - 1].site, live_.lanes};
    }
    Entry& top = stack_.back();
    if (!top.entered) {
      top.entered = true;
      context_.report_block(top.block, top.lanes);
    }
    if (top.step == plan_.blocks[top.block].end_step) {
      leave_block();
      continue;
    }
    const ReplayPlan::Step step = plan_.steps[top.step++];
    context_.report_site(step.site, top.lanes);
    if (step.kind == AccessKind::Fence) continue;
    if (step.kind != AccessKind::Barrier) return {Pending::Access, step.site, top.lanes};
    if (top.classes == live_.classes) return {Pending::Barrier, step.site, top.lanes};
    step_aside();
  }
}

void IpdomFlow::leave_block() {
  const Entry& top = stack_.back();
  const ReplayPlan::Block& block = plan_.blocks[top.block];
  if (block.successors == 0) {
    live_.classes &= ~top.classes;
    live_.lanes &= ~top.lanes;
    stack_.pop_back();
    return;
  }
  if ((top.classes & (top.classes - 1)) == 0) {
    PathCursor& path = classes_[static_cast<std::size_t>(std::countr_zero(top.classes))].path;
    return go(plan_.successors[block.first_successor + path.take(block)]);
  }
  if (block.successors == 1 && block.outcome_bits == 0) return go(plan_.successors[block.first_successor]);
  diverge(block);
}

/// All lanes of the running entry go to one block.
void IpdomFlow::go(std::uint32_t target) {
  Entry& top = stack_.back();
  if (target == top.reconverge) {
    stack_.pop_back();
    return;
  }
  top.block = target;
  top.step = plan_.blocks[target].first_step;
  top.entered = false;
}

void IpdomFlow::diverge(const ReplayPlan::Block& block) {
  if (block.successors != 2 || block.outcome_bits != 1) return diverge_many_ways(block);
  ClassMask second = 0;
  for (ClassMask rest = stack_.back().classes; rest != 0; rest &= rest - 1) {
    const auto c = static_cast<unsigned>(std::countr_zero(rest));
    second |= ClassMask{classes_[c].path.take_bit()} << c;
  }
  diverge_two_ways(block, second);
}

void IpdomFlow::diverge_two_ways(const ReplayPlan::Block& block, ClassMask second) {
  const ClassMask all = stack_.back().classes;
  const std::uint32_t* targets = &plan_.successors[block.first_successor];
  if (second == 0) return go(targets[0]);
  if (second == all || targets[0] == targets[1]) return go(targets[1]);
  wait_for(block.reconverge);
  const bool first_is_lower = targets[0] < targets[1];
  push(targets[first_is_lower ? 1 : 0], block.reconverge, first_is_lower ? second : all & ~second);
  push(targets[first_is_lower ? 0 : 1], block.reconverge, first_is_lower ? all & ~second : second);
}

void IpdomFlow::diverge_many_ways(const ReplayPlan::Block& block) {
  std::vector<std::pair<std::uint32_t, ClassMask>> ways;
  for (ClassMask rest = stack_.back().classes; rest != 0; rest &= rest - 1) {
    const auto c = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint32_t target = plan_.successors[block.first_successor + classes_[c].path.take(block)];
    const auto way = std::find_if(ways.begin(), ways.end(), [&](const auto& w) { return w.first == target; });
    if (way != ways.end()) {
      way->second |= ClassMask{1} << c;
    } else {
      ways.emplace_back(target, ClassMask{1} << c);
    }
  }
  if (ways.size() == 1) return go(ways[0].first);
  std::sort(ways.begin(), ways.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  wait_for(block.reconverge);
  for (const auto& [target, classes] : ways) push(target, block.reconverge, classes);
}

/// The running entry becomes the one in which its lanes meet again. If it would only hand on to the entry
/// below (or to the end), it goes: loops must not make the stack grow.
void IpdomFlow::wait_for(std::uint32_t reconverge) {
  Entry& top = stack_.back();
  if (reconverge == top.reconverge || reconverge == ReplayPlan::kExit) {
    stack_.pop_back();
    return;
  }
  top.block = reconverge;
  top.step = plan_.blocks[reconverge].first_step;
  top.entered = false;
}

void IpdomFlow::push(std::uint32_t target, std::uint32_t reconverge, ClassMask classes) {
  if (target == reconverge) return;
  Entry entry{target, plan_.blocks[target].first_step, reconverge, classes, 0, false};
  for (ClassMask rest = classes; rest != 0; rest &= rest - 1) {
    entry.lanes |= classes_[static_cast<std::size_t>(std::countr_zero(rest))].lanes;
  }
  stack_.push_back(entry);
}

/// The running lanes wait at a barrier before the warp's others have arrived: they take their share of every
/// entry they belong to into a stack of their own, and the others go on.
void IpdomFlow::step_aside() {
  const Entry running = stack_.back();
  Stack own;
  for (Entry& entry : stack_) {
    if ((entry.classes & running.classes) == 0) continue;
    own.push_back(entry);
    own.back().classes &= running.classes;
    own.back().lanes &= running.lanes;
    entry.classes &= ~running.classes;
    entry.lanes &= ~running.lanes;
  }
  std::erase_if(stack_, [](const Entry& entry) { return entry.classes == 0; });
  waiting_.push_back(std::move(own));
}

/// Every unfinished lane is at a barrier: their stacks become one again, entry by entry as long as they
/// agree.
void IpdomFlow::meet_again() {
  stack_ = std::move(waiting_.front());
  for (std::size_t w = 1; w < waiting_.size(); ++w) {
    const Stack& other = waiting_[w];
    std::size_t level = 0;
    while (level < stack_.size() && level < other.size() && stack_[level].same_place(other[level])) {
      stack_[level].classes |= other[level].classes;
      stack_[level].lanes |= other[level].lanes;
      ++level;
    }
    stack_.insert(stack_.end(), other.begin() + static_cast<std::ptrdiff_t>(level), other.end());
  }
  waiting_.clear();
}

}  // namespace

std::unique_ptr<DivergentFlow> make_ipdom_flow(const FlowContext& context, std::vector<PathClass> classes) {
  return std::make_unique<IpdomFlow>(context, std::move(classes));
}

}  // namespace warpscope
