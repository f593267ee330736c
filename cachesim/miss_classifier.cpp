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

/// Counts what the shadow cache decides; collects the transactions whose marks decide.
std::span<MissClassifier::Asking> MissClassifier::ask_shadow(const CacheBatch& batch) {
  if (asking_.size() < batch.transactions.size()) asking_.resize(batch.transactions.size());
  std::size_t asking = 0;
  for (std::size_t i = 0; i < batch.transactions.size(); ++i) {
    const Transaction transaction = batch.transactions[i];
    std::uint8_t packed = batch.events[i];
    if (!transaction.bypasses()) {
      const bool is_store = transaction.is_store();
      const bool shadow_hit = shadow_.reference(transaction.line(), is_store);
      const std::uint8_t refined =
          refined_[unsigned{shadow_hit} * 2 + unsigned{is_store}][packed & (kEvents - 1)];
      if (refined == kAskMarks) {
        asking_[asking++] = {transaction, 0, packed, shadow_hit};
        continue;
      }
      packed = static_cast<std::uint8_t>((packed & ~(kEvents - 1)) | refined);
    }
    ++batch.counts[transaction.origin().value()][event_slot(packed, transaction.is_first())];
  }
  return std::span(asking_).first(asking);
}

inline Event MissClassifier::by_marks(const Asking& asking) {
  LineMarks::Mark mark = marks_.mark(asking.page, asking.transaction.line());
  if ((asking.packed & (kEvents - 1)) == static_cast<unsigned>(Event::RemovingHit)) {
    mark.set_removed();
    return Event::RemovingHit;
  }
  // A table because the answer often is as good as random.
  static constexpr Event kClass[] = {Event::Cold, Event::Capacity, Event::Cold, Event::Invalidated,
                                     Event::Cold, Event::Conflict, Event::Cold, Event::Invalidated};
  const unsigned seen = mark.test_and_set_seen() ? 1 : 0, removed = mark.test_and_clear_removed() ? 2 : 0;
  return kClass[seen | removed | (asking.shadow_hit ? 4 : 0)];
}

// One short loop per step, so that the steps of many transactions overlap: where a line's marks are not in
// the host's caches, a loop over everything would wait for each of them.
void MissClassifier::process(const CacheBatch& batch) {
  const std::span<Asking> asking = ask_shadow(batch);
  for (Asking& one : asking) one.page = marks_.page_of(one.transaction.line());
  for (const Asking& one : asking) {
    const unsigned refined = (one.packed & ~(kEvents - 1)) | static_cast<unsigned>(by_marks(one));
    ++batch.counts[one.transaction.origin().value()]
                  [event_slot(static_cast<std::uint8_t>(refined), one.transaction.is_first())];
  }
}

void MissClassifier::reset() {
  shadow_.invalidate();
  marks_.clear();
}

}  // namespace warpscope
