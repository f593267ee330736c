#include "traces/capture/walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/base/error.h"

namespace warpscope {

void PathWalker::advance() {
  const std::vector<BlockId>& successors = kernel_.blocks[block_.value()].successors;
  if (successors.empty()) {
    if (position_ != path_.bit_count) {
      throw InputError(fmt::format("{} outcome bits are left over at the return from block {}, expected none",
                                   path_.bit_count - position_, block_.value()));
    }
    done_ = true;
    return;
  }
  const std::uint32_t bits = outcome_bits(successors.size());
  silent_blocks_ = bits == 0 ? silent_blocks_ + 1 : 0;
  if (silent_blocks_ > kernel_.blocks.size()) {
    throw InputError(fmt::format("block {} is in a loop that no branch leaves", block_.value()));
  }
  const std::uint64_t outcome = next_outcome(bits);
  if (outcome >= successors.size()) {
    throw InputError(fmt::format("block {} takes successor {}, expected less than {}", block_.value(),
                                 outcome, successors.size()));
  }
  block_ = successors[outcome];
}

std::uint64_t PathWalker::next_outcome(std::uint32_t bits) {
  if (bits > path_.bit_count - position_) {
    throw InputError(
        fmt::format("outcomes run out in block {}, expected {} more bits", block_.value(), bits));
  }
  std::uint64_t outcome = 0;
  for (std::uint32_t i = 0; i < bits; ++i, ++position_) {
    outcome |= (path_.bits[position_ / 64] >> (position_ % 64) & 1) << i;
  }
  return outcome;
}

BufferAddr LocationCursor::next() {
  key_ += static_cast<std::uint64_t>(delta_);
  const BufferAddr result(key_);
  if (--remaining_ == 0 && runs_.has_next()) {
    const DeltaRun run = runs_.next();
    delta_ = run.delta;
    remaining_ = run.repeat;
  }
  return result;
}

void walk_work_item(const KernelInfo& kernel, const WorkGroupTrace& trace, WorkItemId item,
                    const std::function<void(const WalkStep&)>& visit,
                    const std::function<void(BlockId)>& enter) {
  std::vector<LocationCursor> cursors(kernel.sites.size());
  for (std::size_t site = 0; site < cursors.size(); ++site) {
    const SiteColumn& column = trace.columns[site];
    if (!column.shape_of.empty() && column.shape_of[item.value()] != SiteColumn::kNone) {
      cursors[site] = LocationCursor(column, item);
    }
  }
  for (PathWalker walk(kernel, trace.paths[trace.path_of[item.value()]]); !walk.done(); walk.advance()) {
    if (enter) enter(walk.block());
    for (const SiteId site : kernel.blocks[walk.block().value()].sites) {
      WalkStep step{walk.block(), site, {}};
      if (has_address(kernel.sites[site.value()].kind)) {
        if (!cursors[site.value()].has_next()) {
          throw InputError(
              fmt::format("site {} has no further location, expected one per execution", site.value()));
        }
        step.where = cursors[site.value()].next();
      }
      visit(step);
    }
  }
  for (std::size_t site = 0; site < cursors.size(); ++site) {
    if (cursors[site].has_next()) {
      throw InputError(fmt::format("site {} has locations left over, expected one per execution", site));
    }
  }
  // What the walk has read of a work-group that is in a file; next time another work-item is read.
  for (const SiteColumn& column : trace.columns)
    if (column.shapes.pages() != nullptr) return column.shapes.pages()->release();
}

namespace {

/// Lane by lane, as simple as can be: the replay, which is fast, is compared with this.
class WarpWalker {
 public:
  WarpWalker(const KernelInfo& kernel, const WorkGroupTrace& trace, std::uint32_t warp)
      : kernel_(kernel), walk_(trace.walks.walks[trace.walks.walk_of[warp]]) {
    const std::uint32_t first = warp * kLanesOfWalks;
    const std::uint32_t end = std::min(first + kLanesOfWalks, trace.work_items);
    for (std::uint32_t item = first; item < end; ++item)
      lanes_.emplace_back(kernel, trace.paths[trace.path_of[item]]);
  }

  std::uint32_t run() {
    for (const WarpTurn& turn : walk_.turns)
      for (std::uint64_t block = 0; block < turn.blocks && (turn.lanes & live()) != 0; ++block)
        step(turn.lanes & live());
    if (walk_.turns.empty())
      while (live() != 0) step(live());
    if (live() != 0) throw InputError("lanes have not ended after their last turn");
    return hash_.value();
  }

 private:
  [[nodiscard]] const BlockInfo& block_of(std::uint32_t lane) const {
    return kernel_.blocks[lanes_[lane].block().value()];
  }
  [[nodiscard]] std::uint32_t live() const {
    std::uint32_t lanes = 0;
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane)
      if (!has_ended(lane)) lanes |= std::uint32_t{1} << lane;
    return lanes;
  }
  [[nodiscard]] bool has_ended(std::uint32_t lane) const {
    return lanes_[lane].done() || (block_of(lane).instructions == 0 && block_of(lane).successors.empty());
  }
  [[nodiscard]] bool is_gate(const BlockInfo& block) const {
    if (block.instructions != 0 || !block.sites.empty() || block.successors.size() != 2) return false;
    const BlockInfo& access = kernel_.blocks[block.successors[0].value()];
    return access.successors.size() == 1 && access.successors[0] == block.successors[1];
  }

  void step(std::uint32_t lanes) {
    const BlockId block = enter(lanes);
    const BlockInfo& info = kernel_.blocks[block.value()];
    if (!is_gate(info)) return;
    std::uint32_t behind = 0;
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane)
      if ((lanes >> lane & 1) != 0 && !has_ended(lane) && lanes_[lane].block() == info.successors[0])
        behind |= std::uint32_t{1} << lane;
    if (behind != 0) enter(behind);
  }

  /// All of `lanes` enter the block before which they are, and leave it.
  BlockId enter(std::uint32_t lanes) {
    std::optional<BlockId> block;
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      if (block && lanes_[lane].block() != *block)
        throw InputError("lanes that went on together are at different places");
      block = lanes_[lane].block();
      lanes_[lane].advance();
    }
    hash_.add(block->value(), lanes);
    return *block;
  }

  const KernelInfo& kernel_;
  const WarpWalk& walk_;
  std::vector<PathWalker> lanes_;
  WalkHash hash_;
};

}  // namespace

std::uint32_t hash_of_walk(const KernelInfo& kernel, const WorkGroupTrace& trace, std::uint32_t warp) {
  return WarpWalker(kernel, trace, warp).run();
}

}  // namespace warpscope
