#pragma once
// What became of a transaction, as finely as any statistic needs it, and the table that counts it.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cachesim/transactions/transaction.h"

namespace warpscope {

/// Finer than the outcomes of a report: those are sums of these.
enum class Event : std::uint8_t {
  Hit,
  AntiConflictHit,  ///< would allocate; hit here, the shadow cache missed
  RemovingHit,      ///< a store hit that removes the line
  Miss,             ///< would allocate; classes not asked for
  Cold,
  Invalidated,
  Capacity,
  Conflict,
  PassingMiss,  ///< store miss that does not allocate
  Bypass,
  HitPending,
  SectorMiss,  ///< a Miss whose line is present; only if classes are not asked for
  SectorCold,
  SectorCapacity,
  SectorConflict,
  PassingSectorMiss,  ///< a PassingMiss whose line is present
};
constexpr std::uint32_t kEvents = 16;
static_assert(static_cast<std::uint32_t>(Event::PassingSectorMiss) < kEvents);

/// What had to leave for the line that came in (or was removed by a store).
enum class Victim : std::uint8_t { None, Clean, Dirty };

/// An event and its victim in one byte. Bit 3 is free for what counts them.
constexpr std::uint8_t pack(Event event, Victim victim) {
  const auto number = static_cast<unsigned>(event);
  return static_cast<std::uint8_t>((number & 7) | (number & 8) << 1 | static_cast<unsigned>(victim) << 5);
}
constexpr Event event_of(std::uint8_t packed) {
  return static_cast<Event>((packed & 7) | (packed >> 1 & 8));
}
constexpr Victim victim_of(std::uint8_t packed) {
  return static_cast<Victim>(packed >> 5);
}
constexpr std::size_t kPackedEvents = 128;  ///< pack() gives less than this

/// Counts of one origin, by event, victim, and whether the transaction is its request's first: an increment
/// per transaction gives every statistic. Requests are what has the first bit set.
using EventCounts = std::array<std::uint64_t, kPackedEvents>;
constexpr std::uint8_t kFirstSlot = 8;  ///< the bit that pack() leaves free
/// Counts an event in the row of the transaction's origin; `rows` is indexed by origin.
inline void count_event(EventCounts* rows, Transaction transaction, std::uint8_t packed) {
  // The rows as one array: both parts of the index are in the transaction, so far apart as they are here.
  static_assert(Transaction::kOriginStep * kFirstSlot == kPackedEvents);
  ++rows->data()[transaction.origin_and_first() * kFirstSlot + packed];
}

}  // namespace warpscope
