// Transactions per second of the L1 simulator and of exact reuse distances, on streams built in memory.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "cachesim/classes/reuse_distance.h"
#include "cachesim/simulate/l1_simulator.h"
#include "traces/base/random.h"

namespace warpscope {
namespace {

constexpr std::size_t kTransactions = 1u << 22;

using Stream = std::vector<Transaction>;

Transaction load(std::uint64_t line, std::uint16_t origin) {
  return {LineAddr(line), OriginId(origin), AccessKind::Load, false, true};
}

/// One core's share of a naive multiplication of width 512 in 16×16 groups on a GTX 480: six resident groups,
/// warp by warp, a warp covers two rows: two lines of A, one of B.
Stream multiplication() {
  constexpr std::uint64_t kWidth = 512, kLinesPerRow = kWidth * 4 / 128, kB = kWidth * kLinesPerRow;
  Stream stream;
  stream.reserve(kTransactions);
  for (std::uint64_t first_group = 0; stream.size() < kTransactions; first_group += 6 * 15) {
    for (std::uint64_t k = 0; k < kWidth; ++k) {
      for (std::uint64_t warp = 0; warp < 8; ++warp) {
        for (std::uint64_t resident = 0; resident < 6; ++resident) {
          const std::uint64_t group = (first_group + resident * 15) % 1024;
          const std::uint64_t row = group / 32 * 16 + warp * 2, column = group % 32 * 16;
          for (std::uint64_t y = row; y < row + 2; ++y)
            stream.emplace_back(LineAddr(y * kLinesPerRow + k / 32), OriginId(0), AccessKind::Load, false,
                                y == row);
          stream.push_back(load(kB + k * kLinesPerRow + column / 32, 1));
        }
      }
    }
  }
  stream.resize(kTransactions);
  return stream;
}

Stream uniform(std::uint64_t lines) {
  SplitMix64 random(lines);
  Stream stream(kTransactions);
  for (Transaction& transaction : stream) transaction = load(random.below(lines), 0);
  return stream;
}

void simulate(benchmark::State& state, const Stream& stream, bool classes) {
  SimulationOptions options;
  options.classes = classes;
  const Origin origins[] = {{SiteId(0), BufferId(1), AccessKind::Load, Destination::L1},
                            {SiteId(1), BufferId(2), AccessKind::Load, Destination::L1}};
  // Each request counts as one of a single lane: the L1 sees transactions, but every request has lanes.
  OriginTally tallies[] = {{OriginId(0)}, {OriginId(1)}};
  for (const Transaction transaction : stream)
    if (transaction.is_first()) ++tallies[transaction.origin().value()].access.lanes;
  TransactionHeader header;
  header.line_limit = 1u << 24;
  for (auto _ : state) {
    L1Simulator simulator(options);
    simulator.begin(header);
    simulator.begin_launch(LaunchId(0));
    simulator.add_origins(origins);
    simulator.block({CoreId(0), tallies, stream});
    simulator.end();
    benchmark::DoNotOptimize(simulator.result().total());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * stream.size()));
}

void matrix(benchmark::State& state) {
  simulate(state, multiplication(), state.range(0) != 0);
}
BENCHMARK(matrix)->ArgName("classes")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void random_lines(benchmark::State& state) {
  simulate(state, uniform(static_cast<std::uint64_t>(state.range(0))), state.range(1) != 0);
}
BENCHMARK(random_lines)
    ->ArgNames({"lines", "classes"})
    ->ArgsProduct({{200, 1 << 20}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

/// Every line once, a pass to let the tables find their size, then touches drawn from all lines: those count.
void reuse_distance(benchmark::State& state) {
  const auto lines = static_cast<std::uint64_t>(state.range(0));
  constexpr std::size_t kBatch = 1024;
  ReuseDistance reuse;
  for (std::uint64_t line = 0; line < lines; ++line) reuse.touch(LineAddr(line));
  std::vector<LineAddr> stream;
  for (const Transaction transaction : uniform(lines)) stream.push_back(transaction.line());
  for (const LineAddr line : stream) reuse.touch(line);
  std::vector<std::uint64_t> distances(kBatch);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < stream.size(); i += kBatch) {
      reuse.touch(std::span(stream).subspan(i, kBatch), distances);
      for (const std::uint64_t distance : distances) sum += distance;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * stream.size()));
}
BENCHMARK(reuse_distance)
    ->ArgName("lines")
    ->RangeMultiplier(1 << 6)
    ->Range(1 << 12, 1 << 24)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpscope
