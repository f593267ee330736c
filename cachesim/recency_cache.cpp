#include "cachesim/recency_cache.h"

#ifdef __SSSE3__
#include <tmmintrin.h>
#else
#include <emmintrin.h>
#endif

#include <array>
#include <bit>

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

#ifdef __SSSE3__
/// Bytes of a row in which lane 0 is empty and what was before the hit lane is one lane further; by the bit
/// of the hit lane, 0 = a miss: the last lane goes.
constexpr auto kMoveUp = [] {
  std::array<std::array<std::uint8_t, 16>, 16> table{};
  for (unsigned hit = 0; hit < 16; ++hit) {
    const unsigned lane = hit == 0 ? 3 : static_cast<unsigned>(std::countr_zero(hit));
    for (unsigned byte = 0; byte < 16; ++byte) {
      constexpr std::uint8_t kZero = 0x80;
      const auto from = static_cast<std::uint8_t>(byte / 4 <= lane ? byte - 4 : byte);
      table[hit][byte] = byte < 4 ? kZero : from;
    }
  }
  return table;
}();
#endif

/// The row when `newest` (lane 0, the others 0) was referenced: `equal` is where it was, and `hit` the same
/// by the lane's bit.
inline __m128i renewed(__m128i row, [[maybe_unused]] __m128i equal, [[maybe_unused]] unsigned hit,
                       __m128i newest) {
#ifdef __SSSE3__
  const auto* move = reinterpret_cast<const __m128i*>(kMoveUp[hit].data());
  return _mm_or_si128(_mm_shuffle_epi8(row, _mm_loadu_si128(move)), newest);
#else
  return select(older_than(equal), row, _mm_or_si128(_mm_slli_si128(row, 4), newest));
#endif
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
    __m128i newest = _mm_cvtsi32_si128(static_cast<int>(transaction.line().value() + 1));
    const __m128i tag = _mm_shuffle_epi32(newest, 0);
    const __m128i equal = _mm_cmpeq_epi32(WritesBack ? _mm_and_si128(row, tag_bits) : row, tag);
    const auto hit = static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(equal)));
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
        _mm_store_si128(memory, without(row, equal));
        note_event<WithEvents>(batch, i, transaction, Event::RemovingHit, Victim::Clean);
        continue;
      }
    }
    if constexpr (WritesBack) {
      // The line keeps its dirty bit: gather it from whichever lane matched.
      const bool was_dirty = (_mm_movemask_ps(_mm_castsi128_ps(_mm_and_si128(row, equal)))) != 0;
      newest = _mm_or_si128(
          newest, _mm_cvtsi32_si128(was_dirty || (store && dirties) ? static_cast<int>(kDirty) : 0));
    }
    _mm_store_si128(memory, renewed(row, equal, hit, newest));
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
