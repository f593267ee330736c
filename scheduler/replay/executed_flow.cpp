#include <bit>
#include <utility>

#include "scheduler/replay/control_flow.h"

namespace warpscope {
namespace {

using ClassMask = std::uint64_t;  ///< bit c = path class c

/// Calls visit(index) for the classes of a set.
template <class Visit>
void for_each_class(ClassMask classes, Visit visit) {
  for (ClassMask rest = classes; rest != 0; rest &= rest - 1)
    visit(static_cast<std::size_t>(std::countr_zero(rest)));
}

class ExecutedFlow final : public DivergentFlow {
 public:
  ExecutedFlow(const FlowContext& context, std::vector<PathClass> classes)
      : context_(context), plan_(*context.plan), classes_(std::move(classes)) {
    heads_.resize(classes_.size());
    for (std::size_t index = 0; index < heads_.size(); ++index) heads_[index] = index;
    if (splits_a_class()) part();
    places_.assign(classes_.size(), 0);
    live_ = low_lanes(static_cast<unsigned>(classes_.size()));
    if (context_.walk->turns.empty()) {
      turn_ = live_;
      blocks_left_ = ~std::uint64_t{0};
    }
  }

  WarpPosition advance() override;
  [[nodiscard]] std::uint64_t bits_left(std::size_t index) const override {
    return classes_[heads_[index]].path.bits_left();
  }

 private:
  [[nodiscard]] bool splits_a_class() const;
  void part();
  [[nodiscard]] LaneMask lanes_of(ClassMask classes) const;
  [[nodiscard]] ClassMask classes_of(LaneMask lanes) const;
  void begin_block();
  void enter(std::uint32_t block, ClassMask classes);
  void pass_gate(std::uint32_t gate);
  void leave_block();
  bool begin_turn();

  FlowContext context_;
  const ReplayPlan& plan_;
  std::vector<PathClass> classes_;
  std::vector<std::size_t> heads_;     ///< by class as given: the class that holds its lowest lane
  std::vector<std::uint32_t> places_;  ///< by class: the block that it enters next, or is in
  ClassMask live_ = 0;                 ///< classes that have not ended
  ClassMask turn_ = 0;                 ///< classes whose turn it is
  std::uint64_t blocks_left_ = 0;      ///< of the turn
  std::size_t next_turn_ = 0;
  ClassMask executing_ = 0;  ///< those of the turn that execute the current block; 0: none is
  LaneMask lanes_ = 0;
  std::uint32_t step_ = 0, end_step_ = 0;
  ClassMask waiting_ = 0;  ///< classes at a barrier of the work-group
  SiteId barrier_;
};

/// Lanes of one path that were not together: their branches had one target whatever they decided.
bool ExecutedFlow::splits_a_class() const {
  for (const WarpTurn& turn : context_.walk->turns)
    for (const PathClass& one : classes_)
      if ((one.lanes & turn.lanes) != 0 && (one.lanes & ~LaneMask{turn.lanes}) != 0) return true;
  return false;
}

void ExecutedFlow::part() {
  std::vector<PathClass> alone;
  for (std::size_t index = 0; index < classes_.size(); ++index) {
    heads_[index] = alone.size();
    for (LaneMask rest = classes_[index].lanes; rest != 0; rest &= rest - 1)
      alone.push_back({classes_[index].path, rest & ~(rest - 1)});
  }
  classes_ = std::move(alone);
}

LaneMask ExecutedFlow::lanes_of(ClassMask classes) const {
  LaneMask lanes = 0;
  for_each_class(classes, [&](std::size_t index) { lanes |= classes_[index].lanes; });
  return lanes;
}

ClassMask ExecutedFlow::classes_of(LaneMask lanes) const {
  ClassMask classes = 0;
  for (std::size_t index = 0; index < classes_.size(); ++index)
    if ((classes_[index].lanes & lanes) != 0) classes |= ClassMask{1} << index;
  return classes;
}

WarpPosition ExecutedFlow::advance() {
  for (;;) {
    if (step_ != end_step_) {
      const ReplayPlan::Step step = plan_.steps[step_++];
      context_.report_site(step.site, lanes_);
      if (step.kind == AccessKind::Fence) continue;
      if (step.kind != AccessKind::Barrier) return {Pending::Access, step.site, lanes_};
      if (waiting_ == 0) barrier_ = step.site;
      waiting_ |= executing_;
      continue;
    }
    if (executing_ != 0) leave_block();
    if ((blocks_left_ == 0 || (turn_ & live_) == 0) && !begin_turn()) return {};
    if ((turn_ & live_ & waiting_) != 0) {
      const LaneMask there = lanes_of(waiting_);
      waiting_ = 0;
      return {Pending::Barrier, barrier_, there};
    }
    begin_block();
  }
}

/// False: all lanes have ended.
bool ExecutedFlow::begin_turn() {
  const std::vector<WarpTurn>& turns = context_.walk->turns;
  if (live_ == 0) {
    if (next_turn_ != turns.size()) throw PathDamage{};
    return false;
  }
  if (next_turn_ == turns.size()) throw PathDamage{};
  turn_ = classes_of(turns[next_turn_].lanes);
  blocks_left_ = turns[next_turn_++].blocks;
  if ((turn_ & live_) == 0) throw PathDamage{};
  return true;
}

void ExecutedFlow::begin_block() {
  const ClassMask together = turn_ & live_;
  const std::uint32_t place = places_[static_cast<std::size_t>(std::countr_zero(together))];
  for_each_class(together, [&](std::size_t index) {
    if (places_[index] != place) throw PathDamage{};
  });
  --blocks_left_;
  enter(place, together);
  if (plan_.blocks[place].is_gate) pass_gate(place);
}

void ExecutedFlow::enter(std::uint32_t block, ClassMask classes) {
  executing_ = classes;
  lanes_ = lanes_of(classes);
  step_ = plan_.blocks[block].first_step;
  end_step_ = plan_.blocks[block].end_step;
  context_.report_block(block, lanes_);
}

/// Lanes whose guard holds go on to the access, alone; the others are behind it.
void ExecutedFlow::pass_gate(std::uint32_t gate) {
  const ReplayPlan::Block& block = plan_.blocks[gate];
  const std::uint32_t* const ways = &plan_.successors[block.first_successor];
  ClassMask open = 0;
  for_each_class(executing_, [&](std::size_t index) {
    const bool goes_around = classes_[index].path.take_bit() != 0;
    places_[index] = ways[goes_around ? 1 : 0];
    if (!goes_around) open |= ClassMask{1} << index;
  });
  executing_ = 0;
  if (open != 0) enter(ways[0], open);
}

void ExecutedFlow::leave_block() {
  const ReplayPlan::Block& block =
      plan_.blocks[places_[static_cast<std::size_t>(std::countr_zero(executing_))]];
  for_each_class(executing_, [&](std::size_t index) {
    if (block.successors != 0) {
      places_[index] = plan_.successors[block.first_successor + classes_[index].path.take(block)];
      if (!plan_.blocks[places_[index]].is_end) return;
    }
    live_ &= ~(ClassMask{1} << index);
  });
  executing_ = 0;
}

}  // namespace

std::unique_ptr<DivergentFlow> make_executed_flow(const FlowContext& context,
                                                  std::vector<PathClass> classes) {
  return std::make_unique<ExecutedFlow>(context, std::move(classes));
}

}  // namespace warpscope
