#pragma once
// One work-group of a capture, decoded but not expanded: branch outcomes as shared paths, addresses as shared
// shapes. Its size follows the information in the trace, not the number of accesses.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "traces/base/shape_table.h"
#include "traces/base/types.h"

namespace warpscope {

/// Limits of the format, far above what devices allow; a capture beyond them is refused.
constexpr std::uint32_t kMaxWorkItemsPerGroup = 1u << 16;
constexpr std::size_t kLargestPart = 16u << 20;        ///< bytes of a payload that is in parts, for writers
constexpr std::uint64_t kMaxRecordedOrder = 1u << 26;  ///< entries of recorded_order in one work-group

/// Branch outcomes of one work-item from entry to return, in the order executed, least significant bit first.
/// Work-items with equal outcomes share one path; equal paths imply equal counts at every site.
struct Path {
  std::vector<std::uint64_t> bits;
  std::uint64_t bit_count = 0;
  std::vector<std::uint64_t> site_counts;  ///< executions per site, indexed by SiteId
};

/// The accesses of one site in a work-group. For work-item w with count n > 0 the addresses are
/// first[w], first[w] + d1, first[w] + d1 + d2, …: n - 1 differences, given by shapes[shape_of[w]].
struct SiteColumn {
  ShapeTable shapes;                    ///< work-items with equal differences share one
  std::vector<std::uint32_t> shape_of;  ///< indexed by work-item; kNone if it never executes the site
  std::vector<std::uint64_t>
      first;  ///< BufferAddr keys, indexed by work-item; 0 if it never executes the site
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
};

/// Lanes of a warp of 32 that go on together for so many blocks, without those that end meanwhile. What is behind a gate (a block without
/// instructions and with two successors) belongs to it: no block of its own.
struct WarpTurn {
  std::uint32_t lanes = 0;
  std::uint64_t blocks = 0;
  bool operator==(const WarpTurn&) const = default;
};

/// The order in which the lanes of a warp executed, where that is the machine's own.
struct WarpWalk {
  std::vector<WarpTurn> turns;  ///< none: all lanes go on together to their ends
  std::uint32_t hash = 0;       ///< WalkHash of all it entered
  bool operator==(const WarpWalk&) const = default;
};

/// Hash of the blocks that a warp enters, with the lanes that do. Work-items that end at a guarded EXIT enter no further block.
class WalkHash {
 public:
  void add(std::uint32_t block, std::uint32_t lanes) {
    state_ = (state_ ^ (std::uint64_t{block} << 32 | lanes)) * 0x9e3779b97f4a7c15;
    state_ ^= state_ >> 29;
  }
  [[nodiscard]] std::uint32_t value() const { return static_cast<std::uint32_t>(state_ >> 32); }

 private:
  std::uint64_t state_ = 0;
};

/// Of the warps of a work-group; walks are distinct and numbered by first appearance.
struct GroupWalks {
  std::vector<WarpWalk> walks;
  std::vector<std::uint32_t> walk_of;  ///< indexed by warp; empty: lanes meet where all their ways do

  [[nodiscard]] bool empty() const { return walk_of.empty(); }
  void add(WarpWalk walk);
};
constexpr std::uint32_t kLanesOfWalks = 32;

struct WorkGroupTrace {
  LaunchId launch;
  WorkGroupId group;
  std::uint32_t work_items = 0;
  std::vector<Path> paths;
  std::vector<std::uint32_t> path_of;  ///< indexed by work-item
  GroupWalks walks;
  std::vector<SiteColumn>
      columns;  ///< indexed by site; empty vectors for barriers, fences and unexecuted sites
  /// Only in captures made with --record-order: per work-item the sites in the order executed. A check of the
  /// replay, which must derive the same order from the paths.
  std::vector<std::vector<SiteId>> recorded_order;
};

/// Payload of a work-group chunk (traces/FORMAT.md, "Work-group chunk"), before compression. The trace must
/// be canonical: paths and shapes distinct and numbered by first appearance, address differences merged into
/// runs, locations below 2^62 (buffer ids below 2^22).
std::vector<std::uint8_t> encode(const WorkGroupTrace& trace);

/// Inverse of encode(). `carries_address` has one entry per site of the kernel, as has_address() says.
/// Throws InputError on any inconsistency: it is safe on arbitrary bytes. With `pages`, which hold the payload and
/// RunCursor::kPadding bytes behind it, shapes stay there.
WorkGroupTrace decode(std::span<const std::uint8_t> payload, LaunchId launch, WorkGroupId group,
                      const std::vector<bool>& carries_address, std::shared_ptr<const PagedBytes> pages = {});

}  // namespace warpscope
