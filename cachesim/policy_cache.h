#pragma once
// The tag array for any number of ways, compiled once per replacement policy.
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "cachesim/l1_cache.h"
#include "cachesim/replacement_policy.h"

namespace warpscope {

/// Writes an event into the batch, or counts it. `WithEvents` = batch.events is not null.
template <bool WithEvents>
inline void note_event(const CacheBatch& batch, std::size_t i, Transaction transaction, Event event,
                       Victim victim) {
  if constexpr (WithEvents)
    batch.events[i] = pack(event, victim);
  else
    ++batch.counts[transaction.origin().value()][event_slot(pack(event, victim), transaction.is_first())];
}

template <ReplacementPolicy Policy>
class PolicyCache final : public L1Cache {
 public:
  explicit PolicyCache(const L1CacheOptions& options)
      : ways_(options.config.ways),
        stride_((ways_ + 3) / 4 * 4),
        sets_(options.config.sets()),
        write_(warpscope::write_policy(options.config.write_policy)),
        policy_({sets_, ways_, options.seed}),
        tags_(std::size_t{sets_} * stride_),
        dirty_(tags_.size()),
        filled_(sets_) {
    invalidate();
  }

  void process(const CacheBatch& batch) override {
    if (batch.events != nullptr)
      run<true>(batch);
    else
      run<false>(batch);
  }

  void invalidate() override {
    for (std::size_t i = 0; i < tags_.size(); ++i) tags_[i] = i % stride_ < ways_ ? kEmpty : kPadding;
    dirty_.assign(dirty_.size(), 0);
    filled_.assign(filled_.size(), 0);
    policy_.reset();
  }

 private:
  static constexpr std::uint64_t kEmpty = 0;  // a tag is the line number plus one
  static constexpr std::uint64_t kPadding = ~std::uint64_t{0};
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  /// Lowest way that holds `tag`. Four ways at a time: the number of mispredicted branches does not grow with
  /// the ways.
  [[nodiscard]] std::uint32_t find(const std::uint64_t* row, std::uint64_t tag) const {
    for (std::uint32_t way = 0; way < stride_; way += 4) {
      const unsigned match = unsigned{row[way] == tag} | unsigned{row[way + 1] == tag} << 1 |
                             unsigned{row[way + 2] == tag} << 2 | unsigned{row[way + 3] == tag} << 3;
      if (match != 0) return way + static_cast<std::uint32_t>(std::countr_zero(match));
    }
    return kNowhere;
  }

  template <bool WithEvents>
  void run(const CacheBatch& batch) {
    for (std::size_t i = 0; i < batch.transactions.size(); ++i) {
      const Transaction transaction = batch.transactions[i];
      if (transaction.bypasses()) {
        note_event<WithEvents>(batch, i, transaction, Event::Bypass, Victim::None);
        continue;
      }
      const std::uint32_t set = batch.sets[i];
      Reference reference{SetIndex(set), WayIndex(0), transaction.line(), transaction.is_store()};
      const std::uint32_t way = find(&tags_[std::size_t{set} * stride_], reference.line.value() + 1);
      batch.set_counts[set].add(way == kNowhere);
      if (way != kNowhere) {
        reference.way = WayIndex(way);
        const Event event = hit(reference);
        note_event<WithEvents>(batch, i, transaction, event,
                               event == Event::RemovingHit ? Victim::Clean : Victim::None);
      } else {
        if (reference.is_store && !write_.store_miss_allocates)
          note_event<WithEvents>(batch, i, transaction, Event::PassingMiss, Victim::None);
        else
          note_event<WithEvents>(batch, i, transaction, Event::Miss, fill(reference));
      }
    }
  }

  Event hit(const Reference& reference) {
    const std::size_t at = std::size_t{reference.set.value()} * stride_ + reference.way.value();
    if (reference.is_store) {
      if (write_.store_hit_removes) {
        policy_.on_remove(reference);
        tags_[at] = kEmpty;
        --filled_[reference.set.value()];
        return Event::RemovingHit;
      }
      dirty_[at] |= std::uint8_t{write_.writes_back};
    }
    policy_.on_hit(reference);
    return Event::Hit;
  }

  Victim fill(Reference reference) {
    const std::uint32_t set = reference.set.value();
    std::uint64_t* row = &tags_[std::size_t{set} * stride_];
    std::uint8_t* dirty = &dirty_[std::size_t{set} * stride_];
    Victim victim = Victim::None;
    if (filled_[set] < ways_) {
      reference.way = WayIndex(find(row, kEmpty));
      ++filled_[set];
    } else {
      reference.way = policy_.victim(reference);
      victim = dirty[reference.way.value()] != 0 ? Victim::Dirty : Victim::Clean;
    }
    row[reference.way.value()] = reference.line.value() + 1;
    dirty[reference.way.value()] = std::uint8_t{reference.is_store && write_.writes_back};
    policy_.on_fill(reference);
    return victim;
  }

  std::uint32_t ways_, stride_, sets_;
  WritePolicy write_;
  Policy policy_;
  std::vector<std::uint64_t> tags_;    ///< [set][way], rows padded to a multiple of four
  std::vector<std::uint8_t> dirty_;    ///< [set][way]
  std::vector<std::uint32_t> filled_;  ///< ways in use per set
};

}  // namespace warpscope
