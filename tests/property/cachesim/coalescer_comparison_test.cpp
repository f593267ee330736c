// Coalescing against its definition, lane by lane with a list, on accesses of every kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "cachesim/access/coalescer.h"

namespace warpscope::test {
namespace {

std::vector<CoalescedLine> by_definition(const LaneAccesses& lanes, const CoalescingRule& rule,
                                         std::uint32_t line_bytes) {
  const std::uint32_t bytes = instruction_width(lanes.width, lanes.alignment);
  const std::uint32_t together = rule.lanes_together(bytes, lanes.warp_size);
  std::vector<CoalescedLine> out;
  for (std::uint32_t i = 0; i < instruction_count(lanes.width, lanes.alignment); ++i) {
    bool first = true;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> seen;  // of each group of lanes
    for (std::uint32_t lane = 0, k = 0; lane < lanes.warp_size; ++lane) {
      if ((lanes.mask >> lane & 1) == 0) continue;
      const std::uint64_t start = lanes.address[k++] + std::uint64_t{i} * bytes;
      for (std::uint64_t byte = start; byte < start + std::max(1u, bytes); ++byte) {
        const std::pair line(lane / together, byte / line_bytes);
        if (std::find(seen.begin(), seen.end(), line) != seen.end()) continue;
        seen.push_back(line);
        out.push_back({LineAddr(line.second), first});
        first = false;
      }
    }
  }
  return out;
}

// Few or all lanes; lines all over the address space, within a buffer, hardly different, or the same but for
// their highest bits; aligned or not.
TEST(Coalesce, EqualsItsDefinition) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 4000; ++round) {
    const std::uint32_t warp_size = random() % 4 == 0 ? 64 : 32;
    const std::uint32_t alignment = 1u << random() % 5;
    LaneAccesses lanes;
    lanes.warp_size = warp_size;
    lanes.width = std::vector{0u, 1u, 2u, 4u, 8u, 12u, 16u, 32u}[random() % 8];
    lanes.alignment = alignment;
    lanes.mask = random() & (random() % 2 == 0 ? ~0ull : random()) & (~0ull >> (64 - warp_size));
    if (lanes.mask == 0) lanes.mask = 1;
    const int spread = static_cast<int>(random() % 57);
    const std::uint64_t base = random() >> 4;
    std::vector<std::uint64_t> address;
    for (int k = 0; k < std::popcount(lanes.mask); ++k)
      address.push_back((base + (round % 8 == 0 ? random() % 4 << 39 : random() >> (63 - spread))) /
                        alignment * alignment);
    lanes.address = address;
    const std::uint32_t line_bytes = 1u << (5 + random() % 3);
    for (const CoalescingRule& rule : coalescing_rules()) {
      if (rule.segments != nullptr) continue;
      std::vector<CoalescedLine> out;
      coalesce(lanes, rule, line_bytes, out);
      ASSERT_EQ(out, by_definition(lanes, rule, line_bytes)) << rule.name << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace warpscope::test
