#include "cachesim/l1/recency_cache.h"

#include <array>
#include <optional>

#include "traces/base/simd.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kDirty = 1u << 31;

/// What is counted for a set; by the bit of the word that has the line.
constexpr auto kLookUp = [] {
  std::array<PackedSetCounts, 16> table{};
  for (unsigned hit = 0; hit < table.size(); ++hit) table[hit].add(hit == 0);
  return table;
}();

/// Events of references that use a line of the row or bring one in: by the bit of the word that has the line,
/// then whether the last word is empty, then whether it is dirty.
constexpr unsigned kLast = 1u << 3;
constexpr auto kEventOf = [] {
  std::array<std::uint8_t, 64> table{};
  for (unsigned found = 0; found < table.size(); ++found) {
    const bool empty = (found & kLast << 1) != 0, dirty = (found & kLast << 2) != 0;
    const Victim victim = empty ? Victim::None : dirty ? Victim::Dirty : Victim::Clean;
    table[found] = found % 16 != 0 ? pack(Event::Hit, Victim::None) : pack(Event::Miss, victim);
  }
  return table;
}();

/// The index into kEventOf.
template <bool WritesBack>
unsigned found_in(simd::Vector row, unsigned hit) {
  const unsigned found = hit | (simd::word_bits(simd::equal_words(row, simd::zero())) & kLast) << 1;
  return WritesBack ? found | (simd::word_bits(row) & kLast) << 2 : found;
}

/// A store that misses and does not allocate, or removes what it hits, makes no line the newest: its event.
std::optional<std::uint8_t> without_newest(const WritePolicy& policy, void* memory, simd::Vector row,
                                           simd::Vector equal, unsigned hit) {
  if (hit == 0 && !policy.store_miss_allocates) return pack(Event::PassingMiss, Victim::None);
  if (!policy.store_hit_removes) return std::nullopt;
  simd::store_aligned(memory, simd::remove_word(row, equal));
  return pack(Event::RemovingHit, Victim::Clean);
}

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
  batch.events != nullptr ? choose<true>(batch) : choose<false>(batch);
}

/// Most batches have loads only: they need no look at what a reference is, nor at what stores do.
template <bool WithEvents>
void RecencyCache::choose(const CacheBatch& batch) {
  const bool writes_back = write_.mixed() || write_.global().writes_back;
  if (batch.only_loads)
    writes_back ? run<WithEvents, true, Stores::None>(batch) : run<WithEvents, false, Stores::None>(batch);
  else if (write_.mixed())
    run<WithEvents, true, Stores::Mixed>(batch);
  else
    writes_back ? run<WithEvents, true, Stores::Alike>(batch) : run<WithEvents, false, Stores::Alike>(batch);
}

/// The loop reads nothing through members or `batch`: the compiler has to assume that its writes change them.
template <bool WithEvents, bool WritesBack, RecencyCache::Stores kStores>
void RecencyCache::run(const CacheBatch& batch) {
  const WriteRules write = write_;
  Row* const rows = rows_.data();
  const Transaction* const transactions = batch.transactions.data();
  const std::size_t references = batch.transactions.size();
  const std::uint32_t* const sets = batch.sets;
  PackedSetCounts* const set_counts = batch.set_counts;
  std::uint8_t* const events = batch.events;
  EventCounts* const counts = batch.counts;
  const auto note = [&](std::size_t i, Transaction transaction, std::uint8_t event) {
    if constexpr (WithEvents)
      events[i] = event;
    else
      count_event(counts, transaction, event);
  };
  const simd::Vector tag_bits = simd::words_of(~kDirty);
  for (std::size_t i = 0; i < references; ++i) {
    const Transaction transaction = transactions[i];
    if (kStores != Stores::None && transaction.bypasses()) {
      note(i, transaction, pack(Event::Bypass, Victim::None));
      continue;
    }
    Row* const memory = &rows[sets[i]];
    const simd::Vector row = simd::load_aligned(memory);
    simd::Vector newest = simd::first_word(static_cast<std::uint32_t>(transaction.line().value() + 1));
    const simd::Vector tag = simd::repeat_first(newest);
    const simd::Vector equal = simd::equal_words(WritesBack ? simd::both(row, tag_bits) : row, tag);
    const unsigned hit = simd::word_bits(equal);
    const bool store = kStores != Stores::None && transaction.is_store();
    set_counts[sets[i]].add(kLookUp[hit]);
    // The newest line again: nothing changes, and nothing is written, so that the next look-up of this set
    // need not wait.
    if ((hit & 1) != 0 && !store) {
      note(i, transaction, pack(Event::Hit, Victim::None));
      continue;
    }
    bool dirties = false;
    if (store) {
      const WritePolicy& policy =
          kStores == Stores::Mixed ? write.of(transaction.line().value()) : write.global();
      if (const auto event = without_newest(policy, memory, row, equal, hit)) {
        note(i, transaction, *event);
        continue;
      }
      dirties = policy.writes_back;
    }
    if constexpr (WritesBack) {
      // The line keeps its dirty bit: gather it from whichever lane matched.
      const bool was_dirty = simd::word_bits(simd::both(row, equal)) != 0;
      newest = simd::either(newest, simd::first_word(was_dirty || dirties ? kDirty : 0));
    }
    simd::store_aligned(memory, simd::bring_to_front(row, equal, hit, newest));
    note(i, transaction, kEventOf[found_in<WritesBack>(row, hit)]);
  }
}

}  // namespace warpscope
