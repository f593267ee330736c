#pragma once
// Straight-line kernels and loops of one block for tests of the timed engine, with every position spelt out.
#include "tests/unit/scheduler/kernel_builder.h"
#include "timed/engine.h"

namespace warpscope::timed::testing {

using warpscope::testing::make_group;
using warpscope::testing::Outcomes;
using warpscope::testing::VectorSource;

/// One block: instructions in order, loads with their consumers.
class LineKernel {
 public:
  /// `count` instructions of class int_alu.
  LineKernel& compute(std::uint32_t count) {
    alu_ += count;
    position_ += count;
    return *this;
  }
  SiteId load(AddressSpace space = AddressSpace::Global) { return site(AccessKind::Load, space); }
  SiteId store() { return site(AccessKind::Store); }
  SiteId atomic() { return site(AccessKind::Atomic); }
  SiteId barrier() { return site(AccessKind::Barrier); }
  /// One int_alu instruction that needs the data of `load`.
  LineKernel& use(SiteId load) {
    kernel_.sites[load.value()].consumers.push_back({BlockId(0), position_});
    return compute(1);
  }
  /// The block ends here; `loops` to itself, with a branch at its end, and a block that returns behind it.
  KernelInfo finish(bool loops = false) {
    BlockInfo block;
    block.instructions = position_ + (loops ? 1 : 0);
    if (alu_ != 0) block.mix["int_alu"] = alu_;
    if (loops) block.mix["branch"] = 1;
    for (std::uint32_t s = 0; s < kernel_.sites.size(); ++s) {
      block.sites.emplace_back(s);
      if (kernel_.sites[s].kind == AccessKind::Load) kernel_.sites[s].earliest = kernel_.sites[s].point;
    }
    kernel_.name = "line";
    if (loops) {
      block.successors = {BlockId(0), BlockId(1)};
      block.loop = 0;
      block.immediate_post_dominator = BlockId(1);
      kernel_.loops.push_back({BlockId(0), {}});
    }
    kernel_.blocks.push_back(block);
    if (loops) kernel_.blocks.emplace_back();
    return kernel_;
  }
  KernelInfo& kernel() { return kernel_; }

 private:
  SiteId site(AccessKind kind, AddressSpace space = AddressSpace::Global) {
    SiteInfo info;
    info.kind = kind;
    info.space = space;
    info.width = has_address(kind) ? 4 : 0;
    info.alignment = 4;
    info.point = {BlockId(0), position_++};
    kernel_.sites.push_back(info);
    return SiteId(static_cast<std::uint32_t>(kernel_.sites.size() - 1));
  }
  KernelInfo kernel_;
  std::uint32_t position_ = 0, alu_ = 0;
};

/// Byte that execution `count` of `site` by a warp touches; its lanes take consecutive 4-byte words from
/// there.
using WarpAddress =
    std::function<std::uint64_t(std::uint32_t group, std::uint32_t warp, SiteId site, std::uint64_t count)>;

constexpr std::uint32_t kWarp = 32;

/// Groups of `warps` full warps, all in buffer 1.
inline VectorSource launch_of(const KernelInfo& kernel, std::uint32_t groups, std::uint32_t warps,
                              const WarpAddress& address, const Outcomes& outcomes = {}) {
  VectorSource source(kernel, {groups, 1, 1}, {warps * kWarp, 1, 1});
  for (std::uint32_t g = 0; g < groups; ++g) {
    source.add(make_group(
        kernel, g, warps * kWarp, [&](std::uint32_t, std::uint32_t) { return outcomes; },
        [&](std::uint32_t group, std::uint32_t item, SiteId site, std::uint64_t count) {
          return BufferAddr(BufferId(1), address(group, item / kWarp, site, count) + item % kWarp * 4).key();
        }));
  }
  return source;
}

/// One scheduler, instructions of one cycle each, unlimited units; an L1 of 8 lines in 2 sets whose hits take
/// 10 cycles, and a memory that answers after 100.
inline TimedConfig plain_config() {
  TimedConfig config;
  config.make_ideal();
  config.issue.policy = "lrr";
  config.issue.schedulers = 1;
  config.issue.unroll = 1;
  config.issue.independent = 1;
  config.issue.costs[instruction_class_named("int_alu")] = {Unit::Int, 1, 1, 1};
  config.l1.cache.size_kib = 1;
  config.l1.cache.ways = 4;
  config.l1.cache.sector_bytes = 128;
  config.l1.hit_latency = 10;
  config.memory.l2_latency = 100;
  config.memory.l2_size_kib = 64;
  config.memory.l2_slices = config.memory.dram_channels = 1;
  return config;
}

inline StreamHeader header_for(const VectorSource& source, std::uint32_t cores = 1) {
  StreamHeader header;
  header.cores = cores;
  header.buffers.push_back({BufferId(1), "data", AddressSpace::Global, 1u << 20, "read_write"});
  header.launches.push_back(source.launch());
  return header;
}

struct RunOptions {
  std::uint32_t cores = 1, slots = 1;
  std::string assignment = "round-robin";
  std::uint32_t gpcs = 0;
};

inline LaunchTiming run(const VectorSource& source, const TimedConfig& config, const RunOptions& options = {},
                        WarpAccessSink* tap = nullptr) {
  const StreamHeader header = header_for(source, options.cores);
  TimedEngine engine(config, header);
  DispatchOptions dispatch;
  dispatch.cores = options.cores;
  dispatch.slots = options.slots;
  dispatch.assignment = options.assignment;
  dispatch.gpcs = options.gpcs;
  return engine.run(source, dispatch, tap);
}

/// Sum over cores and origins.
inline OriginCounts sum_of(const LaunchTiming& timing) {
  OriginCounts sum;
  for (const CoreCounts& core : timing.cores) {
    for (const OriginCounts& counts : core.origins) {
      sum.requests += counts.requests;
      sum.transactions += counts.transactions;
      sum.hits += counts.hits;
      sum.hits_pending += counts.hits_pending;
      sum.sector_misses += counts.sector_misses;
      sum.misses += counts.misses;
      sum.bypasses += counts.bypasses;
      sum.reservation_fails += counts.reservation_fails;
      sum.evictions += counts.evictions;
      sum.write_backs += counts.write_backs;
    }
  }
  return sum;
}

inline InstructionCost& alu(TimedConfig& config) {
  return config.issue.costs[instruction_class_named("int_alu")];
}

inline const WarpAddress kOneLine = [](std::uint32_t, std::uint32_t, SiteId, std::uint64_t) { return 0; };
inline const WarpAddress kLinePerWarp = [](std::uint32_t group, std::uint32_t warp, SiteId, std::uint64_t) {
  return (group * 16 + warp) * 128u;
};

inline Cycle cycles_of(const KernelInfo& kernel, std::uint32_t warps, const TimedConfig& config,
                       const WarpAddress& address = kOneLine, const Outcomes& outcomes = {}) {
  return run(launch_of(kernel, 1, warps, address, outcomes), config).cycles;
}

/// Byte in buffer 1 that a work-item accesses.
using ItemAddress = std::function<std::uint64_t(std::uint32_t item, SiteId site)>;

/// One group of `warps` full warps, each access of a lane by itself.
inline VectorSource launch_of_items(const KernelInfo& kernel, std::uint32_t warps,
                                    const ItemAddress& address) {
  VectorSource source(kernel, {1, 1, 1}, {warps * kWarp, 1, 1});
  source.add(make_group(
      kernel, 0, warps * kWarp, [](std::uint32_t, std::uint32_t) { return Outcomes{}; },
      [&](std::uint32_t, std::uint32_t item, SiteId site, std::uint64_t) {
        return BufferAddr(BufferId(1), address(item, site)).key();
      }));
  return source;
}

}  // namespace warpscope::timed::testing
