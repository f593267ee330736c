#include <bit>
#include <utility>

#include "scheduler/replay/control_flow.h"

namespace warpscope {
namespace {

class LoopsFlow final : public DivergentFlow {
 public:
  LoopsFlow(const FlowContext& context, std::vector<PathClass> classes)
      : context_(context), plan_(*context.plan), walkers_(classes.size()) {
    for (std::size_t w = 0; w < walkers_.size(); ++w) {
      walkers_[w].own = classes[w];
      walkers_[w].step = plan_.blocks[0].first_step;
      walkers_[w].iteration.resize(plan_.loops);
      context_.report_block(0, walkers_[w].own.lanes);
    }
  }

  WarpPosition advance() override;
  [[nodiscard]] std::uint64_t bits_left(std::size_t index) const override {
    return walkers_[index].own.path.bits_left();
  }

 private:
  /// One path class on its way from access to access.
  struct Walker {
    PathClass own;
    std::uint32_t block = 0;
    std::uint32_t step = 0;  ///< index of the next access or barrier
    Pending pending = Pending::End;
    bool moves = true;                     ///< makes the current access, walks on in the next advance()
    std::vector<std::uint64_t> iteration;  ///< per loop, of the loops that hold `block`; others: left over
  };

  void walk(Walker& walker);
  void enter(Walker& walker, std::uint32_t target);
  [[nodiscard]] int compare(const Walker& a, const Walker& b) const;
  WarpPosition take_all(Pending pending, const Walker* earliest);

  FlowContext context_;
  const ReplayPlan& plan_;
  std::vector<Walker> walkers_;
};

WarpPosition LoopsFlow::advance() {
  const Walker* earliest = nullptr;
  bool any_at_barrier = false;
  for (Walker& walker : walkers_) {
    if (walker.moves) walk(walker);
    any_at_barrier |= walker.pending == Pending::Barrier;
    if (walker.pending != Pending::Access) continue;
    if (earliest == nullptr || compare(walker, *earliest) < 0) earliest = &walker;
  }
  if (earliest != nullptr) return take_all(Pending::Access, earliest);
  return any_at_barrier ? take_all(Pending::Barrier, nullptr) : WarpPosition{};
}

/// Every walker that is where `earliest` is (at any barrier, if null) takes part.
WarpPosition LoopsFlow::take_all(Pending pending, const Walker* earliest) {
  WarpPosition position{pending, SiteId(), 0};
  int lowest = static_cast<int>(kMaxWarpSize);
  for (Walker& walker : walkers_) {
    if (walker.pending != pending || (earliest != nullptr && compare(walker, *earliest) != 0)) continue;
    walker.moves = true;
    position.lanes |= walker.own.lanes;
    if (const int lane = std::countr_zero(walker.own.lanes); lane < lowest) {
      lowest = lane;
      position.site = plan_.steps[walker.step].site;
    }
  }
  for (Walker& walker : walkers_) {
    if (walker.moves) walker.step += 1;
  }
  if (pending == Pending::Access) context_.report_site(position.site, position.lanes);
  return position;
}

/// To the walker's next access, barrier or end.
void LoopsFlow::walk(Walker& walker) {
  walker.moves = false;
  for (;;) {
    const ReplayPlan::Block& block = plan_.blocks[walker.block];
    for (; walker.step < block.end_step; ++walker.step) {
      const ReplayPlan::Step step = plan_.steps[walker.step];
      if (has_address(step.kind)) {
        walker.pending = Pending::Access;
        return;
      }
      context_.report_site(step.site, walker.own.lanes);
      if (step.kind == AccessKind::Barrier) {
        walker.pending = Pending::Barrier;
        return;
      }
    }
    if (block.successors == 0) {
      walker.pending = Pending::End;
      return;
    }
    enter(walker, plan_.successors[block.first_successor + walker.own.path.take(block)]);
  }
}

void LoopsFlow::enter(Walker& walker, std::uint32_t target) {
  const ReplayPlan::Block& block = plan_.blocks[target];
  if (block.is_header) {
    std::uint64_t& iteration = walker.iteration[block.loop];
    iteration = plan_.contains(block.loop, walker.block) ? iteration + 1 : 0;
  }
  walker.block = target;
  walker.step = block.first_step;
  context_.report_block(target, walker.own.lanes);
}

/// Order of two positions in loop snapshots, outermost level first: a loop counts by its header, an access
/// outside the remaining loops by its block (both in reverse post-order); equal loops compare by iteration;
/// in one block the earlier instruction comes first.
int LoopsFlow::compare(const Walker& a, const Walker& b) const {
  const ReplayPlan::Block& block_a = plan_.blocks[a.block];
  const ReplayPlan::Block& block_b = plan_.blocks[b.block];
  std::uint32_t level_a = block_a.first_level, level_b = block_b.first_level;
  for (;; ++level_a, ++level_b) {
    const bool loop_a = level_a < block_a.end_level, loop_b = level_b < block_b.end_level;
    const std::uint32_t label_a = loop_a ? plan_.levels[level_a].header.value() : a.block;
    const std::uint32_t label_b = loop_b ? plan_.levels[level_b].header.value() : b.block;
    if (label_a != label_b) return label_a < label_b ? -1 : 1;
    if (!loop_a || !loop_b) break;
    const std::uint64_t iteration_a = a.iteration[plan_.levels[level_a].loop];
    const std::uint64_t iteration_b = b.iteration[plan_.levels[level_b].loop];
    if (iteration_a != iteration_b) return iteration_a < iteration_b ? -1 : 1;
  }
  if (a.step != b.step) return a.step < b.step ? -1 : 1;
  return 0;
}

}  // namespace

std::unique_ptr<DivergentFlow> make_loops_flow(const FlowContext& context, std::vector<PathClass> classes) {
  return std::make_unique<LoopsFlow>(context, std::move(classes));
}

}  // namespace warpscope
