#pragma once
// What is noted of a work-item while it runs.
#include <cstdint>
#include <limits>

namespace warpscope {

/// Run-length state of one (work-item, site): the address seen last, and the run that is still growing.
/// Sites without an address (barriers, fences) use only `repeat`, as a counter.
struct Slot {
  static constexpr std::int64_t kUnused = std::numeric_limits<std::int64_t>::min();
  std::uint64_t last = 0;
  std::int64_t delta = kUnused;  ///< bytes between the run's accesses; kUnused before the first access
  std::uint64_t repeat = 0;      ///< length of the run; 0 with a used slot = only the first access so far
  std::uint64_t first = 0;
};

/// A run that ended: `repeat` steps of `delta` bytes at `slot`.
struct Token {
  std::int64_t delta = 0;
  std::uint32_t slot = 0;
  std::uint32_t repeat = 0;
  bool operator==(const Token&) const = default;
};

/// Branch outcomes of one work-item: `fill` bits in `bits`, before them `pending_repeat` full words equal to
/// `pending`, before those the work-item's entries of the word log.
struct OutcomeState {
  std::uint64_t bits = 0;
  std::uint64_t pending = 0;
  std::uint64_t pending_repeat = 0;
  std::uint32_t fill = 0;
  std::uint32_t unused = 0;
  bool operator==(const OutcomeState&) const = default;
};

/// `repeat` full words of outcomes of one work-item.
struct OutcomeToken {
  std::uint64_t word = 0;
  std::uint32_t item = 0;
  std::uint32_t repeat = 0;
  bool operator==(const OutcomeToken&) const = default;
};

}  // namespace warpscope
