#include "cachesim/classes/miss_classifier.h"

#include <algorithm>
#include <array>

namespace warpscope {
namespace {

constexpr unsigned kMiss = static_cast<unsigned>(Event::Miss),
                   kConflict = static_cast<unsigned>(Event::Conflict),
                   kRemovingHit = static_cast<unsigned>(Event::RemovingHit);

/// What an event becomes for a line that comes into the shadow; by kNever, kRemoved, kOutside.
constexpr auto kFromOutside = [] {
  std::array<std::array<std::uint8_t, kEvents>, 3> table{};
  for (auto& row : table) {
    for (unsigned event = 0; event < kEvents; ++event) row[event] = static_cast<std::uint8_t>(event);
    row[static_cast<unsigned>(Event::Hit)] = static_cast<std::uint8_t>(Event::AntiConflictHit);
  }
  constexpr Event kClass[] = {Event::Cold, Event::Invalidated, Event::Capacity};
  for (unsigned number = 0; number < 3; ++number)
    table[number][kMiss] = static_cast<std::uint8_t>(kClass[number]);
  return table;
}();

}  // namespace

MissClassifier::MissClassifier(std::uint32_t lines, const WriteRules& write)
    : write_(write), shadow_(lines) {}

// What the loop uses is in local variables: the compiler has to assume that a write to the shadow's table
// changes every member.
template <bool StoresRemove, bool Mixed>
void MissClassifier::run(const CacheBatch& batch) {
  const std::span<const Transaction> transactions = batch.transactions;
  const std::uint32_t* const places = places_.data();
  const std::uint8_t* const events = batch.events;
  EventCounts* const counts = batch.counts;
  Time* const numbers = last_.all().data();
  ShadowTimes::Clock shadow = shadow_.clock();
  const bool global_allocates = write_.global().store_miss_allocates;
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const Transaction transaction = transactions[i];
    const unsigned packed = events[i], event = packed & (kEvents - 1);
    unsigned refined = event;
    bool allocates = global_allocates, removes = StoresRemove;
    if constexpr (Mixed) {
      const WritePolicy& write = write_.of(transaction.line().value());
      allocates = write.store_miss_allocates;
      removes = write.store_hit_removes;
    }
    Time& number = numbers[places[i]];
    const Time before = number;
    if (transaction.bypasses()) {
      // The shadow does not see it either.
    } else if (shadow.holds(before)) {
      if (StoresRemove && removes && transaction.is_store()) {
        shadow.remove(before);
        number = event == kRemovingHit ? kRemoved : kOutside;
      } else {
        number = shadow.touch(before);
      }
      refined += event == kMiss ? kConflict - kMiss : 0;
    } else if (!transaction.is_store() || allocates) {
      number = shadow.insert();
      refined = kFromOutside[std::min(before, kOutside)][event];
    } else if (event == kRemovingHit) {
      number = kRemoved;
    }
    const auto slot = static_cast<std::uint8_t>(packed - event + refined);
    ++counts[transaction.origin().value()][event_slot(slot, transaction.is_first())];
  }
  shadow_.set(shadow);
}

void MissClassifier::process(const CacheBatch& batch) {
  // The places first, so that the look-ups of many transactions overlap: where a line's number is not in the
  // host's caches, one loop over everything would wait for each of them.
  const std::size_t references = batch.transactions.size();
  if (places_.size() < references) places_.resize(references);
  last_.find(batch.transactions, places_.data());
  shadow_.make_room(references, last_.all(), kOutside, [](Time& time) -> Time& { return time; });
  if (write_.mixed())
    run<true, true>(batch);
  else
    write_.global().store_hit_removes ? run<true, false>(batch) : run<false, false>(batch);
}

void MissClassifier::reset() {
  last_.clear();
  shadow_.clear();
}

}  // namespace warpscope
