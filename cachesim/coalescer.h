#pragma once
// From the lanes of one warp instruction to the lines that the L1 looks up. A pure function of its arguments.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/types.h"

namespace warpscope {

/// A GPU generation's rule, a line of coalescing.def.
struct CoalescingRule {
  const char* name;
  const char* help;
  const char* source;
  /// Lanes compared at once for accesses of `width` bytes, 1 … warp_size.
  std::uint32_t (*lanes_together)(std::uint32_t width, std::uint32_t warp_size);
};

std::span<const CoalescingRule> coalescing_rules();
/// Throws InputError that lists the known rules.
const CoalescingRule& coalescing_rule(const std::string& name);

/// What the lanes of one warp instruction access.
struct LaneAccesses {
  LaneMask mask = 0;                       ///< lanes that take part
  std::span<const std::uint64_t> address;  ///< bytes, one per set bit of mask, in lane order
  std::uint32_t width = 0;                 ///< bytes per lane; 0 = unknown, then the address alone counts
  std::uint32_t alignment = 1;             ///< bytes, power of two, proven for every address
  std::uint32_t warp_size = 32;
};

struct CoalescedLine {
  LineAddr line;
  bool first_of_request = false;
  bool operator==(const CoalescedLine&) const = default;
};

/// Bytes that one GPU instruction moves per lane, and how many instructions an access of `width` bytes takes:
/// a GPU has no access wider than 16 bytes, and none that is not aligned to its own width.
constexpr std::uint32_t instruction_width(std::uint32_t width, std::uint32_t alignment) {
  const std::uint32_t widest = alignment < 16 ? alignment : 16;
  return width < widest ? width : widest;
}
constexpr std::uint32_t instruction_count(std::uint32_t width, std::uint32_t alignment) {
  return width == 0 ? 1
                    : (width + instruction_width(width, alignment) - 1) / instruction_width(width, alignment);
}

/// Appends the transactions to `out`: instruction by instruction (see instruction_count), each one a request;
/// in a request by group of lanes, in a group by the first lane that touches the line. An access that
/// straddles a line boundary touches both lines. `line_bytes` is a power of two.
void coalesce(const LaneAccesses& lanes, const CoalescingRule& rule, std::uint32_t line_bytes,
              std::vector<CoalescedLine>& out);

}  // namespace warpscope
