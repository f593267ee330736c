#include "cachesim/classes/miss_classifier.h"

#include <algorithm>
#include <array>

namespace warpscope {
namespace {

/// What an event becomes: first for a line that comes into the shadow, by kNever, kRemoved, kOutside, then for
/// one that the shadow holds. Both with their victims.
constexpr std::size_t kHeld = 3;
constexpr auto kRefined = [] {
  constexpr Event kClass[] = {Event::Cold, Event::Invalidated, Event::Capacity, Event::Conflict};
  std::array<std::array<std::uint8_t, kPackedEvents>, 4> table{};
  for (std::size_t state = 0; state < table.size(); ++state)
    for (std::size_t slot = 0; slot < kPackedEvents; ++slot) {
      const auto packed = static_cast<std::uint8_t>(slot);
      Event event = event_of(packed);
      if (event == Event::Miss)
        event = kClass[state];
      else if (event == Event::Hit && state != kHeld)
        event = Event::AntiConflictHit;
      table[state][slot] = pack(event, victim_of(packed));
    }
  return table;
}();

}  // namespace

MissClassifier::MissClassifier(std::uint32_t lines, const WriteRules& write)
    : write_(write), shadow_(lines) {}

// What the loop uses is in local variables: the compiler has to assume that a write to the shadow's table
// changes every member.
template <MissClassifier::Stores kStores>
void MissClassifier::run(const CacheBatch& batch) {
  const Transaction* const transactions = batch.transactions.data();
  const std::size_t references = batch.transactions.size();
  const std::uint32_t* const places = places_.data();
  const std::uint8_t* const events = batch.events;
  EventCounts* const counts = batch.counts;
  Time* const numbers = last_.all().data();
  ShadowTimes::Clock shadow = shadow_.clock();
  const WriteRules write = write_;
  for (std::size_t i = 0; i < references; ++i) {
    const Transaction transaction = transactions[i];
    std::uint8_t event = events[i];
    bool allocates = true, removes = false;
    if (kStores != Stores::None && transaction.is_store()) {
      const WritePolicy& policy =
          kStores == Stores::Mixed ? write.of(transaction.line().value()) : write.global();
      allocates = policy.store_miss_allocates;
      removes = policy.store_hit_removes;
    }
    Time& number = numbers[places[i]];
    const Time before = number;
    if (kStores != Stores::None && transaction.bypasses()) {
      // The shadow does not see it either.
    } else if (shadow.holds(before)) {
      if (removes) {
        shadow.remove(before);
        number = event_of(event) == Event::RemovingHit ? kRemoved : kOutside;
      } else {
        number = shadow.touch(before);
      }
      event = kRefined[kHeld][event];
    } else if (allocates) {
      number = shadow.insert();
      event = kRefined[std::min(before, kOutside)][event];
    } else if (event_of(event) == Event::RemovingHit) {
      number = kRemoved;
    }
    count_event(counts, transaction, event);
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
  if (batch.only_loads)
    run<Stores::None>(batch);
  else
    write_.mixed() ? run<Stores::Mixed>(batch) : run<Stores::Alike>(batch);
}

void MissClassifier::reset() {
  last_.clear();
  shadow_.clear();
}

}  // namespace warpscope
