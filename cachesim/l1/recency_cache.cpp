#include "cachesim/l1/recency_cache.h"

#include "cachesim/l1/policy_cache.h"
#include "traces/base/simd.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kDirty = 1u << 31;

}  // namespace

bool RecencyCache::fits(const L1CacheOptions& options) {
  return options.config.ways == 4 && options.config.sector_shift() == 0 && options.line_limit < kDirty;
}

RecencyCache::RecencyCache(const L1CacheOptions& options)
    : write_(options.config, options.private_from), rows_(options.config.sets()) {}

void RecencyCache::invalidate() {
  rows_.assign(rows_.size(), Row{});
}

void RecencyCache::process(const CacheBatch& batch) {
  const bool with_events = batch.events != nullptr;
  if (write_.mixed())
    with_events ? run<true, true, true>(batch) : run<false, true, true>(batch);
  else if (write_.global().writes_back)
    with_events ? run<true, true, false>(batch) : run<false, true, false>(batch);
  else
    with_events ? run<true, false, false>(batch) : run<false, false, false>(batch);
}

/// Mixed: private memory is there and has a policy of its own. Where it is not, nothing asks for it.
template <bool WithEvents, bool WritesBack, bool Mixed>
void RecencyCache::run(const CacheBatch& batch) {
  const bool global_allocates = write_.global().store_miss_allocates,
             global_removes = write_.global().store_hit_removes;
  PackedSetCounts* const set_counts = batch.set_counts;
  const simd::Vector tag_bits = simd::words_of(~kDirty);
  for (std::size_t i = 0; i < batch.transactions.size(); ++i) {
    const Transaction transaction = batch.transactions[i];
    if (transaction.bypasses()) {
      note_event<WithEvents>(batch, i, transaction, Event::Bypass, Victim::None);
      continue;
    }
    const std::uint32_t set = batch.sets[i];
    Row* const memory = &rows_[set];
    const simd::Vector row = simd::load_aligned(memory);
    simd::Vector newest = simd::first_word(static_cast<std::uint32_t>(transaction.line().value() + 1));
    const simd::Vector tag = simd::repeat_first(newest);
    const simd::Vector equal = simd::equal_words(WritesBack ? simd::both(row, tag_bits) : row, tag);
    const unsigned hit = simd::word_bits(equal);
    const bool store = transaction.is_store();
    const bool missed = hit == 0;
    bool allocates = global_allocates, removes = global_removes, dirties = true;
    if constexpr (Mixed) {
      const WritePolicy& write = write_.of(transaction.line().value());
      allocates = write.store_miss_allocates;
      removes = write.store_hit_removes;
      dirties = write.writes_back;
    }
    set_counts[set].add(missed);
    // The newest line again: nothing changes, and nothing is written, so that the next look-up of this set
    // need not wait.
    if ((hit & 1) != 0 && !store) {
      note_event<WithEvents>(batch, i, transaction, Event::Hit, Victim::None);
      continue;
    }
    if (store) {
      if (missed && !allocates) {
        note_event<WithEvents>(batch, i, transaction, Event::PassingMiss, Victim::None);
        continue;
      }
      if (removes) {
        simd::store_aligned(memory, simd::remove_word(row, equal));
        note_event<WithEvents>(batch, i, transaction, Event::RemovingHit, Victim::Clean);
        continue;
      }
    }
    if constexpr (WritesBack) {
      // The line keeps its dirty bit: gather it from whichever lane matched.
      const bool was_dirty = simd::word_bits(simd::both(row, equal)) != 0;
      newest = simd::either(newest, simd::first_word(was_dirty || (store && dirties) ? kDirty : 0));
    }
    simd::store_aligned(memory, simd::bring_to_front(row, equal, hit, newest));
    const std::uint32_t oldest = simd::last_word(row);
    const unsigned victim = unsigned{missed} & unsigned{oldest != 0};
    const unsigned dirty = WritesBack ? victim & (oldest >> 31) : 0;
    const unsigned event = missed ? unsigned{static_cast<unsigned>(Event::Miss)} : 0u;
    const auto packed = static_cast<std::uint8_t>(event | (victim + dirty) << 4);
    if constexpr (WithEvents)
      batch.events[i] = packed;
    else
      ++batch.counts[transaction.origin().value()][event_slot(packed, transaction.is_first())];
  }
}

}  // namespace warpscope
