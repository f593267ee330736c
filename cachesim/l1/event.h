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
  SectorMiss,  ///< as Miss, but the line is there; classes not asked for
  SectorCold,
  SectorCapacity,
  SectorConflict,
  PassingSectorMiss,  ///< as PassingMiss, but the line is there
};
constexpr std::uint32_t kEvents = 16;
static_assert(static_cast<std::uint32_t>(Event::PassingSectorMiss) < kEvents);

/// What had to leave for the line that came in (or was removed by a store).
enum class Victim : std::uint8_t { None, Clean, Dirty };

/// An event and its victim in one byte.
constexpr std::uint8_t pack(Event event, Victim victim) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(event) | static_cast<unsigned>(victim) << 4);
}

constexpr Event event_of(std::uint8_t packed) {
  return static_cast<Event>(packed % kEvents);
}

/// Counts of one origin: by (event, victim, first transaction of its request). One increment per transaction
/// gives every statistic: requests are what has the first bit set.
using EventCounts = std::array<std::uint64_t, 128>;
constexpr std::size_t event_slot(std::uint8_t packed, bool first) {
  return std::size_t{packed} << 1 | std::size_t{first};
}

}  // namespace warpscope
