#include "cachesim/miss_classifier.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace warpscope {
namespace {

constexpr unsigned kMiss = static_cast<unsigned>(Event::Miss),
                   kConflict = static_cast<unsigned>(Event::Conflict),
                   kRemovingHit = static_cast<unsigned>(Event::RemovingHit);
constexpr std::size_t kWord = 8;
constexpr std::size_t kFewestTimes = std::size_t{1} << 16;

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

MissClassifier::MissClassifier(std::uint32_t lines, const WritePolicy& write) : lines_(lines), write_(write) {
  reset();
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
// host's caches, one loop over everything would wait for each of them. What the loop uses lies in local
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
  const bool store_allocates = write_.store_miss_allocates;
  const std::uint32_t lines = lines_;
  std::uint32_t present = present_;
  Time next = next_, horizon = horizon_;
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const Transaction transaction = transactions[i];
    const unsigned packed = events[i], event = packed & (kEvents - 1);
    unsigned refined = event;
    Time& number = numbers[places[i]];
    const Time before = number;
    if (transaction.bypasses()) {
      // The shadow does not see it either.
    } else if (before >= horizon) {
      live[before] = 0;
      if (StoresRemove && transaction.is_store()) {
        number = event == kRemovingHit ? kRemoved : kOutside;
        --present;
      } else {
        number = next++;
      }
      refined += event == kMiss ? kConflict - kMiss : 0;
    } else if (!transaction.is_store() || store_allocates) {
      number = next++;
      if (present == lines)
        horizon = beyond_oldest(live, horizon);
      else
        ++present;
      refined = kFromOutside[std::min(before, kOutside)][event];
    } else if (event == kRemovingHit) {
      number = kRemoved;
    }
    const auto slot = static_cast<std::uint8_t>(packed - event + refined);
    ++counts[transaction.origin().value()][event_slot(slot, transaction.is_first())];
  }
  next_ = next;
  horizon_ = horizon;
  present_ = present;
}

void MissClassifier::process(const CacheBatch& batch) {
  make_room(batch.transactions.size());
  write_.store_hit_removes ? run<true>(batch) : run<false>(batch);
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
