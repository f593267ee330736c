#pragma once
// The counters of a report, as cachesim/RESULT.md and docs/reference/counters.md define them.
#include <array>
#include <cstdint>
#include <map>

#include "cachesim/l1/event.h"
#include "cachesim/transactions/toucher.h"
#include "cachesim/transactions/transaction_sink.h"

namespace warpscope {

struct KindCounts {
  std::uint64_t requests = 0, lanes = 0, transactions = 0;
  std::uint64_t hits = 0, hits_pending = 0, sector_misses = 0, misses = 0, bypasses = 0,
                reservation_fails = 0;
  StageCounts stages = {};
  KindCounts& operator+=(const KindCounts& other);
  bool operator==(const KindCounts&) const = default;
};

struct MissClasses {
  std::uint64_t cold = 0, invalidated = 0, capacity = 0, conflict = 0, anti_conflict = 0;
  MissClasses& operator+=(const MissClasses& other);
  bool operator==(const MissClasses&) const = default;
};

struct OutsideCounts {
  std::uint64_t requests = 0, lanes = 0, wavefronts = 0, conflicts = 0;
  bool operator==(const OutsideCounts&) const = default;
};

/// Hits and evictions by who used the line before (reuse_by_whom.h); zeros unless asked for.
struct WhomCounts {
  std::array<std::array<std::uint64_t, kWhoms>, 3> hits{};  ///< [load, store, atomic][Whom]
  std::array<std::uint64_t, kWhoms> evictions{};            ///< [Whom]
  WhomCounts& operator+=(const WhomCounts& other);
  bool operator==(const WhomCounts&) const = default;
};

/// Counters of the whole, or of one launch, core, site or buffer.
struct Counts {
  std::array<KindCounts, 3> kind;  ///< load, store, atomic
  MissClasses classes;
  std::uint64_t unclassified = 0;  ///< misses that would allocate, when classes are off
  std::uint64_t classified = 0;    ///< look-ups that bring in a line that is not there: those with a class
  std::uint64_t write_backs = 0, evictions = 0;
  std::uint64_t write_back_sectors = 0;  ///< dirty sectors of the lines written back; without sectors lines
  WhomCounts whom;
  std::array<std::array<OutsideCounts, 3>, 3> outside;  ///< [local, constant, no object][load, store, atomic]

  /// Passes of local memory by their degree of conflict.
  std::map<std::uint32_t, std::uint64_t> degrees;

  [[nodiscard]] KindCounts& of(AccessKind which) { return kind[static_cast<std::size_t>(which)]; }
  [[nodiscard]] const KindCounts& of(AccessKind which) const { return kind[static_cast<std::size_t>(which)]; }
  /// Adds what was counted by event for transactions of one kind.
  void add_events(AccessKind which, const EventCounts& events);
  void add_tally(const Origin& origin, const OriginTally& tally);
  Counts& operator+=(const Counts& other);
  bool operator==(const Counts&) const = default;
};

}  // namespace warpscope
