// Reuse by previous accessor: equals the naive cache for every replacement and write policy, with and without sectors; and
// by hand.
#include <gtest/gtest.h>

#include <random>

#include "cachesim/l1/core_seed.h"
#include "naive_cache.h"
#include "simulate.h"
#include "traces/base/error.h"

namespace warpscope::test {
namespace {

std::vector<naive::Reference> touched_stream(std::mt19937_64& random, std::uint64_t lines,
                                             std::uint64_t sectors) {
  std::vector<naive::Reference> stream;
  while (stream.size() < 2000) {
    std::uint64_t line = random() % (2 * lines);
    if (!stream.empty() && random() % 2 == 0)
      line = stream[stream.size() - 1 - random() % std::min<std::size_t>(stream.size(), 40)].line;
    naive::Reference reference{line, random() % 4 == 0, random() % 32 == 0};
    reference.sector = random() % sectors;
    reference.first = random() % 2 == 0;
    reference.who = {random() % 2, random() % 2, {}};
    for (int lane = 0; lane < 5; ++lane)
      if (reference.who.lanes.empty() || random() % 4 == 0)
        reference.who.lanes.insert(static_cast<int>(random() % 64));
    stream.push_back(reference);
  }
  return stream;
}

Accessor accessor_of(const naive::Who& who) {
  Accessor accessor{WorkGroupId(static_cast<std::uint32_t>(who.group)),
                    WarpId(static_cast<std::uint32_t>(who.warp)), 0};
  for (const int lane : who.lanes) accessor.lanes |= LaneMask{1} << lane;
  return accessor;
}

void expect_naive(const CacheConfig& config, bool classes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::uint64_t sectors = config.line_bytes / config.transaction_bytes();
  naive::Cache naive({config.sets(), config.ways, config.replacement, config.write_policy, config.set_index,
                      seed_for(config.seed, 0)});
  std::vector<Touched> launches(2);
  for (Touched& launch : launches) {
    naive.start_launch(random_seed(config, static_cast<std::size_t>(&launch - launches.data())));
    for (const naive::Reference& r : touched_stream(random, config.lines(), sectors)) {
      naive.access(r);
      launch.transactions.push_back(transaction(r.line * sectors + r.sector, r.store, r.bypass, r.first));
      launch.accessors.push_back(accessor_of(r.who));
    }
  }
  SimulationOptions options;
  options.cache = config;
  options.by_source = true;
  options.classes = classes;
  options.self_check = true;
  const SimulationResult result = simulate_launches(options, launches);
  const SourceCounts by_source = result.total().by_source;
  for (std::size_t near = 0; near < 4; ++near) {
    ASSERT_EQ(by_source.hits[0][near], naive.load_hits_by_source[near]) << near;
    ASSERT_EQ(by_source.hits[1][near], naive.store_hits_by_source[near]) << near;
    ASSERT_EQ(by_source.evictions[near], naive.evictions_by_source[near]) << near;
  }
  // Nothing else changes.
  SimulationOptions plain = options;
  plain.by_source = false;
  Counts without = result.total();
  without.by_source = {};
  ASSERT_EQ(simulate_launches(plain, launches).total(), without);
}

TEST(ReuseBySource, EqualsTheNaiveCacheForEveryPolicy) {
  const std::uint64_t first_seed = std::random_device{}();
  std::uint64_t compared = 0;
  for (const ReplacementEntry& replacement : replacement_policies())
    for (const WritePolicy& write : write_policies())
      for (const std::uint32_t ways : {1u, 4u, 32u})
        for (const std::uint32_t sector : {0u, 32u}) {
          if (!replacement.takes(ways) || (sector != 0 && write.store_hit_removes)) continue;
          const std::uint64_t seed = first_seed + compared++;
          SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << ways << " ways, sectors " << sector
                                          << " " << replacement.name << " " << write.name);
          expect_naive({4, 128, ways, replacement.name, write.name, "linear", seed, sector}, seed % 2 == 0,
                       seed);
          if (HasFatalFailure()) return;
        }
  EXPECT_GT(compared, 2 * replacement_policies().size() * write_policies().size());
}

// One set of two lines. a b by warp 0; a again by another lane; c by warp 1 drives out b, which warp 0 used
// last; a by another group; b drives out c, of that group's other warp.
TEST(ReuseBySource, ByHand) {
  const std::vector<std::pair<char, Accessor>> steps = {
      {'a', {WorkGroupId(0), WarpId(0), 1}}, {'b', {WorkGroupId(0), WarpId(0), 1}},
      {'a', {WorkGroupId(0), WarpId(0), 2}},   // hit: same warp
      {'a', {WorkGroupId(0), WarpId(0), 3}},   // hit: same lane
      {'c', {WorkGroupId(0), WarpId(1), 1}},   // evicts b: same work-group
      {'a', {WorkGroupId(1), WarpId(1), 1}},   // hit: other work-group
      {'b', {WorkGroupId(0), WarpId(1), 1}}};  // evicts c: same lane
  Touched launch;
  for (const auto& [line, who] : steps) {
    launch.transactions.push_back(transaction(static_cast<std::uint64_t>(line), false));
    launch.accessors.push_back(who);
  }
  SimulationOptions options;
  options.cache = {1, 512, 2, "LRU", "WTNA", "linear", 1};
  options.by_source = true;
  const SourceCounts by_source = simulate_launches<Touched>(options, {launch}).total().by_source;
  EXPECT_EQ(by_source.hits[0], (std::array<std::uint64_t, 4>{1, 1, 0, 1}));
  EXPECT_EQ(by_source.evictions, (std::array<std::uint64_t, 4>{1, 0, 1, 0}));
}

TEST(ReuseBySource, OfAKeptCacheTheLaunchBeforeIsAnotherWorkGroup) {
  Touched launch;
  launch.transactions = {transaction(1, false), transaction(1, false)};
  launch.accessors.assign(2, {WorkGroupId(0), WarpId(0), 1});
  SimulationOptions options;
  options.cache = {1, 128, 2, "LRU", "WTNA", "linear", 1};
  options.by_source = options.keep_l1 = true;
  EXPECT_EQ(simulate_launches<Touched>(options, {launch, launch}).total().by_source.hits[0],
            (std::array<std::uint64_t, 4>{2, 0, 0, 1}));
}

TEST(ReuseBySource, RefusesTransactionsOfNobody) {
  SimulationOptions options;
  options.by_source = true;
  EXPECT_THROW(simulate(options, {{transaction(1, false)}}), InputError);
}

TEST(SiteReuse, AddsUpToTheWhole) {
  std::mt19937_64 random(3);
  std::vector<Transaction> stream;
  for (int i = 0; i < 5000; ++i) stream.push_back(transaction(random() % 300, random() % 3 == 0));
  SimulationOptions options;
  options.reuse_histogram = true;
  const SimulationResult result = simulate(options, {stream, stream});
  ASSERT_EQ(result.site_reuse.size(), 2u);
  ReuseHistogram sum(result.reuse.capacity());
  for (const auto& [site, histogram] : result.site_reuse) sum += histogram;
  EXPECT_EQ(sum.cold_loads(), result.reuse.cold_loads());
  EXPECT_EQ(sum.cold_stores(), result.reuse.cold_stores());
  ASSERT_EQ(sum.bins().size(), result.reuse.bins().size());
  for (std::size_t bin = 0; bin < sum.bins().size(); ++bin) {
    EXPECT_EQ(sum.bins()[bin].loads, result.reuse.bins()[bin].loads);
    EXPECT_EQ(sum.bins()[bin].stores, result.reuse.bins()[bin].stores);
  }
  // Loads of site 0, stores of site 1.
  for (const auto& [site, histogram] : result.site_reuse)
    for (const auto& bin : histogram.bins())
      EXPECT_EQ(site.kind == AccessKind::Load ? bin.stores : bin.loads, 0u);
}

}  // namespace
}  // namespace warpscope::test
