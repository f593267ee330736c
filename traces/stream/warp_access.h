#pragma once
// One memory instruction of one warp: what the scheduler hands to the coalescer, and the record of a stream
// file.
#include <array>
#include <cstdint>

#include "traces/base/types.h"

namespace warpscope {

/// The lanes of a warp access relative to its base: which lanes take part and how far each is from the first
/// of them.
struct LanePattern {
  LaneMask mask = 0;
  std::uint32_t lanes = 0;      ///< lanes that take part = popcount(mask)
  std::int64_t min_offset = 0;  ///< over the lanes that take part, bytes
  std::int64_t max_offset = 0;
  /// Offset from the base in lane order, without gaps: offset[i] belongs to the i-th set bit of mask;
  /// offset[0] = 0.
  std::array<std::int64_t, kMaxWarpSize> offset{};
};

/// A warp access. `pattern` stays valid until the consumer returns. `pattern_id` is not 0 when the same
/// pattern object (same id, same content) is used for many accesses: consumers may cache what they derive
/// from it by id.
struct WarpAccess {
  BufferAddr base;  ///< location that the first active lane accesses
  const LanePattern* pattern = nullptr;
  std::uint32_t pattern_id = 0;  ///< 0 = not cacheable; else of new_pattern_id(): never reused, in no launch
  SiteId site;
  CoreId core;
  WorkGroupId group;
  WarpId warp;
  /// Only for streams without a site table (text): Load or Store. Elsewhere the site's kind counts, and this
  /// is ignored.
  AccessKind kind = AccessKind::Load;
};

}  // namespace warpscope
