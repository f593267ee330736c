// With nothing that takes time and nothing that runs out, the timed engine is the fixed order: the same
// accesses in the same order, and the same outcomes; whatever takes time, every access is made once and every
// law of the counters holds.
#include <gtest/gtest.h>

#include <map>

#include "cachesim/l1/l1_cache.h"
#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "scheduler/run_launch.h"
#include "tests/property/scheduler/random_kernel.h"
#include "timed/engine.h"
#include "timed/issue/issue_policy.h"
#include "timed/timed_result.h"

namespace warpscope::timed {
namespace {

using namespace warpscope::testing;

constexpr std::uint32_t kCores = 3, kSlots = 2, kGroups = 9, kItems = 40, kWarpSize = 16;

/// Gives sites and uses of loads random places between instructions.
void add_positions(KernelInfo& kernel, SplitMix64& random) {
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    BlockInfo& block = kernel.blocks[b];
    std::uint32_t position = 0;
    const auto compute = [&] {
      const auto count = static_cast<std::uint32_t>(random.below(4));
      position += count;
      if (count != 0) block.mix["int_alu"] += count;
    };
    compute();
    for (const SiteId site : block.sites) {
      kernel.sites[site.value()].point = {BlockId(b), position++};
      compute();
    }
    block.instructions = position + 1;
    block.mix["branch"] = 1;
  }
  for (SiteInfo& site : kernel.sites) {
    site.width = 4u << random.below(4);
    site.alignment = std::min(4u << random.below(3), site.width);
    if (has_address(site.kind) && site.kind != AccessKind::Atomic && random.below(4) == 0)
      site.space = AddressSpace::Private;
    if (site.kind != AccessKind::Load) continue;
    const auto b = static_cast<std::uint32_t>(random.below(kernel.blocks.size()));
    site.consumers.push_back(
        {BlockId(b), static_cast<std::uint32_t>(random.below(kernel.blocks[b].instructions + 1))});
    if (random.below(2) == 0) site.earliest = site.point;
  }
}

/// A random kernel on addresses of which many meet.
VectorSource random_launch(std::uint64_t seed) {
  SplitMix64 random(seed);
  KernelInfo kernel;
  while (kernel.blocks.empty())
    kernel = seed % 2 == 0 ? random_graph(random) : StructuredKernel(random).make();
  add_positions(kernel, random);
  const std::uint64_t paths = 1 + random.below(3);  // few paths: warps that stay together, too
  if (paths == 1)                                   // all warps come to the same barriers
    for (SiteInfo& site : kernel.sites)
      if (site.kind == AccessKind::Fence) site.kind = AccessKind::Barrier;
  VectorSource source(kernel, {kGroups, 1, 1}, {kItems, 1, 1});
  const std::uint64_t lines = 8 + random.below(60);
  for (std::uint32_t g = 0; g < kGroups; ++g) {
    source.add(make_group(
        kernel, g, kItems,
        [&](std::uint32_t group, std::uint32_t item) {
          SplitMix64 walk(seed * 7919 + (group * kItems + item) % paths);
          return random_walk(kernel, walk, 20);
        },
        [&](std::uint32_t group, std::uint32_t item, SiteId site, std::uint64_t count) {
          SplitMix64 where(group * 31 + site.value() * 7 + count);
          if (kernel.sites[site.value()].space == AddressSpace::Private)
            return BufferAddr(BufferId(2), where.below(7) * 8).key();
          return BufferAddr(BufferId(1), where.below(lines) * 128 + item % kWarpSize * 8).key();
        }));
  }
  return source;
}

StreamHeader header_for(const VectorSource& source) {
  StreamHeader header;
  header.warp_size = kWarpSize;
  header.cores = kCores;
  header.buffers.push_back({BufferId(1), "data", AddressSpace::Global, 1u << 20, "read_write"});
  header.buffers.push_back({BufferId(2), "own", AddressSpace::Private, 96, "private"});
  header.launches.push_back(source.launch());
  return header;
}

TimedConfig ideal_config() {
  TimedConfig config;
  config.make_ideal();
  config.issue.policy = "lrr";
  config.issue.schedulers = 1;
  config.issue.interleave_groups = true;
  config.l1.cache.size_kib = 4;
  config.l1.cache.ways = 4;
  config.l1.cache.sector_bytes = 128;
  config.memory.l2_size_kib = 64;
  config.memory.l2_slices = config.memory.dram_channels = 1;
  return config;
}

DispatchOptions dispatch(const std::string& assignment) {
  DispatchOptions options;
  options.cores = kCores;
  options.slots = kSlots;
  options.warp_size = kWarpSize;
  options.assignment = assignment;
  return options;
}

Counts total_of(const StreamHeader& header, const LaunchTiming& timing) {
  Counts total = simulation_result(header, {timing}).total();
  for (KindCounts& kind : total.kind) kind.reservation_fails = 0;
  return total;
}

/// What the fixed-order simulator makes of the accesses that the engine issued, in the order in which it did.
class FixedOrder final : public WarpAccessSink {
 public:
  FixedOrder(const StreamHeader& header, const CacheConfig& cache, const char* rule = "crawford",
             const std::optional<StageRules>& stages = {})
      : simulator_([&] {
          SimulationOptions options;
          options.cache = cache;
          options.classes = false;
          return options;
        }()),
        sink_(cache.transaction_bytes(), coalescing_rule(rule), simulator_, L1Takes::Everything, stages) {
    sink_.begin(header);
    sink_.begin_launch(LaunchId(0));
  }
  void begin(const StreamHeader& /*header*/) override {}
  void begin_launch(LaunchId /*launch*/) override {}
  void access(const WarpAccess& access) override { sink_.access(access); }
  void end() override {}
  Counts total() {
    sink_.end();
    Counts counts = simulator_.result().total();
    counts.unclassified = counts.classified = 0;
    return counts;
  }

 private:
  L1Simulator simulator_;
  CoalescingSink sink_;
};

/// Accesses by core, in order.
std::map<std::uint32_t, std::vector<Seen>> by_core(const std::vector<Seen>& seen) {
  std::map<std::uint32_t, std::vector<Seen>> cores;
  for (const Seen& one : seen) cores[one.core].push_back(one);
  return cores;
}

TEST(IdealEngine, IssuesInTheOrderOfThePolicyWarp) {
  std::uint64_t accesses = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const VectorSource source = random_launch(seed);
    ScheduleOptions fixed;
    fixed.warp_size = kWarpSize;
    fixed.cores = kCores;
    fixed.max_work_groups = kSlots;
    RecordingSink expected, seen;
    run_launch(source, fixed, expected);
    const StreamHeader header = header_for(source);
    TimedEngine engine(ideal_config(), header);
    engine.run(source, dispatch("round-robin"), &seen);
    ASSERT_EQ(by_core(seen.seen), by_core(expected.seen));
    accesses += seen.seen.size();
  }
  EXPECT_GT(accesses, 5000u);
}

TEST(IdealEngine, HasTheOutcomesOfFixedOrderForEveryPolicy) {
  std::uint64_t misses = 0, write_backs = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const VectorSource source = random_launch(seed + 100);
    const StreamHeader header = header_for(source);
    SplitMix64 random(seed);
    for (const ReplacementEntry& replacement : replacement_policies()) {
      for (const WritePolicy& write : write_policies()) {
        SCOPED_TRACE(std::to_string(seed) + " " + replacement.name + " " + write.name);
        TimedConfig config = ideal_config();
        config.issue.policy = issue_policies()[seed % issue_policies().size()].name;
        config.issue.schedulers = static_cast<std::uint32_t>(1 + seed % 3);
        config.l1.cache.replacement = replacement.name;
        config.l1.cache.write_policy = write.name;
        const WritePolicy& own = write_policies()[random.below(write_policies().size())];
        config.l1.cache.private_write_policy = own.name;
        const bool whole_lines = write.store_hit_removes || own.store_hit_removes;
        config.l1.cache.sector_bytes = seed % 2 == 0 || whole_lines ? 128 : 32;
        config.l1.cache.tag_sets =
            replacement.takes_spare_tags && seed % 3 != 0 ? 16 : 0;  // of 32 lines, in 4 ways
        FixedOrder fixed(header, config.l1.cache);
        TimedEngine engine(config, header);
        const LaunchTiming timing = engine.run(source, dispatch("dynamic"), &fixed);
        const Counts total = total_of(header, timing);
        ASSERT_EQ(total, fixed.total());
        misses += total.of(AccessKind::Load).misses;
        write_backs += total.write_backs;
      }
    }
  }
  EXPECT_GT(misses, 5000u);
  EXPECT_GT(write_backs, 500u);
}

/// The cycles for which single accesses occupy the L1 are the wavefronts of the fixed order, whatever the
/// others do.
TEST(AnyTiming, OccupiesTheL1ForTheWavefrontsOfFixedOrder) {
  std::uint64_t sum = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const VectorSource source = random_launch(seed + 300);
    const StreamHeader header = header_for(source);
    TimedConfig config;
    config.coalescing = seed % 4 == 0 ? "maxwell" : seed % 4 == 1 ? "fermi" : "volta";
    config.l1.stages = L1Stages::Wavefronts;
    config.l1.tags_per_cycle = 1u << seed % 5;
    config.l1.cache.sector_bytes = config.coalescing == "fermi" ? 128 : 32;
    config.l1.mshr_entries = static_cast<std::uint32_t>(1 + seed % 7);
    FixedOrder fixed(header, config.l1.cache, config.coalescing.c_str(),
                     StageRules{config.l1.banks, config.l1.tags_per_cycle, 128});
    TimedEngine engine(config, header);
    const LaunchTiming timing = engine.run(source, dispatch("dynamic"), &fixed);
    const Counts expected = fixed.total();
    std::uint64_t wavefronts = 0, cycles = 0;
    for (const KindCounts& kind : expected.kind) wavefronts += kind.stages.wavefronts;
    for (const CoreCounts& core : timing.cores) cycles += core.l1_cycles;
    ASSERT_EQ(cycles, wavefronts);
    sum += cycles;
  }
  EXPECT_GT(sum, 20000u);
}

TEST(AnyTiming, MakesEveryAccessOnceAndKeepsTheLaws) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    SplitMix64 random(seed);
    const VectorSource source = random_launch(seed + 200);
    const StreamHeader header = header_for(source);
    TimedConfig config;
    config.issue.policy = issue_policies()[seed % issue_policies().size()].name;
    config.issue.schedulers = static_cast<std::uint32_t>(1 + random.below(4));
    config.issue.issue_width = static_cast<std::uint32_t>(1 + random.below(2));
    config.l1.cache.size_kib = 4;
    config.l1.cache.ways = 4;
    config.l1.mshr_entries = static_cast<std::uint32_t>(1 + random.below(6));
    config.l1.mshr_merges = static_cast<std::uint32_t>(1 + random.below(3));
    config.l1.queue_entries = static_cast<std::uint32_t>(1 + random.below(3));
    config.l1.tags_per_cycle = static_cast<std::uint32_t>(1 + random.below(3));
    config.l1.allocate_on_fill = random.below(2) == 0;
    config.l1.units = static_cast<std::uint32_t>(1 + random.below(2));
    const WritePolicy& write = write_policies()[seed % write_policies().size()];
    config.l1.cache.write_policy = write.name;
    config.l1.cache.private_write_policy = "WBWA";
    config.l1.cache.sector_bytes = random.below(2) == 0 && !write.store_hit_removes ? 32 : 128;
    config.memory.l2_size_kib = 256;
    config.memory.l2_slices = config.memory.dram_channels = 4;
    RecordingSink expected, seen;
    ScheduleOptions fixed;
    fixed.warp_size = kWarpSize;
    fixed.cores = kCores;
    run_launch(source, fixed, expected);
    TimedEngine engine(config, header);
    const LaunchTiming timing = engine.run(source, dispatch("dynamic"), &seen);
    // Every warp makes its accesses in its order, whatever the others do.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::vector<std::uint64_t>>> a, b;
    for (const Seen& one : expected.seen) a[{one.group, one.warp}].push_back(one.keys);
    for (const Seen& one : seen.seen) b[{one.group, one.warp}].push_back(one.keys);
    ASSERT_EQ(a, b);
    for (const CoreCounts& core : timing.cores) {
      for (const OriginCounts& counts : core.origins)
        ASSERT_EQ(counts.hits + counts.hits_pending + counts.sector_misses + counts.misses + counts.bypasses,
                  counts.transactions);
      for (const SchedulerCounts& scheduler : core.schedulers) {
        std::uint64_t cycles = scheduler.issue_cycles;
        for (const std::uint64_t stalled : scheduler.stalls) cycles += stalled;
        ASSERT_EQ(cycles, timing.cycles);
      }
    }
    // Same input, same counts.
    TimedEngine engine_again(config, header);
    const LaunchTiming again = engine_again.run(source, dispatch("dynamic"));
    ASSERT_EQ(again.cycles, timing.cycles);
    ASSERT_EQ(total_of(header, again), total_of(header, timing));
  }
}

}  // namespace
}  // namespace warpscope::timed
