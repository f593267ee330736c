// GCN and CDNA: the distinct lines of a quarter of a wave of 64 for up to 4 bytes; wider accesses generate the addresses of
// four lanes per cycle. A line at a time, with its data. T. Lottes, "Understanding Memory Coalescing on GCN" (AMD, GPUOpen):
// 4 cycles per wave for single-channel loads, 16 for those of several channels.
#include <algorithm>

#include "cachesim/access/tag_stage.h"

namespace warpscope {
namespace {

constexpr std::uint32_t lanes_of_a_cycle(std::uint32_t width, std::uint32_t warp_size) {
  return std::min(warp_size, width <= 4 ? 16u : 4u);
}

}  // namespace

extern constexpr CoalescingRule rule_gcn{
    .name = "gcn",
    .help = "unique lines per 16 lanes; per 4 lanes for more than 4 bytes (AMD GCN, CDNA)",
    .source = "gpuopen.com/learn/gcn-memory-coalescing",
    .since = 2012,
    .lanes_together = lanes_of_a_cycle,
    .tag_stage = kLineByLine,
};

}  // namespace warpscope
