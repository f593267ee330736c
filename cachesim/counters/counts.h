#pragma once
// The counters of a report, as cachesim/RESULT.md and docs/reference/counters.md define them.
#include <array>
#include <cstdint>
#include <map>

#include "cachesim/l1/event.h"
#include "cachesim/transactions/accessor.h"
#include "cachesim/transactions/transaction_sink.h"

namespace warpscope {

struct KindCounts : AccessCounts, OutcomeCounts {
  StageCounts stages = {};
  KindCounts& operator+=(const KindCounts& other);
  bool operator==(const KindCounts&) const = default;
};

/// Hits and evictions by previous accessor (reuse_by_source.h); zeros unless asked for.
struct SourceCounts {
  std::array<std::array<std::uint64_t, kPreviousAccessors>, 3>
      hits{};                                                 ///< [load, store, atomic][PreviousAccessor]
  std::array<std::uint64_t, kPreviousAccessors> evictions{};  ///< [PreviousAccessor]
  bool operator==(const SourceCounts&) const = default;
};

/// Counters of the whole, or of one launch, core, site or buffer.
struct Counts : LineCounts {
  std::array<KindCounts, 3> kind;             ///< load, store, atomic
  std::array<OutcomeCounts, 2> in_private{};  ///< the part of loads and of stores that private memory has
  MissClasses classes;
  std::uint64_t unclassified = 0;  ///< misses that would allocate, when classes are off
  std::uint64_t classified = 0;    ///< look-ups that bring in a line that is not there: those with a class
  SourceCounts by_source;
  std::array<std::array<OutsideCounts, 3>, 3> outside;  ///< [local, constant, no object][load, store, atomic]

  /// Passes of local memory by their degree of conflict.
  std::map<std::uint32_t, std::uint64_t> degrees;

  [[nodiscard]] KindCounts& of(AccessKind which) { return kind[static_cast<std::size_t>(which)]; }
  [[nodiscard]] const KindCounts& of(AccessKind which) const { return kind[static_cast<std::size_t>(which)]; }
  /// Adds what was counted by event for transactions of one kind.
  void add_events(AccessKind which, const EventCounts& events);
  void add_tally(const Origin& origin, const OriginTally& tally);
  /// All that is counted of the kind, which is no atomic, is of private memory.
  void set_private(AccessKind which) { in_private[static_cast<std::size_t>(which)] = of(which); }
  Counts& operator+=(const Counts& other);
  bool operator==(const Counts&) const = default;
};

/// Of an origin: its transactions, counted by event, and its tally. `in_private`: its buffer is in private memory. `rule`: theirs; null: the
/// stages of what goes to the L1 line by line are not counted. `bytes` of a transaction.
Counts counts_of(const Origin& origin, const EventCounts& events, const OriginTally& tally, bool in_private,
                 const CoalescingRule* rule, std::uint32_t bytes);

/// Calls visit("name", kind.name...) for each number of a kind of access.
template <class Visit, class... Kinds>
void each_kind_counter(const Visit& visit, Kinds&... kind) {
  each_access_counter(visit, kind...);
  each_outcome_counter(visit, kind...);
  each_stage_counter(visit, kind.stages...);
}

/// Calls visit("name", counts.name...) for each number but those of `degrees`, in a fixed order.
template <class Visit, class... AnyCounts>
void each_number(const Visit& visit, AnyCounts&... counts) {
  constexpr std::size_t kScalars = 2;
  static_assert(sizeof(Counts) == sizeof(LineCounts) + sizeof(Counts::kind) + sizeof(Counts::in_private) +
                                      sizeof(MissClasses) + sizeof(SourceCounts) + sizeof(Counts::outside) +
                                      kScalars * sizeof(std::uint64_t) + sizeof(decltype(Counts::degrees)),
                "a counter is missing here");
  for (std::size_t kind = 0; kind < 3; ++kind) each_kind_counter(visit, counts.kind[kind]...);
  for (std::size_t kind = 0; kind < 2; ++kind) each_outcome_counter(visit, counts.in_private[kind]...);
  each_class_counter(visit, counts.classes...);
  visit("unclassified", counts.unclassified...);
  visit("classified", counts.classified...);
  each_line_counter(visit, counts...);
  for (std::size_t who = 0; who < kPreviousAccessors; ++who) {
    for (std::size_t kind = 0; kind < 3; ++kind)
      visit(kPreviousAccessorNames[who], counts.by_source.hits[kind][who]...);
    visit(kPreviousAccessorNames[who], counts.by_source.evictions[who]...);
  }
  for (std::size_t place = 0; place < 3; ++place)
    for (std::size_t kind = 0; kind < 3; ++kind) each_outside_counter(visit, counts.outside[place][kind]...);
}

}  // namespace warpscope
