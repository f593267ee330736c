// Lines with sectors: the fast cache equals the naive one on random streams, for every replacement and write
// policy; and a few cases by hand.
#include <gtest/gtest.h>

#include <random>

#include "cachesim/l1/core_seed.h"
#include "naive_counts.h"
#include "simulate.h"

namespace warpscope::test {
namespace {

struct SectoredShape {
  std::uint64_t size_kib;
  std::uint32_t line, sector, ways;
  std::uint32_t tag_sets = 0;
};
// Two, four and eight sectors; few ways, many ways (found by hash), fully associative, Pascal's 4 sets x 48; more tags than lines.
constexpr SectoredShape kSectoredShapes[] = {{4, 128, 32, 4},    {4, 128, 64, 2},     {2, 64, 8, 1},
                                             {24, 128, 32, 48},  {8, 128, 32, 64},    {16, 128, 32, 32},
                                             {3, 128, 32, 4, 8}, {1, 128, 32, 4, 12}, {7, 128, 64, 4, 16}};

/// Sectors of random and of neighbouring lines, with repetitions.
std::vector<naive::Reference> sector_stream(std::mt19937_64& random, std::uint64_t lines,
                                            std::uint64_t sectors, std::size_t length) {
  std::vector<naive::Reference> stream;
  std::uint64_t line = 0;
  while (stream.size() < length) {
    switch (random() % 4) {
      case 0:
        line = random() % (2 * lines);
        break;
      case 1:
        line = line + 1;
        break;
      default:
        if (!stream.empty())
          line = stream[stream.size() - 1 - random() % std::min<std::size_t>(stream.size(), 40)].line;
    }
    naive::Reference reference{line, random() % 4 == 0, random() % 32 == 0};
    reference.sector = random() % sectors;
    reference.first = random() % 2 == 0;
    stream.push_back(reference);
  }
  return stream;
}

TEST(NaiveSectors, EqualTheFastOnesForEveryReplacementAndWritePolicy) {
  const std::uint64_t first_seed = std::random_device{}();
  std::uint64_t compared = 0;
  for (const ReplacementEntry& replacement : replacement_policies())
    for (const WritePolicy& write : write_policies())
      for (const SectoredShape& shape : kSectoredShapes) {
        if (write.store_hit_removes || !replacement.takes(shape.ways) ||
            (shape.tag_sets != 0 && !replacement.takes_spare_tags))
          continue;  // refused
        const std::uint64_t seed = first_seed + compared++;
        CacheConfig config{shape.size_kib, shape.line, shape.ways, replacement.name,
                           write.name,     "linear",   seed};
        config.sector_bytes = shape.sector;
        config.tag_sets = shape.tag_sets;
        SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << shape.size_kib << " " << shape.sector
                                        << " " << shape.ways << " " << replacement.name << " " << write.name);
        const std::uint64_t sectors = shape.line / shape.sector;
        std::mt19937_64 random(seed);
        naive::Cache naive({config.sets(),
                            config.ways,
                            config.replacement,
                            config.write_policy,
                            "linear",
                            seed_for(config.seed, 0),
                            {},
                            config.lines()});
        std::vector<std::vector<Transaction>> launches(2);
        for (auto& launch : launches) {
          naive.start_launch(random_seed(config, static_cast<std::size_t>(&launch - launches.data())));
          for (const naive::Reference& r : sector_stream(random, config.lines(), sectors, 3000)) {
            naive.access(r);
            launch.push_back(transaction(r.line * sectors + r.sector, r.store, r.bypass, r.first));
          }
        }
        SimulationOptions options;
        options.cache = config;
        options.self_check = true;
        ASSERT_EQ(naive_counts(simulate(options, launches)), naive.counts);
        options.classes = false;
        ASSERT_EQ(naive_counts(simulate(options, launches)), without_classes(naive.counts));
      }
}

/// Runs loads of sectors (line * 4 + sector) through one set of two 128-byte lines.
SimulationResult two_lines(const std::vector<std::uint64_t>& sectors) {
  SimulationOptions options;
  options.cache = {1, 512, 2, "LRU", "WTNA", "linear", 1};
  options.cache.sector_bytes = 128;
  std::vector<std::vector<Transaction>> launch(1);
  for (const std::uint64_t sector : sectors) launch[0].push_back(transaction(sector, false));
  return simulate(options, launch);
}

// By hand. Lines 0, 1, 2 are sectors 0-3, 4-7, 8-11.
TEST(Sectors, ALineIsThereWithoutItsOtherSectors) {
  const KindCounts load = two_lines({0, 1, 0, 1, 3}).total().of(AccessKind::Load);
  EXPECT_EQ(load.misses, 1u) << "the first sector brings the line";
  EXPECT_EQ(load.sector_misses, 2u) << "1 and 3: the line is there, they are not";
  EXPECT_EQ(load.hits, 2u);
}

TEST(Sectors, AnEvictedLineForgetsItsSectorsAndASectorMissKeepsItsLineYoung) {
  // 0 and 4 fill the set; 1 (a sector miss of line 0) makes line 1 the oldest, so 8 evicts line 1; then
  // sector 0 still hits, and 4 misses as a line.
  const Counts total = two_lines({0, 4, 1, 8, 0, 4}).total();
  const KindCounts& load = total.of(AccessKind::Load);
  EXPECT_EQ(load.misses, 4u);
  EXPECT_EQ(load.sector_misses, 1u);
  EXPECT_EQ(load.hits, 1u);
  EXPECT_EQ(total.evictions, 2u);
  EXPECT_EQ(total.classes.cold, 4u) << "sectors 0, 4, 1, 8";
  EXPECT_EQ(total.classes.capacity, 1u) << "sector 4 again: one set is its own shadow";
  EXPECT_EQ(total.classes.conflict, 0u);
}

}  // namespace
}  // namespace warpscope::test
