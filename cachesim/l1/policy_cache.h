#pragma once
// The tag array for any number of ways, compiled once per replacement policy.
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "cachesim/l1/absent_lines.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/l1/replacement_policy.h"
#include "cachesim/l1/set_turn.h"
#include "cachesim/l1/write_rules.h"

namespace warpscope {

/// Writes an event into the batch, or counts it. `WithEvents` = batch.events is not null.
template <bool WithEvents>
inline void note_event(const CacheBatch& batch, std::size_t i, Transaction transaction, Event event,
                       Victim victim) {
  if constexpr (WithEvents)
    batch.events[i] = pack(event, victim);
  else
    count_event(batch.counts, transaction, pack(event, victim));
}

/// The line of reference `i` drives out a dirty one.
inline void note_sectors_back(const CacheBatch& batch, std::size_t i, std::uint8_t dirty) {
  if (batch.sectors_back != nullptr)
    batch.sectors_back[batch.transactions[i].origin().value()] += static_cast<unsigned>(std::popcount(dirty));
}

template <ReplacementPolicy Policy>
class PolicyCache final : public L1Cache {
 public:
  explicit PolicyCache(const L1CacheOptions& options)
      : ways_(options.config.ways),
        stride_((ways_ + 3) / 4 * 4),
        sets_(options.config.sets()),
        sector_shift_(options.config.sector_shift()),
        write_(options.config, options.private_from),
        hits_line_(write_.any_hits_line()),
        policy_({sets_, ways_, options.seed}),
        most_lines_(options.config.has_spare_tags() ? options.config.lines() : kNowhere),
        turn_(sets_),
        tags_(std::size_t{sets_} * stride_),
        dirty_(tags_.size()),
        sectors_(sector_shift_ != 0 ? tags_.size() : 0),
        filled_(sets_) {
    invalidate();
  }

  void process(const CacheBatch& batch) override {
    if (sector_shift_ != 0)
      batch.events != nullptr ? run<true, true>(batch) : run<false, true>(batch);
    else
      batch.events != nullptr ? run<true, false>(batch) : run<false, false>(batch);
  }

  void invalidate() override {
    for (std::size_t i = 0; i < tags_.size(); ++i) tags_[i] = i % stride_ < ways_ ? kEmpty : kPadding;
    dirty_.assign(dirty_.size(), 0);
    filled_.assign(filled_.size(), 0);
    lines_ = 0;
    used_unit_ = kNoUnit;
    turn_.reset();
    policy_.reset();
  }

  void reseed(std::uint64_t seed) override {
    if constexpr (requires { policy_.reseed(seed); }) policy_.reseed(seed);
  }

 private:
  static constexpr std::uint64_t kEmpty = 0;  // a tag is the line number plus one
  static constexpr std::uint64_t kPadding = ~std::uint64_t{0};
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  static constexpr std::uint64_t kNoUnit = ~std::uint64_t{0};

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

  template <bool WithEvents, bool Sectored>
  void run(const CacheBatch& batch) {
    for (std::size_t i = 0; i < batch.transactions.size(); ++i) {
      const Transaction transaction = batch.transactions[i];
      if (Sectored && transaction.is_first()) {
        if (hits_line_) absent_.begin_request();
        used_unit_ = kNoUnit;
      }
      if (transaction.bypasses()) {
        note_event<WithEvents>(batch, i, transaction, Event::Bypass, Victim::None);
        continue;
      }
      const std::uint32_t set = batch.sets[i];
      const std::uint64_t unit = transaction.line().value();
      Reference reference{SetIndex(set), WayIndex(0), LineAddr(Sectored ? unit >> sector_shift_ : unit),
                          transaction.is_store(), false};
      const std::uint32_t way = find(&tags_[std::size_t{set} * stride_], reference.line.value() + 1);
      if constexpr (Sectored) {
        reference.goes_on = used_unit_ != unit && used_unit_ >> sector_shift_ == reference.line.value();
        const std::uint8_t sector = sector_bit(unit, sector_shift_);
        run_sectored<WithEvents>(batch, i, reference, way, sector);
        continue;
      }
      batch.set_counts[set].add(way == kNowhere);
      if (way != kNowhere) {
        reference.way = WayIndex(way);
        const Event event = hit(reference, unit);
        note_event<WithEvents>(batch, i, transaction, event,
                               event == Event::RemovingHit ? Victim::Clean : Victim::None);
      } else {
        if (reference.is_store && !write_.of(unit).store_miss_allocates)
          note_event<WithEvents>(batch, i, transaction, Event::PassingMiss, Victim::None);
        else
          note_event<WithEvents>(batch, i, transaction, Event::Miss, fill(batch, i, reference, 1));
      }
    }
  }

  template <bool WithEvents>
  void run_sectored(const CacheBatch& batch, std::size_t i, Reference reference, std::uint32_t way,
                    std::uint8_t sector) {
    std::uint8_t* const sectors = &sectors_[std::size_t{reference.set.value()} * stride_];
    const bool there = way != kNowhere;
    bool hits = there && (sectors[way] & sector) != 0;
    const std::uint64_t unit = batch.transactions[i].line().value();
    if (reference.is_store && write_.of(unit).store_hits_line && !hits)
      hits = absent_.hits(reference.line.value(), there);
    const bool passes = reference.is_store && !write_.of(unit).store_miss_allocates;
    batch.set_counts[reference.set.value()].add(!hits);
    Event event = there ? Event::PassingSectorMiss : Event::PassingMiss;
    Victim victim = Victim::None;
    if (hits || (there && !passes)) {
      reference.way = WayIndex(way);
      hit(reference, unit, sector);
      used_unit_ = unit;
      sectors[way] |= sector;
      event = hits ? Event::Hit : Event::SectorMiss;
    } else if (!passes) {
      victim = fill(batch, i, reference, sector);
      used_unit_ = unit;
      sectors[reference.way.value()] = sector;
      event = Event::Miss;
    }
    note_event<WithEvents>(batch, i, batch.transactions[i], event, victim);
  }

  Event hit(const Reference& reference, std::uint64_t unit, std::uint8_t sector = 1) {
    const std::size_t at = std::size_t{reference.set.value()} * stride_ + reference.way.value();
    if (reference.is_store) {
      const WritePolicy& write = write_.of(unit);
      if (write.store_hit_removes) {
        policy_.on_remove(reference);
        tags_[at] = kEmpty;
        --filled_[reference.set.value()];
        --lines_;
        return Event::RemovingHit;
      }
      if (write.writes_back) dirty_[at] |= sector;
    }
    policy_.on_hit(reference);
    return Event::Hit;
  }

  /// Sets reference.way.
  Victim fill(const CacheBatch& batch, std::size_t i, Reference& reference, std::uint8_t sector) {
    const std::uint32_t set = reference.set.value();
    std::uint64_t* row = &tags_[std::size_t{set} * stride_];
    std::uint8_t* dirty = &dirty_[std::size_t{set} * stride_];
    Victim victim = Victim::None;
    if (filled_[set] < ways_) {
      if (lines_ >= most_lines_) victim = drop_of_other_set(batch, i);
      reference.way = WayIndex(find(row, kEmpty));
      ++filled_[set];
      ++lines_;
    } else {
      reference.way = policy_.victim(reference);
      victim = note_victim(batch, i, std::size_t{set} * stride_ + reference.way.value());
    }
    row[reference.way.value()] = reference.line.value() + 1;
    const bool dirties = reference.is_store && write_.of(batch.transactions[i].line().value()).writes_back;
    dirty[reference.way.value()] = dirties ? sector : std::uint8_t{0};
    policy_.on_fill(reference);
    return victim;
  }

  /// The line at `at` leaves for reference `i`.
  Victim note_victim(const CacheBatch& batch, std::size_t i, std::size_t at) const {
    if (batch.victims != nullptr) batch.victims[i] = tags_[at] - 1;
    if (dirty_[at] == 0) return Victim::Clean;
    note_sectors_back(batch, i, dirty_[at]);
    return Victim::Dirty;
  }

  /// The memory is full, and the set has a free tag: a line of the set whose turn it is leaves. Apart, since few caches need it.
  [[gnu::noinline]] Victim drop_of_other_set(const CacheBatch& batch, std::size_t i) {
    Reference reference{};
    do reference.set = SetIndex(turn_.next());
    while (filled_[reference.set.value()] == 0);
    reference.way = policy_.victim(reference);
    const std::size_t at = std::size_t{reference.set.value()} * stride_ + reference.way.value();
    const Victim victim = note_victim(batch, i, at);
    policy_.on_remove(reference);
    tags_[at] = kEmpty;
    --filled_[reference.set.value()];
    --lines_;
    return victim;
  }

  std::uint32_t ways_, stride_, sets_;
  int sector_shift_;
  WriteRules write_;
  bool hits_line_;  ///< whether some stores hit by line
  AbsentLines absent_;
  Policy policy_;
  std::uint32_t most_lines_;  ///< lines that there is memory for; kNowhere: as many as tags
  std::uint32_t lines_ = 0;   ///< lines that are present now
  SetTurn turn_;
  std::uint64_t used_unit_ = kNoUnit;  ///< sector that the request used last
  std::vector<std::uint64_t> tags_;    ///< [set][way], rows padded to a multiple of four
  std::vector<std::uint8_t> dirty_;    ///< [set][way]: mask of sectors
  std::vector<std::uint8_t> sectors_;  ///< [set][way]: which are there; only where lines have sectors
  std::vector<std::uint32_t> filled_;  ///< ways in use per set
};

}  // namespace warpscope

/// At the end of a policy's file, in namespace warpscope: the factories that registry.def names.
// NOLINTBEGIN(bugprone-macro-parentheses): Policy is a type, in parentheses it would be none
#define WARPSCOPE_REPLACEMENT(suffix, Policy)                                            \
  std::unique_ptr<L1Cache> make_cache_##suffix(const L1CacheOptions& options) {          \
    return std::make_unique<PolicyCache<Policy>>(options);                               \
  }                                                                                      \
  std::unique_ptr<AnyReplacement> make_policy_##suffix(const PolicyGeometry& geometry) { \
    return std::make_unique<ErasedReplacement<Policy>>(geometry);                        \
  }
// NOLINTEND(bugprone-macro-parentheses)
