#pragma once
// The caches of a core from which instructions and constants come: when what a warp needs is there. Each scheduler has caches of its own, behind
// which are those of the core. They are empty at the start of a launch.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "timed/config/config.h"

namespace warpscope::timed {

/// Lines that are there or on their way, the least recently used of a set replaced.
class ArrivingLines {
 public:
  ArrivingLines(std::uint32_t sets, std::uint32_t ways) : sets_(sets), ways_(ways), entries_(sets * ways) {}
  /// The cycle in which `line` arrives or has arrived; kNever if nobody has asked for it. Counts as a use.
  Cycle find(std::uint32_t line);
  /// `line`, which is not among them, arrives in cycle `at`.
  void add(std::uint32_t line, Cycle at);

 private:
  struct Entry {
    Cycle at = kNever;
    std::uint64_t used = 0;  ///< 0: empty
    std::uint32_t line = 0;
  };
  std::uint32_t sets_, ways_;
  std::uint64_t uses_ = 0;
  std::vector<Entry> entries_;
};

class Fetch {
 public:
  static constexpr std::uint32_t kInstructionsPerLine = 8;  ///< 128 bytes
  static constexpr std::uint32_t kConstantLine = 64;        ///< bytes
  static constexpr std::uint32_t kLinesOfBank = 1024;       ///< 64 KiB
  static constexpr std::uint32_t kPrefetched = 8;           ///< lines behind one that was not there
  /// For so long a scheduler waits for a constant that is not there; then other warps issue.
  static constexpr Cycle kConstantHold = 4;

  /// `entry`: the first instruction of the launch.
  Fetch(const FetchTimes& times, std::uint32_t schedulers, std::uint32_t entry);

  /// Whether there is any cache for instructions, and of constants for operands and for LDC.
  [[nodiscard]] bool has_instructions() const { return times_.instruction_l0_bytes != 0; }
  [[nodiscard]] bool has_operands() const { return times_.constant_l0_bytes != 0; }
  [[nodiscard]] bool has_loads() const { return times_.constant_l1_bytes != 0; }
  /// The cycle in which a scheduler has the instructions of `line`, for which a warp asks in cycle `now`.
  Cycle instructions_at(std::uint32_t scheduler, std::uint32_t line, Cycle now);
  /// The same of a line of constants (bank · kLinesOfBank + offset / kConstantLine) that an operand names.
  Cycle operand_at(std::uint32_t scheduler, std::uint32_t line, Cycle now);
  /// What an LDC of the line takes longer.
  Cycle load_delay(std::uint32_t line, Cycle now);

 private:
  /// The lines behind the last one that was not there, of which the first is `next`.
  struct Stream {
    std::uint32_t next = 0, count = 0;
    std::array<Cycle, kPrefetched> at{};  ///< a ring, indexed by line mod kPrefetched
    Cycle asks = 0;                       ///< the last one: a line a cycle
  };
  struct Scheduler {
    ArrivingLines instructions, constants;
    Stream stream;
    std::vector<bool> seen;  ///< of bank 0
  };
  Cycle from_l1(std::uint32_t line, Cycle now);
  void prefetch(Stream& stream, Cycle now);
  bool is_first_of_parameters(std::vector<bool>& seen, std::uint32_t line) const;

  FetchTimes times_;
  std::vector<Scheduler> schedulers_;
  ArrivingLines instructions_, constants_;  ///< of the core
  std::vector<bool> seen_;
};

}  // namespace warpscope::timed
