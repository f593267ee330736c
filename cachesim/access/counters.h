#pragma once
// The counters of counters.def as structs whose members can be gone through.
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace warpscope {

/// What moves between caches at the least, bytes.
constexpr std::uint32_t kMemorySectorBytes = 32;

/// Of loads, stores or atomics: counted while transactions are made, whatever the cache does.
struct AccessCounts {
#define ACCESS_COUNTER(name, ...) std::uint64_t name = 0;
#define ACCESS_PART ACCESS_COUNTER
#include "cachesim/access/counters.def"
  bool operator==(const AccessCounts&) const = default;
};

/// Of the same: what the caches see and do.
struct OutcomeCounts {
#define KIND_COUNTER(name, ...) std::uint64_t name = 0;
#define ACCESS_COUNTER(...)
#include "cachesim/access/counters.def"
  bool operator==(const OutcomeCounts&) const = default;
};

/// Of the same: passes of the L1's stages. Accesses that bypass the L1 have none but `bytes` and
/// what is a STAGE_PART.
struct StageCounts {
#define STAGE_COUNTER(name, ...) std::uint64_t name = 0;
#define STAGE_PART STAGE_COUNTER
#include "cachesim/access/counters.def"
  bool operator==(const StageCounts&) const = default;
};

/// Of the references that would bring a line in.
struct MissClasses {
#define CLASS_COUNTER(name, ...) std::uint64_t name = 0;
#include "cachesim/access/counters.def"
  bool operator==(const MissClasses&) const = default;
};

struct LineCounts {
#define LINE_COUNTER(name, ...) std::uint64_t name = 0;
#include "cachesim/access/counters.def"
  bool operator==(const LineCounts&) const = default;
};

/// Of a kind of access that other hardware than the L1 serves.
struct OutsideCounts {
#define OUTSIDE_COUNTER(name) std::uint64_t name = 0;
#include "cachesim/access/counters.def"
  bool operator==(const OutsideCounts&) const = default;
};

/// Calls visit("name", counts.name...) for each counter of the struct, in the order of the table. Several
/// structs of one type go together.
template <class Visit, class... Counts>
constexpr void each_access_counter(const Visit& visit, Counts&&... counts) {
#define ACCESS_COUNTER(name, ...) visit(#name, counts.name...);
#define ACCESS_PART ACCESS_COUNTER
#include "cachesim/access/counters.def"
}
template <class Visit, class... Counts>
constexpr void each_outcome_counter(const Visit& visit, Counts&&... counts) {
#define KIND_COUNTER(name, ...) visit(#name, counts.name...);
#define ACCESS_COUNTER(...)
#include "cachesim/access/counters.def"
}
template <class Visit, class... Counts>
constexpr void each_stage_counter(const Visit& visit, Counts&&... counts) {
#define STAGE_COUNTER(name, ...) visit(#name, counts.name...);
#define STAGE_PART STAGE_COUNTER
#include "cachesim/access/counters.def"
}
template <class Visit, class... Counts>
constexpr void each_class_counter(const Visit& visit, Counts&&... counts) {
#define CLASS_COUNTER(name, ...) visit(#name, counts.name...);
#include "cachesim/access/counters.def"
}
template <class Visit, class... Counts>
constexpr void each_line_counter(const Visit& visit, Counts&&... counts) {
#define LINE_COUNTER(name, ...) visit(#name, counts.name...);
#include "cachesim/access/counters.def"
}
template <class Visit, class... Counts>
constexpr void each_outside_counter(const Visit& visit, Counts&&... counts) {
#define OUTSIDE_COUNTER(name) visit(#name, counts.name...);
#include "cachesim/access/counters.def"
}

constexpr auto kAddCounter = [](const char*, std::uint64_t& sum, std::uint64_t more) { sum += more; };
template <class Counts>
concept CounterStruct = std::same_as<Counts, AccessCounts> || std::same_as<Counts, OutcomeCounts> ||
                        std::same_as<Counts, StageCounts> || std::same_as<Counts, MissClasses> ||
                        std::same_as<Counts, LineCounts> || std::same_as<Counts, OutsideCounts>;

/// The structs have nothing but such numbers.
template <CounterStruct Counts>
constexpr Counts& operator+=(Counts& sum, const Counts& more) {
  using Numbers = std::array<std::uint64_t, sizeof(Counts) / sizeof(std::uint64_t)>;
  auto total = std::bit_cast<Numbers>(sum);
  const auto added = std::bit_cast<Numbers>(more);
  for (std::size_t i = 0; i < total.size(); ++i) total[i] += added[i];
  return sum = std::bit_cast<Counts>(total);
}

/// A counter in the tables of the terminal.
struct CounterColumn {
  const char* key;
  const char* heading;  ///< "" = no column
};
/// Of each kind of access, in the order of the table.
constexpr CounterColumn kKindColumns[] = {
#define KIND_COUNTER(name, heading, ...) {#name, heading},
#include "cachesim/access/counters.def"
};
constexpr CounterColumn kStageColumns[] = {
#define STAGE_COUNTER(name, heading, ...) {#name, heading},
#include "cachesim/access/counters.def"
};
constexpr CounterColumn kClassColumns[] = {
#define CLASS_COUNTER(name, heading, ...) {#name, heading},
#include "cachesim/access/counters.def"
};
constexpr CounterColumn kLineColumns[] = {
#define LINE_COUNTER(name, heading, ...) {#name, heading},
#include "cachesim/access/counters.def"
};
/// The heading of a counter but for classes, by its key; "" without one.
constexpr const char* heading_of(std::string_view key) {
  const std::span<const CounterColumn> tables[] = {kKindColumns, kStageColumns, kLineColumns};
  for (const auto& table : tables)
    for (const CounterColumn& column : table)
      if (key == column.key) return column.heading;
  return "";
}

}  // namespace warpscope
