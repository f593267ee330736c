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

}  // namespace warpscope
