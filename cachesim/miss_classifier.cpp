#include "cachesim/miss_classifier.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpscope {
namespace {

constexpr std::size_t kWord = 8;
constexpr std::size_t kFewestTimes = std::size_t{1} << 16;

}  // namespace

MissClassifier::MissClassifier(std::uint32_t lines, const WritePolicy& write)
    : lines_(lines), store_removes_(write.store_hit_removes) {
  for (unsigned store = 0; store < 2; ++store)
    for (unsigned state = 0; state < 4; ++state)
      for (unsigned event = 0; event < kEvents; ++event)
        rules_[store][state][event] = rule(write, store != 0, state, static_cast<Event>(event));
  reset();
}

std::uint8_t MissClassifier::rule(const WritePolicy& write, bool is_store, unsigned state,
                                  Event event) const {
  if (event == Event::Bypass) return static_cast<std::uint8_t>(event);
  const bool in_shadow = state == kInShadow, would_allocate = !is_store || write.store_miss_allocates;
  unsigned result = static_cast<unsigned>(event);
  if (event == Event::Hit && !in_shadow && would_allocate)
    result = static_cast<unsigned>(Event::AntiConflictHit);
  if (event == Event::Miss) {
    constexpr Event kClass[] = {Event::Cold, Event::Invalidated, Event::Capacity, Event::Conflict};
    result = static_cast<unsigned>(kClass[state]);
  }
  const bool removes = is_store && write.store_hit_removes;
  if (event == Event::RemovingHit)
    result |= kMarkRemoved;
  else if (in_shadow)
    result |= removes ? kPutOutside : kTouch;
  else if (would_allocate)
    result |= kTouch | kInsert;
  return static_cast<std::uint8_t>(result | (in_shadow ? kKill : 0u));
}

/// The shadow is full and a line comes in: the oldest one leaves.
inline MissClassifier::Time MissClassifier::beyond_oldest(const std::uint8_t* live, Time horizon) {
  for (Time at = horizon;; at += kWord) {
    std::uint64_t word;
    std::memcpy(&word, live + at, kWord);
    if (word != 0) return at + static_cast<Time>(std::countr_zero(word)) / 8 + 1;
  }
}

// The places first, so that the look-ups of many transactions overlap: where a line's number is not in the
// host's caches, one loop over everything would wait for each of them. What the loops use lies in local
// variables: the compiler has to assume that a write to `live` changes every member.
template <bool StoresRemove>
void MissClassifier::run(const CacheBatch& batch) {
  const std::span<const Transaction> transactions = batch.transactions;
  std::uint32_t* const places = places_.data();
  history_.find(transactions, places);
  const std::uint8_t* const events = batch.events;
  EventCounts* const counts = batch.counts;
  Time* const numbers = history_.all().data();
  std::uint8_t* const live = live_.data();
  const std::uint32_t lines = lines_;
  const auto* const rules = &rules_;
  std::uint32_t present = present_;
  Time next = next_, horizon = horizon_;
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const Transaction transaction = transactions[i];
    const std::uint8_t packed = events[i];
    const Time before = numbers[places[i]];
    const unsigned state =
        unsigned{before != kNever} + unsigned{before > kRemoved} + unsigned{before >= horizon};
    const std::uint8_t rule = (*rules)[transaction.is_store() ? 1 : 0][state][packed & (kEvents - 1)];
    live[(rule & kKill) != 0 ? before : kNever] = 0;
    const unsigned action = rule & kActions;
    Time after = action == kTouch ? next : before;
    if constexpr (StoresRemove) {
      after = action == kPutOutside ? kOutside : action == kMarkRemoved ? kRemoved : after;
      if (action >= kPutOutside && (rule & kKill) != 0) --present;
    }
    numbers[places[i]] = after;
    next += action == kTouch ? 1 : 0;
    if ((rule & kInsert) != 0) {
      if (present == lines)
        horizon = beyond_oldest(live, horizon);
      else
        ++present;
    }
    const auto refined = static_cast<std::uint8_t>((packed & ~(kEvents - 1)) | (rule & (kEvents - 1)));
    ++counts[transaction.origin().value()][event_slot(refined, transaction.is_first())];
  }
  next_ = next;
  horizon_ = horizon;
  present_ = present;
}

void MissClassifier::process(const CacheBatch& batch) {
  make_room(batch.transactions.size());
  store_removes_ ? run<true>(batch) : run<false>(batch);
}

/// Gives out the times anew when they come to an end: live ones keep their order.
void MissClassifier::make_room(std::size_t references) {
  if (places_.size() < references) places_.resize(references);
  if (next_ + references + kWord <= live_.size()) return;
  std::vector<Time> kept;
  for (Time time = horizon_; time < next_; ++time)
    if (live_[time] != 0) kept.push_back(time);
  for (Time& number : history_.all()) {
    if (number >= horizon_)
      number =
          kFirstTime + static_cast<Time>(std::lower_bound(kept.begin(), kept.end(), number) - kept.begin());
    else
      number = std::min(number, kOutside);
  }
  horizon_ = kFirstTime;
  next_ = kFirstTime + static_cast<Time>(kept.size());
  // As many times as lines, so that the loop above costs every reference about one step.
  const std::size_t times = std::max({kFewestTimes, history_.all().size(), 8 * std::size_t{lines_}});
  live_.assign(next_ + std::max(times, references) + kWord, 1);
}

void MissClassifier::reset() {
  history_.clear();
  live_.clear();
  horizon_ = next_ = kFirstTime;
  present_ = 0;
}

}  // namespace warpscope
