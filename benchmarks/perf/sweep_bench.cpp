// Transactions per second of a sweep of 1,024 LRU caches: ways 1-128, 32 to 256 sets, two set indexes.
#include <benchmark/benchmark.h>

#include "cachesim/sweep/sweep_engine.h"
#include "traces/base/random.h"

namespace warpscope {
namespace {

constexpr std::size_t kTransactions = 1u << 21;

std::vector<CacheConfig> thousand_caches() {
  std::vector<CacheConfig> caches;
  for (const char* index : {"linear", "xor-fold"})
    for (const std::uint32_t sets : {32u, 64u, 128u, 256u})
      for (std::uint32_t ways = 1; ways <= 128; ++ways)
        caches.push_back({std::uint64_t{sets} * ways / 8, 128, ways, "LRU", "WTNA", index, 1});
  return caches;
}

/// Loads of lines drawn from `lines`; each thirty-second one is a store to the line loaded before.
void random_lines(benchmark::State& state) {
  SplitMix64 random(static_cast<std::uint64_t>(state.range(0)));
  std::vector<Transaction> stream;
  while (stream.size() < kTransactions) {
    const bool store = state.range(2) != 0 && stream.size() % 32 == 31;
    const LineAddr line =
        store ? stream.back().line() : LineAddr(random.below(static_cast<std::uint64_t>(state.range(0))));
    stream.emplace_back(line, OriginId(store ? 1 : 0), store ? AccessKind::Store : AccessKind::Load, false,
                        true);
  }
  const Origin origins[] = {{SiteId(0), BufferId(1), AccessKind::Load, Destination::L1},
                            {SiteId(1), BufferId(1), AccessKind::Store, Destination::L1}};
  TransactionHeader header;
  header.line_limit = std::uint64_t{1} << 24;
  for (auto _ : state) {
    TaskPool pool(static_cast<std::uint32_t>(state.range(1)));
    SweepEngine engine(thousand_caches(), {}, pool);
    engine.begin(header);
    engine.begin_launch(LaunchId(0));
    engine.add_origins(origins);
    engine.block({CoreId(0), {}, stream});
    engine.end();
    benchmark::DoNotOptimize(engine.cells().data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * stream.size()));
}
BENCHMARK(random_lines)
    ->ArgNames({"lines", "threads", "stores"})
    ->ArgsProduct({{200, 1 << 20}, {1, 2}, {0}})
    ->Args({200, 1, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpscope
