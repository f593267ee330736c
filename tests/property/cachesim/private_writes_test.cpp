// Stores to private memory obey a write policy of their own: the fast caches, the miss classes and the sweep
// equal the naive cache on streams that mix private and global memory, for every pair of policies.
#include <gtest/gtest.h>

#include <random>

#include "cachesim/l1/core_seed.h"
#include "cachesim/sweep/sweep_engine.h"
#include "naive_counts.h"
#include "simulate.h"

namespace warpscope::test {
namespace {

struct PrivateShape {
  std::uint64_t size_kib;
  std::uint32_t line, sector, ways;
};
// The fast LRU of four ways, LRU with few ways, by hash (more than 16), with sectors of both kinds.
constexpr PrivateShape kPrivateShapes[] = {
    {4, 128, 0, 4}, {4, 128, 0, 2}, {8, 128, 0, 32}, {4, 128, 32, 4}, {8, 128, 32, 32}};
constexpr std::uint64_t kPrivateLine = std::uint64_t{1} << 17;  // private memory begins there

/// Half of the references are private; both kinds come back to old lines, whose sets they share. Global
/// memory ends where private memory begins.
std::vector<naive::Reference> mixed_stream(std::mt19937_64& random, std::uint64_t lines,
                                           std::uint64_t sectors, std::size_t length) {
  std::vector<naive::Reference> stream;
  while (stream.size() < length) {
    naive::Reference reference;
    reference.line = kPrivateLine + random() % lines;
    reference.is_private = random() % 2 == 0;
    if (!reference.is_private) reference.line -= lines;
    if (!stream.empty() && random() % 2 == 0)
      reference = stream[stream.size() - 1 - random() % std::min<std::size_t>(stream.size(), 40)];
    reference.sector = random() % sectors;
    reference.store = may_store(stream.size()) && random() % 3 == 0;
    reference.first = random() % 2 == 0;
    stream.push_back(reference);
  }
  return stream;
}

Transaction transaction_of(const naive::Reference& reference, std::uint64_t sectors) {
  const std::uint64_t unit = reference.line * sectors + reference.sector;
  return reference.is_private ? private_transaction(unit, reference.store, reference.first)
                              : transaction(unit, reference.store, false, reference.first);
}

struct PrivateCase {
  CacheConfig config;
  std::uint64_t sectors = 1;
  std::vector<std::vector<Transaction>> launches;
  naive::Counts expected;
};

PrivateCase private_case(const CacheConfig& config) {
  PrivateCase made{config, config.line_bytes / config.transaction_bytes(), {}, {}};
  std::mt19937_64 random(config.seed);
  naive::Cache naive({config.sets(), config.ways, config.replacement, config.write_policy, config.set_index,
                      seed_for(config.seed, 0), config.private_write_policy});
  for (std::size_t launch = 0; launch < 2; ++launch) {
    naive.start_launch(random_seed(config, launch));
    made.launches.emplace_back();
    for (const naive::Reference& r : mixed_stream(random, config.lines(), made.sectors, 2000)) {
      naive.access(r);
      made.launches.back().push_back(transaction_of(r, made.sectors));
    }
  }
  made.expected = naive.counts;
  return made;
}

/// Every pair of different write policies, shape and some replacement policies.
template <class Check>
void for_every_pair(const Check& check) {
  const std::uint64_t first_seed = std::random_device{}();
  std::uint64_t number = 0;
  for (const char* replacement : {"LRU", "FIFO", "tree-PLRU", "Rand", "SRRIP"})
    for (const WritePolicy& write : write_policies())
      for (const WritePolicy& own : write_policies())
        for (const PrivateShape& shape : kPrivateShapes) {
          const bool removes = write.store_hit_removes || own.store_hit_removes;
          if (&write == &own || (removes && shape.sector != 0)) continue;
          CacheConfig config{shape.size_kib, shape.line, shape.ways,           replacement,
                             write.name,     "linear",   first_seed + number++};
          config.sector_bytes = shape.sector;
          config.private_write_policy = own.name;
          SCOPED_TRACE(testing::Message()
                       << "seed " << config.seed << ": " << replacement << ", " << write.name << ", private "
                       << own.name << ", " << shape.ways << " ways, sector " << shape.sector);
          check(private_case(config));
          if (testing::Test::HasFatalFailure()) return;
        }
  EXPECT_GT(number, 400u);
}

TEST(PrivateWrites, EqualTheNaiveCacheForEveryPairOfWritePolicies) {
  for_every_pair([](const PrivateCase& one) {
    SimulationOptions options;
    options.cache = one.config;
    options.self_check = true;
    const std::uint64_t private_from = kPrivateLine * one.sectors;
    for (const std::uint64_t limit : {Transaction::kMaxLine + 1, std::uint64_t{1} << 21}) {
      options.classes = true;
      ASSERT_EQ(naive_counts(simulate(options, one.launches, limit, private_from)), one.expected);
      options.classes = false;
      ASSERT_EQ(naive_counts(simulate(options, one.launches, limit, private_from)),
                without_classes(one.expected));
    }
  });
}

void feed_sweep(SweepEngine& engine, const PrivateCase& one) {
  TransactionHeader header;
  header.transaction_bytes = one.config.transaction_bytes();
  header.line_limit = std::uint64_t{1} << 21;
  header.private_from = kPrivateLine * one.sectors;
  engine.begin(header);
  std::uint32_t number = 0;
  for (const auto& launch : one.launches) {
    engine.begin_launch(LaunchId(number++));
    engine.add_origins(kOrigins);
    engine.block({CoreId(0), {}, launch});
  }
  engine.end();
}

TEST(PrivateWrites, EqualTheNaiveCacheInASweep) {
  TaskPool pool(1);
  for_every_pair([&](const PrivateCase& one) {
    naive::Counts expected = one.expected;  // a sweep counts no sets, and no sectors that are written back
    expected.set_transactions.clear();
    expected.set_misses.clear();
    expected.write_back_sectors = 0;
    for (const bool classes : {false, true}) {
      SweepEngineOptions options;
      options.classes = classes;
      SweepEngine engine({one.config}, options, pool);
      feed_sweep(engine, one);
      ASSERT_EQ(naive_counts(engine.cells().front().counts), classes ? expected : without_classes(expected));
    }
  });
}

TEST(PrivateWrites, OnlyTheSameInASweepShareAList) {
  TaskPool pool(1);
  const CacheConfig same{4, 128, 4, "LRU", "WBWA", "linear", 1, 0, "WBWA"};
  CacheConfig other = same;
  other.write_policy = "WTNA";
  SweepEngine engine({same, other}, {}, pool);
  TransactionHeader header;
  engine.begin(header);
  EXPECT_EQ(engine.stacks(), 2u) << "without private memory both are lists";
  SweepEngine with_private({same, other}, {}, pool);
  header.private_from = 100;
  with_private.begin(header);
  EXPECT_EQ(with_private.stacks(), 1u);
  EXPECT_EQ(with_private.units(), 2u);
}

}  // namespace
}  // namespace warpscope::test
