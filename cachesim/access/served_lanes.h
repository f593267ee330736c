#pragma once
// Which lanes each transaction of a warp instruction serves.
#include <vector>

#include "cachesim/access/coalescer.h"

namespace warpscope {

/// `lines` is what coalesce() makes of the other arguments. Sets `served` to the lanes of each: those of one
/// request whose bytes are in the line. If a request looks a line up several times, because the rule
/// compares fewer lanes at once than the warp has, each time it serves the lanes compared then.
void served_lanes(const LaneAccesses& lanes, const CoalescingRule& rule, std::uint32_t line_bytes,
                  std::span<const CoalescedLine> lines, std::vector<LaneMask>& served);

}  // namespace warpscope
