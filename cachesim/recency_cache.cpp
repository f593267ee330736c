#include "cachesim/recency_cache.h"

#include <emmintrin.h>

#include "cachesim/policy_cache.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kDirty = 1u << 31;

/// Lanes above (older than) the lane that is set in `equal`, which has at most one lane set.
inline __m128i older_than(__m128i equal) {
  __m128i above = _mm_slli_si128(equal, 4);
  above = _mm_or_si128(above, _mm_slli_si128(above, 4));
  return _mm_or_si128(above, _mm_slli_si128(above, 8));
}

inline __m128i select(__m128i mask, __m128i yes, __m128i no) {
  return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

/// The row without the line in lane `equal`: what is older moves up, the last lane becomes empty.
inline __m128i without(__m128i row, __m128i equal) {
  const __m128i from_here = _mm_or_si128(older_than(equal), equal);
  return select(from_here, _mm_srli_si128(row, 4), row);
}

}  // namespace

bool RecencyCache::fits(const L1CacheOptions& options) {
  return options.config.ways == 4 && options.config.sector_shift() == 0 && options.line_limit < kDirty;
}

RecencyCache::RecencyCache(const L1CacheOptions& options)
    : write_(warpscope::write_policy(options.config.write_policy)), rows_(options.config.sets()) {}

void RecencyCache::invalidate() {
  rows_.assign(rows_.size(), Row{});
}

void RecencyCache::process(const CacheBatch& batch) {
  if (batch.events != nullptr)
    write_.writes_back ? run<true, true>(batch) : run<true, false>(batch);
  else
    write_.writes_back ? run<false, true>(batch) : run<false, false>(batch);
}

template <bool WithEvents, bool WritesBack>
void RecencyCache::run(const CacheBatch& batch) {
  const bool store_allocates = write_.store_miss_allocates, store_removes = write_.store_hit_removes;
  PackedSetCounts* const set_counts = batch.set_counts;
  const __m128i tag_bits = _mm_set1_epi32(static_cast<int>(~kDirty));
  for (std::size_t i = 0; i < batch.transactions.size(); ++i) {
    const Transaction transaction = batch.transactions[i];
    if (transaction.bypasses()) {
      note_event<WithEvents>(batch, i, transaction, Event::Bypass, Victim::None);
      continue;
    }
    const std::uint32_t set = batch.sets[i];
    auto* memory = reinterpret_cast<__m128i*>(&rows_[set]);
    const __m128i row = _mm_load_si128(memory);
    const __m128i tag = _mm_set1_epi32(static_cast<int>(transaction.line().value() + 1));
    const __m128i equal = _mm_cmpeq_epi32(WritesBack ? _mm_and_si128(row, tag_bits) : row, tag);
    const bool hit = _mm_movemask_epi8(equal) != 0;
    const bool store = transaction.is_store();
    const bool missed = !hit;
    set_counts[set].add(missed);
    if (store) {
      if (missed && !store_allocates) {
        note_event<WithEvents>(batch, i, transaction, Event::PassingMiss, Victim::None);
        continue;
      }
      if (store_removes) {
        _mm_store_si128(memory, without(row, equal));
        note_event<WithEvents>(batch, i, transaction, Event::RemovingHit, Victim::Clean);
        continue;
      }
    }
    __m128i newest = tag;
    if constexpr (WritesBack) {
      // The line keeps its dirty bit: gather it from whichever lane matched.
      const bool was_dirty = (_mm_movemask_ps(_mm_castsi128_ps(_mm_and_si128(row, equal)))) != 0;
      newest = _mm_or_si128(tag, _mm_set1_epi32(was_dirty || store ? static_cast<int>(kDirty) : 0));
    }
    const __m128i keep = older_than(equal);
    const __m128i shifted = _mm_or_si128(_mm_slli_si128(row, 4), _mm_srli_si128(newest, 12));
    _mm_store_si128(memory, select(keep, row, shifted));
    const auto oldest = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_shuffle_epi32(row, 0xff)));
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
