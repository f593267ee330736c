#pragma once
// Random streams for sweeps, and what a cell of one is compared with.
#include <random>
#include <vector>

#include "cachesim/sweep/sweep_engine.h"
#include "simulate.h"

namespace warpscope::test {

struct Block {
  std::uint32_t core;
  std::vector<Transaction> transactions;
};
using Launch = std::vector<Block>;

/// `infos`: the launches as the header lists them; empty: numbered from 0.
inline void feed(TransactionSink& sink, const std::vector<Launch>& launches, std::uint32_t line_bytes,
                 std::uint64_t line_limit, const std::vector<LaunchInfo>& infos = {}) {
  TransactionHeader header;
  for (std::uint32_t i = 0; i < launches.size(); ++i) {
    LaunchInfo info;
    info.id = LaunchId(i);
    header.stream.launches.push_back(infos.empty() ? info : infos[i]);
  }
  header.transaction_bytes = line_bytes;
  header.line_limit = line_limit;
  sink.begin(header);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    sink.begin_launch(header.stream.launches[i].id);
    sink.add_origins(kOrigins);
    for (const Block& block : launches[i]) {
      std::vector<OriginTally> tallies;
      for (std::uint16_t origin = 0; origin < std::size(kOrigins); ++origin)
        tallies.push_back({OriginId(origin), {}, 0});
      for (const Transaction t : block.transactions) ++tallies[t.origin().value()].access.lanes;
      sink.block({CoreId(block.core), tallies, block.transactions});
    }
  }
  sink.end();
}

/// Blocks of several cores: random lines of small and large ranges, lines that meet in one set, short walks,
/// repetitions. Stores often come to a line that was loaded some references ago, where they disturb the order
/// of uses; some blocks have none. A request may have several transactions.
inline std::vector<Launch> random_launches(std::mt19937_64& random, std::uint64_t lines, std::size_t length,
                                           std::uint64_t scale = 1) {
  std::vector<Launch> launches(3);
  for (Launch& launch : launches) {
    const std::uint64_t stores = 2 + random() % 6;  // one of that many
    std::vector<std::uint64_t> seen;
    for (std::size_t made = 0; made < length;) {
      Block block{static_cast<std::uint32_t>(random() % 3), {}};
      const std::size_t size = random() % (length / 4 + 1);
      const bool has_stores = random() % 3 != 0;
      for (std::size_t i = 0; i < size; ++i, ++made) {
        std::uint64_t line = seen.empty() ? 0 : seen.back();
        switch (random() % 5) {
          case 0:
            line = random() % (2 * lines);
            break;
          case 1:
            line = random() % 24 * 64;
            break;
          case 2:
            line += 1 + random() % 3;
            break;
          default:
            if (!seen.empty())
              line = seen[seen.size() - 1 - random() % std::min<std::size_t>(seen.size(), 40)];
        }
        seen.push_back(line);
        const bool store = has_stores && random() % stores == 0, bypass = random() % 32 == 0;
        const Transaction* before = block.transactions.empty() ? nullptr : &block.transactions.back();
        const bool may_go_on =
            before != nullptr && before->is_store() == store && !before->bypasses() && !bypass;
        block.transactions.push_back(
            transaction(line * scale, store, bypass, !may_go_on || random() % 3 == 0));
      }
      launch.push_back(std::move(block));
    }
  }
  return launches;
}

/// A cell and the traffic, as the single simulation counts them without classes.
inline Counts counts_of(const SweepCell& cell, const Counts& traffic) {
  Counts counts = traffic;
  counts.evictions = cell.counts.evictions;
  counts.write_backs = cell.counts.write_backs;
  for (std::size_t kind = 0; kind < counts.kind.size(); ++kind) {
    counts.kind[kind].hits = cell.counts.kind[kind].hits;
    counts.kind[kind].misses = cell.counts.kind[kind].misses;
    counts.kind[kind].sector_misses = cell.counts.kind[kind].sector_misses;
  }
  return counts;
}

}  // namespace warpscope::test
