// Maxwell and Pascal: the distinct sectors of a warp instruction. Tags are looked up for few neighbouring lanes at a time,
// each such part a pass (forums.developer.nvidia.com/t/pascal-l1-cache/49571, posts 12 and 14).
#include <algorithm>
#include <array>

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

constexpr std::uint32_t kReadBytes = 16, kBlockBytes = 64;

constexpr std::uint32_t kLanesOfRead = 8, kPartsOfWarp = 8;  // of up to 64 lanes

/// Addresses of the lanes that reads serve together.
struct ReadLanes {
  std::array<std::uint64_t, kLanesOfRead> address{};
  std::uint32_t count = 0;
  void add(std::uint64_t one) { address[count++] = one; }
};

/// Reads that cover the bytes of some lanes: each begins at the lowest byte that is left and ends within its block.
std::uint64_t reads_of(ReadLanes& lanes, std::uint32_t bytes) {
  const auto last = lanes.address.begin() + lanes.count;
  std::sort(lanes.address.begin(), last);
  const std::uint64_t most = std::max(kReadBytes, 2 * bytes);  // at least two lanes
  std::uint64_t reads = 0, covered = 0;
  for (auto address = lanes.address.begin(); address != last; ++address) {
    const std::uint64_t end = *address + std::max(1u, bytes);
    if (reads != 0 && end <= covered) continue;
    ++reads;
    const std::uint64_t block_end = *address - *address % kBlockBytes + kBlockBytes;
    covered = std::min(*address + most, std::max(block_end, end));
  }
  return reads;
}

/// What nvprof counts as `gld_transactions` on compute capabilities 5.0, 5.2 and 6.0. Found here from published
/// counters (validation/notes/unified-cache.md), all of which it equals: reads of up to 16 bytes within a block of
/// 64, for two quads of lanes at a time, 0 to 3 with 8 to 11, 4 to 7 with 12 to 15, and so on.
void count_reads(const TagRequest& request, StagePlan& out) {
  std::array<ReadLanes, kPartsOfWarp> parts;
  LaneMask mask = request.mask;
  for (const std::uint64_t address : request.address) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    mask &= mask - 1;
    parts[(lane >> 4) * 2 + (lane >> 2 & 1)].add(address);
  }
  for (ReadLanes& part : parts) out.fixed.cache_reads += reads_of(part, request.bytes);
  // On 6.1 (the same page): 8 bytes at a time, of wider accesses two lanes.
  constexpr std::uint64_t kWord = 8, kWidest = 4;
  const std::uint64_t bytes = request.address.size() * std::min<std::uint64_t>(request.bytes, kWidest);
  out.fixed.load_words += (bytes + kWord - 1) / kWord;
}

void plan_parts(const TagRequest& request, StagePlan& out) {
  plan_lanes_apart(request, out);
  count_reads(request, out);
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
    .tag_stage = {.stores_by_eight_lanes = true, .plan = plan_parts},
};

}  // namespace warpscope
