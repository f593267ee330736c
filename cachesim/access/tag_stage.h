#pragma once
// What the file of a coalescing rule needs. cachesim/access/rules/<suffix>.cpp defines
// `extern constexpr CoalescingRule rule_<suffix>`; CMake finds the file. Its tag stage is one of those below or its own.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "cachesim/access/access_stages.h"
#include "cachesim/access/coalescer.h"

namespace warpscope {

/// One GPU instruction, as TagStage::plan sees it.
struct TagRequest {
  LaneMask mask = 0;                       ///< lanes that take part
  std::span<const std::uint64_t> address;  ///< bytes, one per set bit of mask, in lane order
  std::uint32_t bytes = 0;                 ///< bytes per lane; 0 = unknown, then the address alone counts
  std::uint32_t warp_size = 32;
  std::uint64_t base = 0;  ///< the plan's lines are relative to the line of this address
  const StageRules& rules;
  StageScratch& scratch;

  [[nodiscard]] int line_shift() const { return std::countr_zero(rules.line_bytes); }
  [[nodiscard]] std::uint64_t base_line() const { return base >> line_shift(); }
  /// Appends the lines of one lane's access at `begin` that scratch.lines does not have yet.
  void add_lines(std::uint64_t begin) const {
    const std::uint64_t last = (begin + (bytes > 0 ? bytes - 1 : 0)) >> line_shift();
    for (std::uint64_t line = begin >> line_shift(); line <= last; ++line)
      if (std::find(scratch.lines.begin(), scratch.lines.end(), line) == scratch.lines.end())
        scratch.lines.push_back(line);
  }
};

/// There is no L1: the bytes are those of the segments.
inline constexpr TagStage kNoTags{.has_tags = false};
/// A line at a time, with its data.
inline constexpr TagStage kLineByLine{.line_by_line = true};

/// Lanes compared at once, whatever the width.
constexpr std::uint32_t all_lanes(std::uint32_t /*width*/, std::uint32_t warp_size) {
  return warp_size;
}
constexpr std::uint32_t half_warp(std::uint32_t /*width*/, std::uint32_t warp_size) {
  return warp_size / 2;
}
/// A half-warp for 8-byte, a quarter-warp for 16-byte accesses.
constexpr std::uint32_t warp_or_its_parts(std::uint32_t width, std::uint32_t warp_size) {
  return width <= 4 ? warp_size : width <= 8 ? warp_size / 2 : warp_size / 4;
}

}  // namespace warpscope
