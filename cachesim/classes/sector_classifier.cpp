#include "cachesim/classes/sector_classifier.h"

namespace warpscope {
namespace {

/// Class of a miss, as an event; `whole` = the line is not there either.
Event class_of(bool whole, bool seen, bool shadow_hit) {
  if (!seen) return whole ? Event::Cold : Event::SectorCold;
  if (!shadow_hit) return whole ? Event::Capacity : Event::SectorCapacity;
  return whole ? Event::Conflict : Event::SectorConflict;
}

}  // namespace

SectorClassifier::SectorClassifier(const CacheConfig& config, const WriteRules& write)
    : sector_shift_(config.sector_shift()),
      write_(write),
      hits_line_(write.any_hits_line()),
      shadow_(config.lines()) {}

void SectorClassifier::reset() {
  lines_.clear();
  shadow_.clear();
}

/// What the shadow does with a reference; whether it hits.
inline bool SectorClassifier::look_up(ShadowTimes::Clock& shadow, Line& line, std::uint8_t sector,
                                      bool allocates) {
  if (!shadow.holds(line.last)) {
    if (allocates) {
      line.last = shadow.insert();
      line.present = sector;
    }
    return false;
  }
  const bool hit = (line.present & sector) != 0;
  if (hit || allocates) {
    line.present |= sector;
    line.last = shadow.touch(line.last);
  }
  return hit;
}

/// The same of a store that hits by line; it allocates.
bool SectorClassifier::look_up_by_line(ShadowTimes::Clock& shadow, Line& line, std::uint64_t number,
                                       std::uint8_t sector) {
  const bool there = shadow.holds(line.last);
  return look_up(shadow, line, sector, true) || absent_.hits(number, there);
}

void SectorClassifier::process(const CacheBatch& batch) {
  const std::size_t references = batch.transactions.size();
  const int sector_shift = sector_shift_;
  const WriteRules write = write_;
  const bool hits_line = hits_line_;
  if (places_.size() < references) places_.resize(references);
  lines_.find(batch.transactions, places_.data(), [sector_shift](Transaction transaction) {
    return LineAddr(transaction.line().value() >> sector_shift);
  });
  shadow_.make_room(references, lines_.all(), kOutside, [](Line& line) -> Time& { return line.last; });
  Line* const lines = lines_.all().data();
  const std::uint32_t* const places = places_.data();
  ShadowTimes::Clock shadow = shadow_.clock();
  for (std::size_t i = 0; i < references; ++i) {
    const Transaction transaction = batch.transactions[i];
    const std::uint8_t packed = batch.events[i];
    Event event = event_of(packed);
    if (hits_line && transaction.is_first()) absent_.begin_request();
    if (!transaction.bypasses()) {
      const std::uint64_t unit = transaction.line().value();
      const std::uint8_t sector = sector_bit(unit, sector_shift);
      const bool allocates = !transaction.is_store() || write.of(unit).store_miss_allocates;
      const bool by_line = hits_line && transaction.is_store() && write.of(unit).store_hits_line;
      Line& line = lines[places[i]];
      const bool shadow_hit = by_line ? look_up_by_line(shadow, line, unit >> sector_shift, sector)
                                      : look_up(shadow, line, sector, allocates);
      if (allocates) {
        const bool seen = (line.seen & sector) != 0;
        if (event == Event::Miss || event == Event::SectorMiss)
          event = class_of(event == Event::Miss, seen, shadow_hit);
        else if (event == Event::Hit && !shadow_hit)
          event = Event::AntiConflictHit;
        line.seen |= sector;
      }
    }
    count_event(batch.counts, transaction, pack(event, victim_of(packed)));
  }
  shadow_.set(shadow);
}

}  // namespace warpscope
