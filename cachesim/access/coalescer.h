#pragma once
// From the lanes of one warp instruction to the lines that the L1 looks up. A pure function of its arguments.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/base/types.h"

namespace warpscope {

struct CoalescedLine;
struct RequestLanes;

struct StagePlan;
struct TagRequest;

/// How the L1 of a generation looks lines up (cachesim/access/access_stages.h counts it).
struct TagStage {
  bool has_tags = true;       ///< false: there is no L1
  bool line_by_line = false;  ///< everything counted follows from the number of transactions
  bool banked = false;        ///< the places of their lines decide which tags wait for each other
  /// Bytes, a power of two: where addresses move by a multiple of it, and of a line, the plan is the same.
  std::uint32_t period = 1;
  /// Adds to the plan what one GPU instruction costs; null: nothing but its transactions.
  void (*plan)(const TagRequest& request, StagePlan& out) = nullptr;
};

/// A GPU generation's rule: a constant in its own file (cachesim/access/tag_stage.h).
struct CoalescingRule {
  const char* name = "";
  const char* help = "";    ///< the transactions of a warp access
  const char* source = "";  ///< the document that describes them
  /// Ten times the first compute capability whose GPUs do so; of AMD's GPUs the year; 0: a model of no GPU. Lists are in this
  /// order.
  std::uint32_t since = 0;
  /// How many neighbouring lanes the hardware compares at once for accesses of `width` bytes, 1 … warp_size: within them,
  /// every distinct line is one transaction.
  std::uint32_t (*lanes_together)(std::uint32_t width, std::uint32_t warp_size) = nullptr;
  TagStage tag_stage = {};
  /// Memory segments of various sizes instead of lines, for one group of lanes, in the order in which the hardware
  /// issues them: `line` is the byte address, `bytes` the size, a power of two that divides it. Null = unique lines.
  void (*segments)(const RequestLanes& lanes, std::vector<CoalescedLine>& out) = nullptr;
};

/// Those of cachesim/access/rules, the oldest first.
std::span<const CoalescingRule> coalescing_rules();
/// Throws InputError that lists the known rules. Takes former names, too.
const CoalescingRule& coalescing_rule(const std::string& name);
/// Today's name of a rule under a former name ("root" of older presets and files); any other text as it is.
std::string current_rule_name(const std::string& name);

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
  std::uint32_t bytes = 0;  ///< bytes that the transaction moves; 0 = the whole line
  bool operator==(const CoalescedLine&) const = default;
};

/// What lanes that are compared at once access in one instruction.
struct RequestLanes {
  std::span<const std::uint64_t> address;  ///< bytes, in lane order
  std::span<const std::uint32_t> lane;     ///< number of each in its group
  std::uint32_t bytes = 4;                 ///< bytes per lane, from 1
};

/// Bytes that one GPU instruction moves per lane, and how many instructions an access of `width` bytes takes:
/// a GPU has no access wider than 16 bytes, and none that is not aligned to its own width.
constexpr std::uint32_t instruction_width(std::uint32_t width, std::uint32_t alignment) {
  const std::uint32_t widest = alignment < 16 ? alignment : 16;
  return width < widest ? width : widest;
}
constexpr std::uint32_t instruction_count(std::uint32_t width, std::uint32_t alignment) {
  const std::uint32_t at_once = instruction_width(width, alignment);
  return width == at_once ? 1 : (width + at_once - 1) / at_once;  // a division takes long
}

/// Base addresses that differ by a multiple of this are coalesced in the same way: a line, or the largest stretch of
/// memory that a rule with segments looks at together (G80's 16 lanes of 16 bytes). `line_bytes` is a power
/// of two.
constexpr std::uint32_t coalescing_period(const CoalescingRule& rule, std::uint32_t line_bytes) {
  constexpr std::uint32_t kSegments = 256;
  return rule.segments != nullptr && line_bytes < kSegments ? kSegments : line_bytes;
}

/// Appends the transactions to `out`: instruction by instruction (see instruction_count), each one a request;
/// in a request by group of lanes, in a group by the first lane that touches the line. An access that
/// straddles a line boundary touches both lines. `line_bytes` is a power of two. Of a rule with segments, a
/// segment is a transaction of the line that it is in; one larger than a line is one for each of its lines.
void coalesce(const LaneAccesses& lanes, const CoalescingRule& rule, std::uint32_t line_bytes,
              std::vector<CoalescedLine>& out);

}  // namespace warpscope
