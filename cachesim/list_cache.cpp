#include "cachesim/list_cache.h"

#include "cachesim/policy_cache.h"

namespace warpscope {

ListCache::ListCache(const L1CacheOptions& options)
    : sector_shift_(options.config.sector_shift()),
      write_(warpscope::write_policy(options.config.write_policy)),
      lists_(options.config.sets(), options.config.ways) {}

void ListCache::process(const CacheBatch& batch) {
  if (batch.events != nullptr)
    run<true>(batch);
  else
    run<false>(batch);
}

Victim ListCache::fill(std::uint64_t* victim_line, std::uint32_t set, std::uint64_t line, std::uint8_t sector,
                       bool dirty) {
  const LruLists::Node place = lists_.oldest(set);
  Victim victim = Victim::None;
  if (!lists_.is_empty(place)) {
    victim = lists_.dirty(place) != 0 ? Victim::Dirty : Victim::Clean;
    if (victim_line != nullptr) *victim_line = lists_.line(place);
  }
  lists_.replace(set, place, line, sector, dirty);
  return victim;
}

template <bool WithEvents>
void ListCache::run(const CacheBatch& batch) {
  const bool store_allocates = write_.store_miss_allocates, store_removes = write_.store_hit_removes;
  for (std::size_t i = 0; i < batch.transactions.size(); ++i) {
    const Transaction transaction = batch.transactions[i];
    if (transaction.bypasses()) {
      note_event<WithEvents>(batch, i, transaction, Event::Bypass, Victim::None);
      continue;
    }
    const std::uint32_t set = batch.sets[i];
    const std::uint64_t line = transaction.line().value() >> sector_shift_;
    const std::uint8_t sector = sector_bit(transaction.line().value(), sector_shift_);
    const bool store = transaction.is_store(), passes = store && !store_allocates;
    const LruLists::Node node = lists_.find(line);
    const bool there = node != LruLists::kNone, hit = there && (lists_.sectors(node) & sector) != 0;
    batch.set_counts[set].add(!hit);
    if (!hit && passes) {
      note_event<WithEvents>(batch, i, transaction, there ? Event::PassingSectorMiss : Event::PassingMiss,
                             Victim::None);
    } else if (!there) {
      const Victim victim = fill(batch.victims != nullptr ? batch.victims + i : nullptr, set, line, sector,
                                 store && write_.writes_back);
      note_event<WithEvents>(batch, i, transaction, Event::Miss, victim);
    } else if (store && store_removes) {
      lists_.remove(set, node);
      note_event<WithEvents>(batch, i, transaction, Event::RemovingHit, Victim::Clean);
    } else {
      lists_.touch(set, node);
      lists_.sectors(node) |= sector;
      lists_.dirty(node) |= std::uint8_t{store && write_.writes_back};
      note_event<WithEvents>(batch, i, transaction, hit ? Event::Hit : Event::SectorMiss, Victim::None);
    }
  }
}

}  // namespace warpscope
