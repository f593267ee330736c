// RDNA: the distinct lines of as many lanes as 128 bytes, the L0's line and its data of a cycle, have room for: 32 of up to
// 4 bytes, 16 of 8, 8 of 16. A line at a time. Recalled from AMD, "Introducing RDNA Architecture", white paper (2019).
#include <algorithm>

#include "cachesim/access/tag_stage.h"

namespace warpscope {
namespace {

constexpr std::uint32_t lanes_of_128_bytes(std::uint32_t width, std::uint32_t warp_size) {
  return std::min(warp_size, width <= 4 ? 32u : width <= 8 ? 16u : 8u);
}

}  // namespace

extern constexpr CoalescingRule rule_rdna{
    .name = "rdna",
    .help = "unique lines per 32 lanes; per 16 lanes for 8-byte, per 8 lanes for 16-byte accesses (AMD RDNA)",
    .source = "AMD, Introducing RDNA Architecture, white paper (2019)",
    .since = 2019,
    .lanes_together = lanes_of_128_bytes,
    .tag_stage = kLineByLine,
};

}  // namespace warpscope
