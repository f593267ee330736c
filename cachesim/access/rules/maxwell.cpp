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

constexpr std::uint32_t kLanesOfPart = 8, kPartsOfWarp = 8;  // of up to 64 lanes

/// Addresses of the lanes that are served together.
struct PartLanes {
  std::array<std::uint64_t, kLanesOfPart> address{};
  std::uint32_t count = 0;
  void add(std::uint64_t one) { address[count++] = one; }
};

/// Reads that cover the bytes of some lanes: each begins at the lowest byte that is left and ends within its block.
std::uint64_t reads_of(PartLanes& lanes, std::uint32_t bytes) {
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

/// The lanes of an instruction as the unified cache serves them: two quads at a time, 0 to 3 with 8 to 11, 4 to 7 with
/// 12 to 15, and so on.
std::array<PartLanes, kPartsOfWarp> parts_of(const TagRequest& request) {
  std::array<PartLanes, kPartsOfWarp> parts;
  LaneMask mask = request.mask;
  for (const std::uint64_t address : request.address) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    mask &= mask - 1;
    parts[(lane >> 4) * 2 + (lane >> 2 & 1)].add(address);
  }
  return parts;
}

/// What nvprof counts as `gld_transactions` on compute capabilities 5.0, 5.2 and 6.0. Found here from published
/// counters (validation/notes/unified-cache.md), all of which it equals: reads of up to 16 bytes within a block of
/// 64.
void count_reads(std::array<PartLanes, kPartsOfWarp>& parts, const TagRequest& request, StagePlan& out) {
  for (PartLanes& part : parts) out.fixed.cache_reads += reads_of(part, request.bytes);
  // On 6.1 (the same page): 8 bytes at a time, of wider accesses two lanes.
  constexpr std::uint64_t kWord = 8, kWidest = 4;
  const std::uint64_t bytes = request.address.size() * std::min<std::uint64_t>(request.bytes, kWidest);
  out.fixed.load_words += (bytes + kWord - 1) / kWord;
}

constexpr std::uint64_t kWriteBytes = 32;
constexpr std::uint32_t kWrittenLine = 128;

/// Lines that some lanes write to, and packets of up to 32 bytes that this takes.
struct Written {
  std::uint64_t lines = 0, packets = 0, last_line = 0, bytes = 0;  ///< the bytes are those of the last line
};

/// `lanes` are in the order of their addresses.
Written written_by(const PartLanes& lanes, std::uint64_t bytes) {
  Written written;
  const auto close = [&] { written.packets += (written.bytes + kWriteBytes - 1) / kWriteBytes; };
  for (std::uint32_t i = 0; i < lanes.count; ++i) {
    const std::uint64_t line = lanes.address[i] / kWrittenLine;
    if (written.lines == 0 || line != written.last_line) {
      close();
      ++written.lines;
      written.last_line = line, written.bytes = 0;
    }
    if (written.bytes == 0 || lanes.address[i] != lanes.address[i - 1])
      written.bytes += std::max<std::uint64_t>(1, bytes);
  }
  close();
  return written;
}

/// What nvprof counts as `gst_transactions` from 5.0 to 6.2, writes to the L2. Found here as the reads were; what it
/// does not equal is on that page. A packet is of one line, and of one part, unless that and the part before write to
/// nothing but that line.
void count_writes(const std::array<PartLanes, kPartsOfWarp>& parts, const TagRequest& request,
                  StagePlan& out) {
  Written before;
  for (const PartLanes& part : parts) {
    if (part.count == 0) continue;
    Written written = written_by(part, request.bytes);
    const bool joins = before.lines == 1 && written.lines == 1 && before.last_line == written.last_line &&
                       before.bytes + written.bytes <= kWriteBytes;
    if (joins)
      written.bytes += before.bytes;
    else
      out.fixed.cache_writes += written.packets;
    before = written;
  }
}

void plan_parts(const TagRequest& request, StagePlan& out) {
  plan_lanes_apart(request, out);
  std::array<PartLanes, kPartsOfWarp> parts = parts_of(request);
  count_reads(parts, request, out);  // which sorts them
  count_writes(parts, request, out);
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
    .tag_stage = {.period = kWrittenLine, .plan = plan_parts},
};

}  // namespace warpscope
