#pragma once
// Replays the outcomes of one work-item through its kernel's control-flow graph.
#include <cstdint>
#include <functional>
#include <vector>

#include "traces/program/capture.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {

/// Walks a path block by block: `for (PathWalker walk(kernel, path); !walk.done(); walk.advance())
/// use(walk.block());`. Kernel and path must outlive the walker.
class PathWalker {
 public:
  PathWalker(const KernelInfo& kernel, const Path& path) : kernel_(kernel), path_(path) {}
  [[nodiscard]] bool done() const { return done_; }
  /// The block being executed. Only while not done().
  [[nodiscard]] BlockId block() const { return block_; }
  /// On to the successor that the next outcome names; done() after the block that returns. Throws InputError
  /// when the outcomes run out, name a successor that does not exist, are left over at the return, or when
  /// the blocks form a loop without any outcome.
  void advance();

 private:
  std::uint64_t next_outcome(std::uint32_t bits);

  const KernelInfo& kernel_;
  const Path& path_;
  BlockId block_;
  std::uint64_t position_ = 0;     ///< outcomes' bits used up
  std::size_t silent_blocks_ = 0;  ///< blocks since the last outcome
  bool done_ = false;
};

/// One executed site of one work-item.
struct WalkStep {
  BlockId block;
  SiteId site;
  BufferAddr where;  ///< set only if the site carries an address
};

/// Calls `enter` (if given) for every block that work-item `item` executes, and `visit` for every site, in
/// order. Throws InputError when the walk does not execute each site as often as the capture has locations
/// for it.
void walk_work_item(const KernelInfo& kernel, const WorkGroupTrace& trace, WorkItemId item,
                    const std::function<void(const WalkStep&)>& visit,
                    const std::function<void(BlockId)>& enter = {});

/// Hash of what `warp` of a work-group with walks enters, by its lanes' paths and its turns. Throws InputError if they do not fit each
/// other: lanes of a turn are at different blocks, or do not end where the turns do.
std::uint32_t hash_of_walk(const KernelInfo& kernel, const WorkGroupTrace& trace, std::uint32_t warp);

/// Reads the locations of one work-item at one site, first to last.
class LocationCursor {
 public:
  LocationCursor() = default;
  /// `column` must hold `item` (shape_of is not kNone) and outlive the cursor.
  LocationCursor(const SiteColumn& column, WorkItemId item)
      : runs_(column.shapes[column.shape_of[item.value()]].runs()),
        key_(column.first[item.value()]),
        remaining_(1) {}
  /// False when there is no further location.
  [[nodiscard]] bool has_next() const { return remaining_ != 0; }
  BufferAddr next();

 private:
  RunCursor runs_;  ///< the runs after the current one
  std::uint64_t key_ = 0;
  std::int64_t delta_ = 0;
  std::uint64_t remaining_ = 0;  ///< locations of the current run that are left; 1 = the first location
};

}  // namespace warpscope
