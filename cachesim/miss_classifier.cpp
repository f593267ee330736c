#include "cachesim/miss_classifier.h"

namespace warpscope {

Event MissClassifier::miss_class(LineAddr line, bool shadow_hit) {
  // A line in the shadow has been referenced, and only a store that removes lines can have marked it.
  if (shadow_hit && !write_.store_hit_removes) return Event::Conflict;
  LineMarks::Mark mark = marks_.at(line);
  if (!mark.test_and_set_seen()) return Event::Cold;
  if (mark.test_and_clear_removed()) return Event::Invalidated;
  return shadow_hit ? Event::Conflict : Event::Capacity;
}

Event MissClassifier::refine(Event event, LineAddr line, bool is_store, bool shadow_hit) {
  switch (event) {
    case Event::Miss:
      return miss_class(line, shadow_hit);
    case Event::Hit:
      return !shadow_hit && (!is_store || write_.store_miss_allocates) ? Event::AntiConflictHit : Event::Hit;
    case Event::RemovingHit:
      marks_.at(line).set_removed();
      return event;
    default:
      return event;
  }
}

void MissClassifier::process(const CacheBatch& batch) {
  for (std::size_t i = 0; i < batch.transactions.size(); ++i) {
    const Transaction transaction = batch.transactions[i];
    std::uint8_t packed = batch.events[i];
    if (!transaction.bypasses()) {
      const bool shadow_hit = shadow_.reference(transaction.line(), transaction.is_store());
      const auto event = static_cast<Event>(packed & (kEvents - 1));
      const Event refined = refine(event, transaction.line(), transaction.is_store(), shadow_hit);
      packed = static_cast<std::uint8_t>((packed & ~(kEvents - 1)) | static_cast<unsigned>(refined));
    }
    ++batch.counts[transaction.origin().value()][event_slot(packed, transaction.is_first())];
  }
}

void MissClassifier::reset() {
  shadow_.invalidate();
  marks_.clear();
}

}  // namespace warpscope
