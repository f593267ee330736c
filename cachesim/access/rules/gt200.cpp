// GT200 (compute capability 1.2, 1.3), which has no L1: the segment of the lowest lane left (32 bytes for 1-byte, 64 for
// 2-byte, else 128), halved while only one half is used. NVIDIA CUDA C Programming Guide, G.3.2.2.
#include <algorithm>
#include <limits>

#include "cachesim/access/tag_stage.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kGt200Smallest = 32, kGt200Largest = 128;

void gt200_segments(const RequestLanes& lanes, std::vector<CoalescedLine>& out) {
  const std::uint32_t widest = lanes.bytes == 1   ? kGt200Smallest
                               : lanes.bytes == 2 ? 2 * kGt200Smallest
                                                  : kGt200Largest;
  std::uint64_t left =
      lanes.address.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes.address.size()) - 1;
  for (std::size_t first = 0; first < lanes.address.size(); ++first) {
    if ((left >> first & 1) == 0) continue;
    std::uint64_t begin = lanes.address[first] / widest * widest;
    std::uint32_t bytes = widest;
    std::uint64_t low = std::numeric_limits<std::uint64_t>::max(), high = 0;
    for (std::size_t i = first; i < lanes.address.size(); ++i) {
      if ((left >> i & 1) == 0 || lanes.address[i] < begin || lanes.address[i] >= begin + widest) continue;
      left &= ~(std::uint64_t{1} << i);
      low = std::min(low, lanes.address[i]);
      high = std::max(high, lanes.address[i] + lanes.bytes);
    }
    while (bytes > kGt200Smallest && (high <= begin + bytes / 2 || low >= begin + bytes / 2)) {
      bytes /= 2;
      if (low >= begin + bytes) begin += bytes;
    }
    out.push_back({LineAddr(begin), false, bytes});
  }
}

}  // namespace

extern constexpr CoalescingRule rule_gt200{
    .name = "gt200",
    .help =
        "segments of 128 bytes per half-warp (64 for 2-byte, 32 for 1-byte accesses), halved while one half "
        "is unused",
    .source = "NVIDIA CUDA C Programming Guide, section G.3.2.2 (compute capability 1.2 and 1.3)",
    .since = 12,
    .lanes_together = half_warp,
    .tag_stage = kNoTags,
    .segments = gt200_segments,
};

}  // namespace warpscope
