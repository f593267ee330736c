#include "cachesim/sector_classifier.h"

namespace warpscope {
namespace {

/// Class of a miss, as an event; `whole` = the line is not there either.
Event class_of(bool whole, bool seen, bool shadow_hit) {
  if (!seen) return whole ? Event::Cold : Event::SectorCold;
  if (!shadow_hit) return whole ? Event::Capacity : Event::SectorCapacity;
  return whole ? Event::Conflict : Event::SectorConflict;
}

}  // namespace

SectorClassifier::SectorClassifier(const CacheConfig& config, const WritePolicy& write)
    : sector_shift_(config.sector_shift()),
      store_allocates_(write.store_miss_allocates),
      shadow_(1, config.lines()) {}

void SectorClassifier::reset() {
  shadow_.clear();
  seen_.clear();
}

/// What the shadow does with a reference; whether it hits.
bool SectorClassifier::look_up(std::uint64_t line, std::uint8_t sector, bool allocates) {
  const LruLists::Node node = shadow_.find(line);
  if (node == LruLists::kNone) {
    if (allocates) shadow_.replace(0, shadow_.oldest(0), line, sector, false);
    return false;
  }
  const bool hit = (shadow_.sectors(node) & sector) != 0;
  if (hit || allocates) {
    shadow_.sectors(node) |= sector;
    shadow_.touch(0, node);
  }
  return hit;
}

void SectorClassifier::process(const CacheBatch& batch) {
  if (places_.size() < batch.transactions.size()) places_.resize(batch.transactions.size());
  seen_.find(batch.transactions, places_.data());
  const std::span<LineHistory::Time> seen = seen_.all();
  for (std::size_t i = 0; i < batch.transactions.size(); ++i) {
    const Transaction transaction = batch.transactions[i];
    const unsigned packed = batch.events[i];
    Event event = event_of(batch.events[i]);
    if (!transaction.bypasses()) {
      const std::uint64_t sector = transaction.line().value();
      const bool allocates = !transaction.is_store() || store_allocates_;
      const bool shadow_hit = look_up(sector >> sector_shift_, sector_bit(sector, sector_shift_), allocates);
      if (allocates) {
        LineHistory::Time& before = seen[places_[i]];
        if (event == Event::Miss || event == Event::SectorMiss)
          event = class_of(event == Event::Miss, before != 0, shadow_hit);
        else if (event == Event::Hit && !shadow_hit)
          event = Event::AntiConflictHit;
        before = 1;
      }
    }
    const auto slot = static_cast<std::uint8_t>(packed - static_cast<unsigned>(event_of(batch.events[i])) +
                                                static_cast<unsigned>(event));
    ++batch.counts[transaction.origin().value()][event_slot(slot, transaction.is_first())];
  }
}

}  // namespace warpscope
