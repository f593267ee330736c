// Maxwell and Pascal: the distinct sectors of a warp instruction. Tags are looked up for few neighbouring lanes at a time,
// each such part a pass (forums.developer.nvidia.com/t/pascal-l1-cache/49571, posts 12 and 14).
#include "cachesim/access/tag_stage.h"

namespace warpscope {
namespace {

/// Lanes whose tags are looked up together (post 14): 8 for up to 4 bytes, 4 for 8, 2 for 16.
std::uint32_t lanes_of_a_part(std::uint32_t bytes) {
  return bytes <= 4 ? 8 : bytes <= 8 ? 4 : 2;
}

void plan_lanes_apart(const TagRequest& request, StagePlan& out) {
  std::vector<std::uint64_t>& lines = request.scratch.lines;
  const std::uint32_t together = lanes_of_a_part(request.bytes);
  const auto close_part = [&] {
    const std::uint64_t tags = lines.size(), banks = request.rules.tags_per_cycle;
    out.fixed.tag_lookups += tags;
    out.fixed.tag_wavefronts += (tags + banks - 1) / banks;
    out.fixed.wavefronts += (tags + banks - 1) / banks;
    lines.clear();
  };
  lines.clear();
  std::uint32_t part = 0;
  LaneMask mask = request.mask;
  for (const std::uint64_t address : request.address) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    mask &= mask - 1;
    if (lane / together != part) close_part();
    part = lane / together;
    request.add_lines(address);
  }
  close_part();
}

}  // namespace

extern constexpr CoalescingRule rule_maxwell{
    .name = "maxwell",
    .help =
        "unique sectors per warp instruction (Maxwell, Pascal); tags for 8, 4 or 2 lanes at a time (4, 8, 16 "
        "bytes)",
    .source = "forums.developer.nvidia.com/t/pascal-l1-cache/49571, posts 12 and 14",
    .since = 50,
    .lanes_together = all_lanes,
    .tag_stage = {.stores_by_eight_lanes = true, .plan = plan_lanes_apart},
};

}  // namespace warpscope
