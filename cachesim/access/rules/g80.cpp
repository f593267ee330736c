// G80 (compute capability 1.0, 1.1), which has no L1: one segment where lane k accesses word k of it (two for 16-byte
// words), else 32 bytes for every lane. NVIDIA CUDA C Programming Guide, G.3.2.1.
#include <algorithm>

#include "cachesim/access/tag_stage.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kG80Smallest = 32, kG80Largest = 128;

void g80_segments(const RequestLanes& lanes, std::vector<CoalescedLine>& out) {
  constexpr std::uint32_t kLanes = 16;
  const bool width_fits = lanes.bytes == 4 || lanes.bytes == 8 || lanes.bytes == 16;
  const std::uint64_t whole = std::uint64_t{kLanes} * lanes.bytes;
  const std::uint64_t begin = lanes.address.front() / whole * whole;
  bool in_order = width_fits;
  for (std::size_t i = 0; i < lanes.address.size(); ++i)
    in_order = in_order && lanes.address[i] == begin + std::uint64_t{lanes.lane[i]} * lanes.bytes;
  if (!in_order) {
    for (const std::uint64_t address : lanes.address)
      out.push_back({LineAddr(address / kG80Smallest * kG80Smallest), false, kG80Smallest});
    return;
  }
  const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(whole, kG80Largest));
  for (std::uint64_t at = begin; at < begin + whole; at += bytes) out.push_back({LineAddr(at), false, bytes});
}

}  // namespace

extern constexpr CoalescingRule rule_g80{
    .name = "g80",
    .help =
        "a segment of 64 or 128 bytes per half-warp where lane k accesses word k of it, else 32 bytes per "
        "lane",
    .source = "NVIDIA CUDA C Programming Guide, section G.3.2.1 (compute capability 1.0 and 1.1)",
    .since = 10,
    .lanes_together = half_warp,
    .tag_stage = kNoTags,
    .segments = g80_segments,
};

}  // namespace warpscope
