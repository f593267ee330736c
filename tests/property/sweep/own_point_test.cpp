// The hardware's own point of a sweep follows what local memory leaves of the L1, launch by launch.
#include <gtest/gtest.h>

#include "cachesim/simulate/l1_simulator.h"
#include "naive_cache.h"
#include "sweep_streams.h"

namespace warpscope::test {
namespace {

constexpr std::uint32_t kOwnSets = 8;

/// The own cache of a launch with that much local memory: 8 sets of as many ways as it has KiB, of 128-byte
/// lines.
CacheConfig own_cache(const LaunchInfo& launch, const std::string& replacement, const std::string& write) {
  const auto kib = 16 - launch.dynamic_local_bytes / 1024;
  return {kib, 128, static_cast<std::uint32_t>(kib), replacement, write, "xor-fold", 7};
}

std::vector<LaunchInfo> launches_with(std::initializer_list<std::uint32_t> local_kib) {
  std::vector<LaunchInfo> infos;
  for (const std::uint32_t kib : local_kib) {
    LaunchInfo info;
    info.id = LaunchId(static_cast<std::uint32_t>(10 + infos.size()));
    info.dynamic_local_bytes = kib * 1024;
    infos.push_back(info);
  }
  return infos;
}

struct OwnCase {
  const char *replacement, *write;
  bool classes, keep_l1;
};

SweepEngineOptions options_for(const OwnCase& test, std::size_t own) {
  SweepEngineOptions options;
  options.chunk = 300;
  options.classes = test.classes;
  options.keep_l1 = test.keep_l1;
  options.own = own;
  options.own_of = [test](const LaunchInfo& launch) {
    return own_cache(launch, test.replacement, test.write);
  };
  return options;
}

TEST(OwnPoint, EqualsTheSimulationThatFollowsTheLaunches) {
  const std::uint64_t first_seed = std::random_device{}();
  const auto infos = launches_with({4, 14, 4});
  const OwnCase cases[] = {{"LRU", "WTNA", false, false}, {"LRU", "WBWA", true, false},
                           {"LRU", "WBWA", false, true},  {"Rand", "WTWA", false, false},
                           {"LRU", "WTNA", true, true},   {"FIFO", "WENA", false, true}};
  for (std::uint64_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << first_seed + i << ", case " << i);
    std::mt19937_64 random(first_seed + i);
    auto launches = random_launches(random, 150, 1200);
    for (Block& block : launches[1])  // a core that the smaller cache does not see
      if (block.core == 2) block.core = 1;
    TaskPool pool(2);
    const CacheConfig base = own_cache(LaunchInfo{}, cases[i].replacement, cases[i].write);
    SweepEngine engine({{16, 128, 4, "LRU", "WTNA", "linear", 1}, base}, options_for(cases[i], 1), pool);
    feed(engine, launches, 128, 1 << 20, infos);
    EXPECT_EQ(engine.own_kib(), (std::vector<std::uint64_t>{12, 2, 12}));
    EXPECT_EQ(engine.cells()[1].config.size_kib, 12u) << "the largest";
    SimulationOptions single;
    single.cache = base;
    single.cache_of = options_for(cases[i], 1).own_of;
    single.classes = cases[i].classes;
    single.keep_l1 = cases[i].keep_l1;
    L1Simulator simulator(single);
    feed(simulator, launches, 128, 1 << 20, infos);
    Counts counts = counts_of(engine.cells()[1], engine.traffic());
    counts.classes = engine.cells()[1].counts.classes;
    Counts expected = simulator.result().total();
    expected.unclassified = expected.classified = expected.write_back_sectors = 0;
    EXPECT_EQ(counts, expected);
  }
}

/// A cache of the naive model for each launch has no code in common with either.
TEST(OwnPoint, EqualsANaiveCacheForEachLaunch) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const auto infos = launches_with({0, 14, 8});
  const auto launches = random_launches(random, 150, 1200);
  TaskPool pool(1);
  SweepEngine engine({own_cache(LaunchInfo{}, "LRU", "WTNA")}, options_for({"LRU", "WTNA", false, false}, 0),
                     pool);
  feed(engine, launches, 128, 1 << 20, infos);
  std::uint64_t hits = 0, misses = 0;
  for (std::size_t launch = 0; launch < launches.size(); ++launch)
    for (std::uint32_t core = 0; core < 3; ++core) {
      naive::Cache cache(
          {kOwnSets, own_cache(infos[launch], "LRU", "WTNA").ways, "LRU", "WTNA", "xor-fold", 0});
      cache.start_launch();
      for (const Block& block : launches[launch])
        if (block.core == core)
          for (const Transaction t : block.transactions)
            cache.access({t.line().value(), t.is_store(), t.bypasses()});
      hits += cache.counts.load_hits;
      misses += cache.counts.load_misses;
    }
  EXPECT_EQ(engine.cells()[0].counts.of(AccessKind::Load).hits, hits);
  EXPECT_EQ(engine.cells()[0].counts.of(AccessKind::Load).misses, misses);
}

/// Eight lines in eight sets, read once by every launch: the second one finds them, the third one has another
/// L1.
TEST(OwnPoint, KeepsItsLinesAsLongAsLaunchesLeaveTheSame) {
  Block eight{0, {}};
  for (std::uint64_t line = 0; line < kOwnSets; ++line)
    eight.transactions.push_back(transaction(line, false));
  TaskPool pool(1);
  SweepEngine engine({own_cache(LaunchInfo{}, "LRU", "WTNA")}, options_for({"LRU", "WTNA", false, true}, 0),
                     pool);
  feed(engine, {{eight}, {eight}, {eight}}, 128, 1 << 20, launches_with({4, 4, 14}));
  EXPECT_EQ(engine.cells()[0].counts.of(AccessKind::Load).hits, 8u);
  EXPECT_EQ(engine.cells()[0].counts.of(AccessKind::Load).misses, 16u);
}

TEST(OwnPoint, IsAnOrdinaryCellWhereAllLaunchesLeaveTheSame) {
  std::mt19937_64 random(1);
  const auto launches = random_launches(random, 150, 400);
  TaskPool pool(1);
  SweepEngine engine({own_cache(LaunchInfo{}, "LRU", "WTNA")}, options_for({"LRU", "WTNA", false, false}, 0),
                     pool);
  feed(engine, launches, 128, 1 << 20, launches_with({6, 6, 6}));
  EXPECT_TRUE(engine.own_kib().empty());
  EXPECT_EQ(engine.cells()[0].config.size_kib, 10u);
  EXPECT_EQ(engine.stacks(), 1u);
}

// 10 KiB are among the caches of the sweep: simulated once, and that is the own one.
TEST(OwnPoint, IsTheCellThatIsTheSameCache) {
  std::mt19937_64 random(1);
  const auto launches = random_launches(random, 150, 400);
  for (const char* replacement : {"LRU", "FIFO"}) {
    const OwnCase test{replacement, "WTNA", false, false};
    LaunchInfo six;
    six.dynamic_local_bytes = 6 * 1024;
    const CacheConfig other{16, 128, 4, replacement, "WTNA", "linear", 1},
        same = own_cache(six, replacement, "WTNA");
    TaskPool pool(1);
    SweepEngine engine({other, same, own_cache(LaunchInfo{}, replacement, "WTNA")}, options_for(test, 2),
                       pool);
    feed(engine, launches, 128, 1 << 20, launches_with({6, 6, 6}));
    EXPECT_EQ(engine.own(), 1u);
    EXPECT_EQ(engine.cells().size(), 2u);
    EXPECT_EQ(engine.units(), 2u);
  }
}

}  // namespace
}  // namespace warpscope::test
