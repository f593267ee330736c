// The fast cache equals the naive one on random streams, for every replacement, write policy and set index.
#include <gtest/gtest.h>

#include <random>

#include "cachesim/l1/core_seed.h"
#include "naive_counts.h"
#include "simulate.h"
#include "tests/thinning.h"

namespace warpscope::test {
namespace {

struct Shape {
  std::uint64_t size_kib;
  std::uint32_t line, ways;
};
// Four ways (the fast LRU), other powers of two, six ways, direct mapped, fully associative, sets that are no
// power of two.
constexpr Shape kShapes[] = {{16, 128, 4}, {4, 128, 4}, {48, 128, 6}, {2, 128, 1}, {2, 64, 32},
                             {3, 64, 4},   {8, 128, 2}, {16, 128, 8}, {64, 128, 1}};

/// Mixes random lines from small and large ranges, short walks and repetitions: hits, conflicts and evictions
/// all occur.
std::vector<naive::Reference> random_stream(std::mt19937_64& random, std::uint64_t lines,
                                            std::size_t length) {
  std::vector<naive::Reference> stream;
  std::uint64_t line = 0;
  while (stream.size() < length) {
    switch (random() % 4) {
      case 0:
        line = random() % (2 * lines);
        break;
      case 1:
        line = (random() % 8) * lines;  // the same set under linear indexing
        break;
      case 2:
        line = line + 1 + random() % 3;
        break;
      default:
        if (!stream.empty())
          line = stream[stream.size() - 1 - random() % std::min<std::size_t>(stream.size(), 6)].line;
    }
    const std::size_t number = stream.size();
    const bool store = may_store(number) && random() % 4 == 0,
               bypass = may_bypass(number) && random() % 32 == 0;
    stream.push_back({line, store, bypass});
  }
  return stream;
}

bool valid(const CacheConfig& config) {
  try {
    validate(config);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void compare(const CacheConfig& config, std::uint64_t test_seed, std::uint64_t line_limit,
             std::size_t length = 3000) {
  std::mt19937_64 random(test_seed);
  const naive::Config naive_config{config.sets(),       config.ways,      config.replacement,
                                   config.write_policy, config.set_index, seed_for(config.seed, 0)};
  naive::Cache naive(naive_config);
  std::vector<std::vector<Transaction>> launches(2);
  for (std::size_t launch = 0; launch < launches.size(); ++launch) {
    naive.start_launch(random_seed(config, launch));
    for (const naive::Reference& reference : random_stream(random, config.lines(), length)) {
      naive.access(reference);
      launches[launch].push_back(transaction(reference.line, reference.store, reference.bypass));
    }
  }
  SimulationOptions options;
  options.cache = config;
  options.self_check = true;
  ASSERT_EQ(naive_counts(simulate(options, launches, line_limit)), naive.counts);
  options.classes = false;
  ASSERT_EQ(naive_counts(simulate(options, launches, line_limit)), without_classes(naive.counts));
}

TEST(NaiveCache, EqualsTheFastOneForEveryReplacementWritePolicyAndSetIndex) {
  const std::uint64_t first_seed = std::random_device{}();
  std::size_t compared = 0;
  for (const ReplacementEntry& replacement : replacement_policies())
    for (const WritePolicy& write : write_policies())
      for (const SetIndexEntry& index : set_indexes())
        for (const Shape& shape : kShapes) {
          const std::uint64_t seed = first_seed + compared;
          CacheConfig config{shape.size_kib, shape.line, shape.ways, replacement.name,
                             write.name,     index.name, seed};
          if (!valid(config)) continue;
          SCOPED_TRACE(testing::Message()
                       << "seed " << seed << ": " << shape.size_kib << " " << shape.line << " " << shape.ways
                       << " " << replacement.name << " " << write.name << " " << index.name);
          if (compared++ % kCaseStep != 0) continue;
          compare(config, seed, Transaction::kMaxLine + 1);
          compare(config, seed, std::uint64_t{1} << 20);  // small line numbers admit the fast tag array
          if (HasFatalFailure()) return;
        }
  // Every combination at least once: 32-set and 64-set shapes take all three set indexes.
  EXPECT_GE(compared, replacement_policies().size() * write_policies().size() * set_indexes().size());
}

/// So long that the classifier gives out its times again (every 65,536 references or more), several times.
TEST(NaiveCache, EqualsTheFastOneOnLongStreams) {
  const std::uint64_t first_seed = std::random_device{}();
  for (std::uint64_t i = 0; const WritePolicy& write : write_policies()) {
    const std::uint64_t seed = first_seed + i++;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << write.name);
    compare({4, 128, 4, "LRU", write.name, "linear", seed}, seed, std::uint64_t{1} << 20, 220'000);
    if (HasFatalFailure()) return;
  }
}

TEST(NaiveCache, SeesTheLinesOfAWideAddressSpace) {
  const CacheConfig config{16, 128, 4, "LRU", "WBWA", "linear", 1};
  std::vector<std::vector<Transaction>> launches(1);
  naive::Cache naive({config.sets(), config.ways, "LRU", "WBWA", "linear", 0});
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    // Lines that differ only above bit 32 must not be taken for each other.
    const naive::Reference reference{(random() % 6) << 33 | (random() % 3) * 32, random() % 3 == 0, false};
    naive.access(reference);
    launches[0].push_back(transaction(reference.line, reference.store));
  }
  SimulationOptions options;
  options.cache = config;
  EXPECT_EQ(naive_counts(simulate(options, launches)), naive.counts);
}

}  // namespace
}  // namespace warpscope::test
