#include "cachesim/l1/list_cache.h"

#include "cachesim/l1/policy_cache.h"

namespace warpscope {

ListCache::ListCache(const L1CacheOptions& options)
    : sector_shift_(options.config.sector_shift()),
      write_(options.config, options.private_from),
      hits_line_(write_.any_hits_line()),
      lists_(options.config.sets(), options.config.ways) {}

void ListCache::process(const CacheBatch& batch) {
  if (write_.mixed())
    batch.events != nullptr ? run<true, true>(batch) : run<false, true>(batch);
  else
    batch.events != nullptr ? run<true, false>(batch) : run<false, false>(batch);
}

Victim ListCache::fill(const CacheBatch& batch, std::size_t i, std::uint64_t line, std::uint8_t sector,
                       bool dirty) {
  const std::uint32_t set = batch.sets[i];
  const LruLists::Node place = lists_.oldest(set);
  Victim victim = Victim::None;
  if (!lists_.is_empty(place)) {
    victim = lists_.dirty(place) != 0 ? Victim::Dirty : Victim::Clean;
    if (victim == Victim::Dirty) note_sectors_back(batch, i, lists_.dirty(place));
    if (batch.victims != nullptr) batch.victims[i] = lists_.line(place);
  }
  lists_.replace(set, place, line, sector, dirty ? sector : std::uint8_t{0});
  return victim;
}

template <bool WithEvents, bool Mixed>
void ListCache::run(const CacheBatch& batch) {
  const WritePolicy global = write_.global();
  for (std::size_t i = 0; i < batch.transactions.size(); ++i) {
    const Transaction transaction = batch.transactions[i];
    if (hits_line_ && transaction.is_first()) absent_.begin_request();
    if (transaction.bypasses()) {
      note_event<WithEvents>(batch, i, transaction, Event::Bypass, Victim::None);
      continue;
    }
    const std::uint32_t set = batch.sets[i];
    const std::uint64_t line = transaction.line().value() >> sector_shift_;
    const std::uint8_t sector = sector_bit(transaction.line().value(), sector_shift_);
    const WritePolicy& write = Mixed ? write_.of(transaction.line().value()) : global;
    const bool store = transaction.is_store(), passes = store && !write.store_miss_allocates;
    const LruLists::Node node = lists_.find(line);
    const bool there = node != LruLists::kNone;
    bool hit = there && (lists_.sectors(node) & sector) != 0;
    if (store && write.store_hits_line && !hit) hit = absent_.hits(line, there);
    batch.set_counts[set].add(!hit);
    if (!hit && passes) {
      note_event<WithEvents>(batch, i, transaction, there ? Event::PassingSectorMiss : Event::PassingMiss,
                             Victim::None);
    } else if (!there) {
      const Victim victim = fill(batch, i, line, sector, store && write.writes_back);
      note_event<WithEvents>(batch, i, transaction, Event::Miss, victim);
    } else if (store && write.store_hit_removes) {
      lists_.remove(set, node);
      note_event<WithEvents>(batch, i, transaction, Event::RemovingHit, Victim::Clean);
    } else {
      lists_.touch(set, node);
      lists_.sectors(node) |= sector;
      if (store && write.writes_back) lists_.dirty(node) |= sector;
      note_event<WithEvents>(batch, i, transaction, hit ? Event::Hit : Event::SectorMiss, Victim::None);
    }
  }
}

}  // namespace warpscope
