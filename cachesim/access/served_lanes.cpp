#include "cachesim/access/served_lanes.h"

#include <algorithm>
#include <bit>

namespace warpscope {
namespace {

/// One request: `bytes` bytes of every lane, `offset` behind its address.
struct Request {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0, together = 1;
  int line_shift = 7;
};

/// Lanes of the `turn`-th group of lanes (from 0) that touches the line.
LaneMask lanes_of(const LaneAccesses& lanes, const Request& request, std::uint64_t line, std::size_t turn) {
  const std::uint64_t reach = std::max(1u, request.bytes) - 1;
  LaneMask mask = lanes.mask, found = 0;
  std::uint32_t group = ~0u;
  for (const std::uint64_t address : lanes.address) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    mask &= mask - 1;
    const std::uint64_t start = address + request.offset;
    if (start >> request.line_shift > line || (start + reach) >> request.line_shift < line) continue;
    if (lane / request.together != group) {
      if (found != 0 && turn-- == 0) break;
      group = lane / request.together;
      found = 0;
    }
    found |= LaneMask{1} << lane;
  }
  return found;
}

}  // namespace

void served_lanes(const LaneAccesses& lanes, const CoalescingRule& rule, std::uint32_t line_bytes,
                  std::span<const CoalescedLine> lines, std::vector<LaneMask>& served) {
  served.clear();
  Request request;
  request.bytes = instruction_width(lanes.width, lanes.alignment);
  request.together = std::max(1u, rule.lanes_together(request.bytes, lanes.warp_size));
  request.line_shift = std::countr_zero(line_bytes);
  std::size_t first = 0;  // of this request
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].first_of_request && i != 0) {
      first = i;
      request.offset += request.bytes;
    }
    std::size_t turn = 0;
    for (std::size_t before = first; before < i; ++before) turn += lines[before].line == lines[i].line;
    const LaneMask found = lanes_of(lanes, request, lines[i].line.value(), turn);
    // G80 fetches both segments of a 16-byte access even where no active lane needs one of them.
    served.push_back(found != 0 ? found : lanes.mask);
  }
}

}  // namespace warpscope
