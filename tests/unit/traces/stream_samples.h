#pragma once
// Sinks and sample streams for tests.
#include <bit>
#include <vector>

#include "tests/unit/traces/samples.h"
#include "traces/stream/stream.h"

namespace warpscope::testing {

/// A warp access that owns its pattern.
struct OwnedAccess {
  std::uint64_t base = 0;
  LaneMask mask = 0;
  std::vector<std::int64_t> offsets;
  std::uint32_t site = 0, core = 0, group = 0, warp = 0, launch = 0;
  AccessKind kind = AccessKind::Load;
  bool operator==(const OwnedAccess&) const = default;
};

/// Keeps everything it is given.
class CollectingSink : public WarpAccessSink {
 public:
  void begin(const StreamHeader& given) override {
    header = given;
    ++begins;
  }
  void begin_launch(LaunchId id) override { launch = id.value(); }
  void access(const WarpAccess& access) override {
    const LanePattern& pattern = *access.pattern;
    accesses.push_back({access.base.key(),
                        pattern.mask,
                        {pattern.offset.begin(), pattern.offset.begin() + pattern.lanes},
                        access.site.value(),
                        access.core.value(),
                        access.group.value(),
                        access.warp.value(),
                        launch,
                        access.kind});
    pattern_ids.push_back(access.pattern_id);
    ranges.push_back({pattern.min_offset, pattern.max_offset});
  }
  void end() override { ++ends; }

  StreamHeader header;
  std::vector<OwnedAccess> accesses;
  std::vector<std::uint32_t> pattern_ids;
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  std::uint32_t launch = 0;
  int begins = 0, ends = 0;
};

inline LanePattern pattern_of(LaneMask mask, const std::vector<std::int64_t>& offsets) {
  LanePattern pattern;
  pattern.mask = mask;
  pattern.lanes = static_cast<std::uint32_t>(std::popcount(mask));
  for (std::uint32_t lane = 0; lane < pattern.lanes; ++lane) {
    pattern.offset[lane] = offsets[lane];
    pattern.min_offset = std::min(pattern.min_offset, offsets[lane]);
    pattern.max_offset = std::max(pattern.max_offset, offsets[lane]);
  }
  return pattern;
}

/// A header with two launches of the sample kernel, 4 work-groups of 64 each.
inline StreamHeader sample_stream_header() {
  StreamHeader header;
  header.warp_size = 32;
  header.cores = 3;
  header.work_groups = 8;
  header.context = {{"policy", "warp"}, {"seed", 1}};
  header.buffers = sample_buffers();
  header.launches = {sample_launch(0, 4, 64), sample_launch(1, 4, 64)};
  return header;
}

inline OwnedAccess random_access(Random& random, std::uint32_t launch) {
  OwnedAccess access;
  access.launch = launch;
  access.mask = random.below(2) == 0 ? 0xffffffffu : (random.next() & 0xffffffffu) | 1;
  const bool regular = random.below(2) == 0;
  std::int64_t offset = 0;
  for (int lane = 0; lane < std::popcount(access.mask); ++lane) {
    access.offsets.push_back(lane == 0 ? 0 : offset);
    offset += regular ? 4 : static_cast<std::int64_t>(random.below(4096)) - 2048;
  }
  if (access.offsets.size() > 1) access.offsets[0] = 0;
  access.base = BufferAddr(BufferId(1), random.below(1u << 14) * 4).key();
  access.site = static_cast<std::uint32_t>(random.below(5));
  access.kind = sample_kernel().sites[access.site].kind;
  access.core = static_cast<std::uint32_t>(random.below(3));
  access.group = static_cast<std::uint32_t>(random.below(4));
  access.warp = static_cast<std::uint32_t>(random.below(2));
  return access;
}

/// Passes accesses to a sink; equal patterns share one object and one id where `share` says so.
inline void feed(WarpAccessSink& sink, const StreamHeader& header, const std::vector<OwnedAccess>& accesses,
                 bool share = true) {
  std::map<std::pair<LaneMask, std::vector<std::int64_t>>, std::pair<LanePattern, std::uint32_t>> shared;
  sink.begin(header);
  std::uint32_t launch = ~std::uint32_t{0};
  for (const OwnedAccess& owned : accesses) {
    if (owned.launch != launch) sink.begin_launch(LaunchId(launch = owned.launch));
    const auto next = static_cast<std::uint32_t>(shared.size() + 1);
    const auto& [pattern, id] =
        shared.try_emplace({owned.mask, owned.offsets}, pattern_of(owned.mask, owned.offsets), next)
            .first->second;
    WarpAccess access;
    access.base = BufferAddr(owned.base);
    access.pattern = &pattern;
    access.pattern_id = share ? id : 0;
    access.site = SiteId(owned.site);
    access.core = CoreId(owned.core);
    access.group = WorkGroupId(owned.group);
    access.warp = WarpId(owned.warp);
    access.kind = owned.kind;
    sink.access(access);
  }
  sink.end();
}

inline void write_sample_stream(const std::string& path, const std::vector<OwnedAccess>& accesses,
                                bool share = true) {
  feed(*make_binary_stream_writer(path), sample_stream_header(), accesses, share);
}

inline std::vector<OwnedAccess> random_accesses(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<OwnedAccess> accesses;
  for (std::size_t i = 0; i < count; ++i) accesses.push_back(random_access(random, i < count / 2 ? 0 : 1));
  return accesses;
}

}  // namespace warpscope::testing
