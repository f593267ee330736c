#include "cachesim/miss_classifier.h"

namespace warpscope {

MissClassifier::MissClassifier(std::uint32_t lines, const WritePolicy& write) : shadow_(lines, write) {
  for (unsigned row = 0; row < refined_.size(); ++row) {
    const bool shadow_hit = (row & 2) != 0, is_store = (row & 1) != 0;
    auto& to = refined_[row];
    for (unsigned event = 0; event < kEvents; ++event) to[event] = static_cast<std::uint8_t>(event);
    if (!shadow_hit && (!is_store || write.store_miss_allocates))
      to[static_cast<unsigned>(Event::Hit)] = static_cast<std::uint8_t>(Event::AntiConflictHit);
    // A line in the shadow has been referenced, and only a store that removes lines can have marked it.
    to[static_cast<unsigned>(Event::Miss)] =
        shadow_hit && !write.store_hit_removes ? static_cast<std::uint8_t>(Event::Conflict) : kAskMarks;
    to[static_cast<unsigned>(Event::RemovingHit)] = kAskMarks;
  }
}

Event MissClassifier::ask_marks(Event event, LineAddr line, bool shadow_hit) {
  LineMarks::Mark mark = marks_.at(line);
  if (event == Event::RemovingHit) {
    mark.set_removed();
    return event;
  }
  if (!mark.test_and_set_seen()) return Event::Cold;
  if (mark.test_and_clear_removed()) return Event::Invalidated;
  return shadow_hit ? Event::Conflict : Event::Capacity;
}

void MissClassifier::process(const CacheBatch& batch) {
  for (std::size_t i = 0; i < batch.transactions.size(); ++i) {
    const Transaction transaction = batch.transactions[i];
    std::uint8_t packed = batch.events[i];
    if (!transaction.bypasses()) {
      const bool is_store = transaction.is_store();
      const bool shadow_hit = shadow_.reference(transaction.line(), is_store);
      const unsigned event = packed & (kEvents - 1);
      std::uint8_t refined = refined_[unsigned{shadow_hit} * 2 + unsigned{is_store}][event];
      if (refined == kAskMarks)
        refined =
            static_cast<std::uint8_t>(ask_marks(static_cast<Event>(event), transaction.line(), shadow_hit));
      packed = static_cast<std::uint8_t>((packed & ~(kEvents - 1)) | refined);
    }
    ++batch.counts[transaction.origin().value()][event_slot(packed, transaction.is_first())];
  }
}

void MissClassifier::reset() {
  shadow_.invalidate();
  marks_.clear();
}

}  // namespace warpscope
