#include "cachesim/counters/counts.h"

namespace warpscope {
namespace {

void add_outcome(KindCounts& kind, MissClasses& classes, std::uint64_t& unclassified, Event event,
                 std::uint64_t count) {
  switch (event) {
    case Event::AntiConflictHit:
      classes.anti_conflict += count;
      [[fallthrough]];
    case Event::Hit:
    case Event::RemovingHit:
      kind.hits += count;
      break;
    case Event::Cold:
      classes.cold += count;
      kind.misses += count;
      break;
    case Event::Invalidated:
      classes.invalidated += count;
      kind.misses += count;
      break;
    case Event::Capacity:
      classes.capacity += count;
      kind.misses += count;
      break;
    case Event::Conflict:
      classes.conflict += count;
      kind.misses += count;
      break;
    case Event::Miss:
      unclassified += count;
      kind.misses += count;
      break;
    case Event::PassingMiss:
      kind.misses += count;
      break;
    case Event::Bypass:
      kind.bypasses += count;
      break;
    case Event::HitPending:
      kind.hits_pending += count;
      break;
    case Event::SectorMiss:
      unclassified += count;
      kind.sector_misses += count;
      break;
    case Event::SectorCold:
      classes.cold += count;
      kind.sector_misses += count;
      break;
    case Event::SectorCapacity:
      classes.capacity += count;
      kind.sector_misses += count;
      break;
    case Event::SectorConflict:
      classes.conflict += count;
      kind.sector_misses += count;
      break;
    case Event::PassingSectorMiss:
      kind.sector_misses += count;
      break;
  }
}

}  // namespace

OriginTally& OriginTally::operator+=(const OriginTally& other) {
  each_tally_counter(kAddCounter, *this, other);
  return *this;
}

KindCounts& KindCounts::operator+=(const KindCounts& other) {
  each_kind_counter(kAddCounter, *this, other);
  return *this;
}

void Counts::add_events(AccessKind which, const EventCounts& events) {
  KindCounts& counts = of(which);
  for (std::size_t slot = 0; slot < events.size(); ++slot) {
    const std::uint64_t count = events[slot];
    if (count == 0) continue;
    const auto packed = static_cast<std::uint8_t>(slot & ~std::size_t{kFirstSlot});
    const Victim victim = victim_of(packed);
    counts.transactions += count;
    if ((slot & kFirstSlot) != 0) counts.requests += count;
    if (victim != Victim::None) evictions += count;
    if (victim == Victim::Dirty) write_backs += count;
    add_outcome(counts, classes, unclassified, event_of(packed), count);
  }
}

void Counts::add_tally(const Origin& origin, const OriginTally& tally) {
  if (makes_transactions(origin.destination)) {
    static_cast<AccessCounts&>(of(origin.kind)) += tally.access;
    of(origin.kind).stages += tally.stages;
    return;
  }
  const auto place =
      static_cast<std::size_t>(origin.destination) - static_cast<std::size_t>(Destination::Local);
  OutsideCounts& counts = outside[place][static_cast<std::size_t>(origin.kind)];
  counts.requests += tally.outside_requests;
  counts.lanes += tally.access.lanes;
  counts.wavefronts += tally.outside_wavefronts;
  counts.conflicts += tally.outside_conflicts;
}

Counts counts_of(const Origin& origin, const EventCounts& events, const OriginTally& tally, bool in_private,
                 const CoalescingRule* rule, std::uint32_t bytes) {
  Counts counts;
  counts.add_events(origin.kind, events);
  counts.add_tally(origin, tally);
  if (in_private && origin.kind != AccessKind::Atomic) counts.set_private(origin.kind);
  KindCounts& kind = counts.of(origin.kind);
  if (rule != nullptr && origin.destination == Destination::L1)
    add_from_transactions(*rule, kind.transactions, bytes, kind.stages);
  return counts;
}

Counts& Counts::operator+=(const Counts& other) {
  each_number(kAddCounter, *this, other);
  for (const auto& [degree, passes] : other.degrees) degrees[degree] += passes;
  return *this;
}

}  // namespace warpscope
