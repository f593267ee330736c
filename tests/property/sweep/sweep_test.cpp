// Every cell of a sweep equals the single simulation, and the naive cache, on random streams: every
// replacement, write policy and set index, several launches and cores, any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "cachesim/l1/core_seed.h"
#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/sweep/sweep_engine.h"
#include "naive_cache.h"
#include "simulate.h"
#include "sweep_streams.h"

#ifndef WARPSCOPE_SWEEP_ACCESSES  // of a launch; less where every access costs more
#define WARPSCOPE_SWEEP_ACCESSES 1500
#endif
#ifndef WARPSCOPE_SWEEP_COMPARED  // each of so many cells with its single simulation
#define WARPSCOPE_SWEEP_COMPARED 1
#endif

namespace warpscope::test {
namespace {

bool valid(const CacheConfig& config) {
  try {
    validate(config);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::vector<CacheConfig> all_configurations(std::uint32_t line_bytes, std::uint64_t seed) {
  std::vector<CacheConfig> all;
  for (const ReplacementEntry& replacement : replacement_policies())
    for (const WritePolicy& write : write_policies())
      for (const SetIndexEntry& index : set_indexes())
        for (const std::uint32_t sets : {1u, 3u, 8u, 32u, 64u})
          for (const std::uint32_t ways : {1u, 2u, 3u, 4u, 7u, 8u, 9u, 16u, 24u}) {
            if (std::string(replacement.name) != "LRU" && ways > 4 && ways != 8) continue;
            const std::uint64_t bytes = std::uint64_t{sets} * ways * line_bytes;
            const CacheConfig config{bytes / 1024, line_bytes, ways, replacement.name,
                                     write.name,   index.name, seed};
            if (bytes % 1024 == 0 && valid(config)) all.push_back(config);
            if (bytes % 1024 != 0 || line_bytes > 128) continue;
            // Lines of several sectors, whose transactions are of the same size.
            for (const std::uint32_t sectors : {2u, 4u}) {
              CacheConfig sectored = config;
              sectored.size_kib *= sectors;
              sectored.line_bytes *= sectors;
              sectored.sector_bytes = line_bytes;
              if (valid(sectored)) all.push_back(sectored);
            }
          }
  return all;
}

std::string name_of(const CacheConfig& config) {
  return std::to_string(config.size_kib) + " " + std::to_string(config.line_bytes) + " " +
         std::to_string(config.ways) + " " + config.replacement + " " + config.write_policy + " " +
         config.set_index + ", sectors of " + std::to_string(config.transaction_bytes());
}

void expect_single_simulations(const SweepEngine& engine, const std::vector<Launch>& launches, bool keep_l1,
                               std::uint64_t line_limit) {
  for (std::size_t i = 0; i < engine.cells().size(); i += WARPSCOPE_SWEEP_COMPARED) {
    const SweepCell& cell = engine.cells()[i];
    SimulationOptions options;
    options.cache = cell.config;
    options.classes = false;
    options.keep_l1 = keep_l1;
    L1Simulator simulator(options);
    feed(simulator, launches, cell.config.transaction_bytes(), line_limit);
    Counts expected = simulator.result().total();
    expected.unclassified = expected.classified = expected.write_back_sectors = 0;
    const Counts counts = counts_of(cell, engine.traffic());
    ASSERT_EQ(counts.evictions, expected.evictions) << name_of(cell.config);
    ASSERT_EQ(counts.write_backs, expected.write_backs) << name_of(cell.config);
    ASSERT_EQ(counts, expected) << name_of(cell.config);
  }
}

struct Setting {
  std::uint32_t line_bytes;
  std::uint64_t lines, line_limit, scale;
  std::uint32_t threads;
  std::size_t chunk;
  bool keep_l1;
};

TEST(Sweep, EveryCellEqualsTheSingleSimulation) {
  const std::uint64_t first_seed = std::random_device{}();
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 20, kLarge = Transaction::kMaxLine + 1;
  const Setting settings[] = {
      {128, 60, kSmall, 1, 1, 1u << 18, false},
      {128, 600, kSmall, 1, 3, 500, false},
      {128, 200, kLarge, 0x100000021, 2, 77, true},  // numbers of lines that do not fit a tag
      {512, 120, kSmall, 1, 2, 300, false},
  };
  for (std::uint64_t i = 0; i < std::size(settings); ++i) {
    const Setting& setting = settings[i];
    SCOPED_TRACE(::testing::Message() << "seed " << first_seed + i << ", setting " << i);
    std::mt19937_64 random(first_seed + i);
    const auto launches = random_launches(random, setting.lines, WARPSCOPE_SWEEP_ACCESSES, setting.scale);
    TaskPool pool(setting.threads);
    SweepEngineOptions options;
    options.chunk = setting.chunk;
    options.keep_l1 = setting.keep_l1;
    SweepEngine engine(all_configurations(setting.line_bytes, first_seed), options, pool);
    feed(engine, launches, setting.line_bytes, setting.line_limit);
    EXPECT_GT(engine.stacks(), write_policies().size());
    EXPECT_GT(engine.cells().size(), engine.units());
    expect_single_simulations(engine, launches, setting.keep_l1, setting.line_limit);
    if (HasFatalFailure()) return;
  }
}

/// Lists so deep that lines are found missing by the times of last uses, which start after 2^14 references of a
/// core: many lines, few, and lines that return.
TEST(Sweep, EveryDeepListEqualsTheSingleSimulation) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::vector<CacheConfig> configurations;
  for (const WritePolicy& write : write_policies())
    for (const std::uint32_t sets : {8u, 64u})
      for (const std::uint32_t ways : {1u, 17u, 24u, 40u, 128u})
        for (const std::uint32_t sectors : {1u, 4u}) {
          CacheConfig config{std::uint64_t{sets} * ways * sectors / 8,
                             128 * sectors,
                             ways,
                             "LRU",
                             write.name,
                             "xor-fold",
                             seed};
          if (sectors > 1) config.sector_bytes = 128;
          if (valid(config)) configurations.push_back(config);
        }
  // Long enough for the times to start, however dear an access is.
  constexpr std::size_t kLength = std::max(40 * WARPSCOPE_SWEEP_ACCESSES, 40000);
  for (const bool keep_l1 : {false, true}) {
    std::vector<Launch> launches = random_launches(random, 20000, kLength);
    for (Launch& launch : launches)
      for (Block& block : launch) block.core = block.core == 0 ? 0 : 1;
    TaskPool pool(2);
    SweepEngineOptions options;
    options.keep_l1 = keep_l1;
    options.chunk = 5000;
    SweepEngine engine(configurations, options, pool);
    feed(engine, launches, 128, 1 << 20);
    EXPECT_GT(engine.cores_with_last_uses(), 0u);
    expect_single_simulations(engine, launches, keep_l1, 1 << 20);
    if (HasFatalFailure()) return;
  }
}

/// With classes: all counters of the single simulation, whatever its fast paths.
TEST(Sweep, EveryCellHasTheMissClassesOfTheSingleSimulation) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const auto launches = random_launches(random, 150, WARPSCOPE_SWEEP_ACCESSES / 2);
  for (const bool keep_l1 : {false, true}) {
    std::vector<CacheConfig> configurations;
    for (const CacheConfig& config : all_configurations(128, seed))
      if ((config.ways + config.sets()) % 3 == (keep_l1 ? 1 : 2)) configurations.push_back(config);
    TaskPool pool(2);
    SweepEngineOptions options;
    options.chunk = 700;
    options.keep_l1 = keep_l1;
    options.classes = true;
    SweepEngine engine(configurations, options, pool);
    feed(engine, launches, 128, 1 << 20);
    EXPECT_EQ(engine.stacks(), 0u);
    std::uint64_t conflicts = 0;
    for (const SweepCell& cell : engine.cells()) {
      SimulationOptions single;
      single.cache = cell.config;
      single.keep_l1 = keep_l1;
      L1Simulator simulator(single);
      feed(simulator, launches, cell.config.transaction_bytes(), 1 << 20);
      Counts counts = counts_of(cell, engine.traffic());
      counts.classes = cell.counts.classes;
      Counts expected = simulator.result().total();
      expected.classified = expected.write_back_sectors = 0;
      ASSERT_EQ(counts, expected) << name_of(cell.config);
      conflicts += counts.classes.conflict;
    }
    EXPECT_GT(conflicts, 0u);
  }
}

naive::Reference naive_reference(Transaction transaction, const CacheConfig& config) {
  const std::uint64_t number = transaction.line().value(), sectors = config.line_bytes / 128;
  naive::Reference reference{number / sectors, transaction.is_store(), transaction.bypasses(),
                             number % sectors};
  reference.first = transaction.is_first();
  return reference;
}

/// The naive cache has no code in common with stacks or with the single simulation.
TEST(Sweep, EveryLruCellEqualsTheNaiveCache) {
  const std::uint64_t first_seed = std::random_device{}();
  for (std::uint64_t seed = first_seed; seed < first_seed + 4; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto launches = random_launches(random, 100 + random() % 200, 800);
    std::vector<CacheConfig> configurations;
    for (const CacheConfig& config : all_configurations(128, 1))
      if (config.replacement == "LRU" && config.ways % 2 == seed % 2) configurations.push_back(config);
    TaskPool pool(1);
    SweepEngine engine(configurations, {}, pool);
    feed(engine, launches, 128, 1 << 20);
    for (const SweepCell& cell : engine.cells()) {
      const CacheConfig& config = cell.config;
      naive::Counts sum;
      for (std::uint32_t core = 0; core < 3; ++core) {
        naive::Cache cache(
            {config.sets(), config.ways, config.replacement, config.write_policy, config.set_index, 0});
        for (const Launch& launch : launches) {
          cache.start_launch();
          for (const Block& block : launch)
            if (block.core == core)
              for (const Transaction t : block.transactions) cache.access(naive_reference(t, config));
        }
        sum.load_hits += cache.counts.load_hits;
        sum.load_misses += cache.counts.load_misses;
        sum.store_hits += cache.counts.store_hits;
        sum.store_misses += cache.counts.store_misses;
        sum.load_sector_misses += cache.counts.load_sector_misses;
        sum.store_sector_misses += cache.counts.store_sector_misses;
        sum.evictions += cache.counts.evictions;
        sum.write_backs += cache.counts.write_backs;
      }
      ASSERT_EQ(cell.counts.of(AccessKind::Load).hits, sum.load_hits) << name_of(config);
      ASSERT_EQ(cell.counts.of(AccessKind::Load).misses, sum.load_misses) << name_of(config);
      ASSERT_EQ(cell.counts.of(AccessKind::Store).hits, sum.store_hits) << name_of(config);
      ASSERT_EQ(cell.counts.of(AccessKind::Store).misses, sum.store_misses) << name_of(config);
      ASSERT_EQ(cell.counts.of(AccessKind::Load).sector_misses, sum.load_sector_misses) << name_of(config);
      ASSERT_EQ(cell.counts.of(AccessKind::Store).sector_misses, sum.store_sector_misses) << name_of(config);
      ASSERT_EQ(cell.counts.evictions, sum.evictions) << name_of(config);
      ASSERT_EQ(cell.counts.write_backs, sum.write_backs) << name_of(config);
    }
  }
}

}  // namespace
}  // namespace warpscope::test
