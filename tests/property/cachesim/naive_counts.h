#pragma once
// The counters of a simulation in the form in which the naive cache counts.
#include "cachesim/simulate/l1_simulator.h"
#include "naive_cache.h"

namespace warpscope::test {

/// Without what happened in each set.
inline naive::Counts naive_counts(const Counts& total) {
  const KindCounts &load = total.of(AccessKind::Load), &store = total.of(AccessKind::Store);
  naive::Counts counts;
  counts.load_hits = load.hits;
  counts.load_misses = load.misses;
  counts.load_sector_misses = load.sector_misses;
  counts.store_hits = store.hits;
  counts.store_misses = store.misses;
  counts.store_sector_misses = store.sector_misses;
  counts.bypasses = load.bypasses + store.bypasses;
  counts.cold = total.classes.cold;
  counts.invalidated = total.classes.invalidated;
  counts.capacity = total.classes.capacity;
  counts.conflict = total.classes.conflict;
  counts.anti_conflict = total.classes.anti_conflict;
  counts.write_backs = total.write_backs;
  counts.write_back_sectors = total.write_back_sectors;
  counts.evictions = total.evictions;
  return counts;
}

inline naive::Counts naive_counts(const SimulationResult& result) {
  naive::Counts counts = naive_counts(result.total());
  for (const SetCounts& set : result.sets) {
    counts.set_transactions.push_back(set.transactions);
    counts.set_misses.push_back(set.misses);
  }
  return counts;
}

/// What the naive cache counts, without its classes of misses.
inline naive::Counts without_classes(naive::Counts counts) {
  counts.cold = counts.invalidated = counts.capacity = counts.conflict = counts.anti_conflict = 0;
  return counts;
}

}  // namespace warpscope::test
