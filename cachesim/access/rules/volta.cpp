// Volta and later: the distinct sectors of a warp instruction. All lanes' tags together, several at a time, which lie in
// banks (tag_bank()); the data in parallel, from the banks of local memory
// (forums.developer.nvidia.com/t/pascal-l1-cache/49571, posts 12 and 14).
#include <algorithm>
#include <numeric>

#include "cachesim/access/tag_stage.h"

namespace warpscope {
namespace {

void plan_banked_tags(const TagRequest& request, StagePlan& out) {
  std::vector<std::uint64_t>& lines = request.scratch.lines;
  std::vector<std::uint16_t>& degrees = request.scratch.degrees;
  lines.clear();
  for (const std::uint64_t address : request.address) request.add_lines(address);
  degrees.clear();
  bank_degrees({request.mask, request.address, request.bytes, request.warp_size}, request.rules.banks,
               degrees);
  const std::uint32_t data = std::accumulate(degrees.begin(), degrees.end(), std::uint32_t{0});
  out.fixed.tag_lookups += lines.size();
  out.fixed.data_wavefronts += data;
  if (lines.size() == 1) {
    ++out.fixed.tag_wavefronts;
    out.fixed.wavefronts += std::max(1u, data);
    return;
  }
  out.requests.push_back({static_cast<std::uint32_t>(lines.size()), data});
  for (const std::uint64_t line : lines)
    out.lines.push_back(static_cast<std::int64_t>(line) - static_cast<std::int64_t>(request.base_line()));
}

}  // namespace

extern constexpr CoalescingRule rule_volta{
    .name = "volta",
    .help = "unique sectors per warp instruction (Volta and later); all lanes' tags together",
    .source = "forums.developer.nvidia.com/t/pascal-l1-cache/49571, posts 12 and 14",
    .since = 70,
    .lanes_together = all_lanes,
    .tag_stage = {.banked = true, .plan = plan_banked_tags},
};

}  // namespace warpscope
