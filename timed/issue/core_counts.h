#pragma once
// What a core counts.
#include <array>
#include <cstdint>
#include <vector>

#include "cachesim/access/counters.h"
#include "timed/config/config.h"
#include "timed/issue/warp_stalls.h"

namespace warpscope::timed {

/// Why a scheduler issued nothing in a cycle: the first that applies.
enum class StallReason : std::uint8_t {
  LoadStoreFull,  ///< a memory instruction is ready, the queue in front of the L1 is full
  UnitBusy,       ///< an instruction is ready, its execution unit is not
  Dependency,     ///< the warps that could issue next wait for results of short instructions
  Memory,         ///< … for data of loads
  Barrier,        ///< … for others of their work-group
  Empty,          ///< the scheduler has no warp
  HeldBack,       ///< a warp can issue, the policy does not let it
};
constexpr std::size_t kStallReasons = 7;
const char* name_of(StallReason reason);

/// By origin (site and buffer).
struct OriginCounts : OutcomeCounts, AccessCounts, LineCounts {
  std::uint64_t outside_requests = 0, outside_wavefronts = 0,
                outside_conflicts = 0;  ///< the last two of local memory
};

struct SchedulerCounts {
  std::uint64_t issue_cycles = 0;  ///< cycles in which it issued
  std::array<std::uint64_t, kStallReasons> stalls{};
};

/// Of a core, of several, of launches: cachesim/access/counters.def says what they count.
struct TimingCounts {
#define TIMING_COUNTER(name, ...) std::uint64_t name = 0;
#define TIMING_PART TIMING_COUNTER
#include "cachesim/access/counters.def"
  TimingCounts& operator+=(const TimingCounts& other) {
#define TIMING_COUNTER(name, ...) name += other.name;
#define TIMING_PART TIMING_COUNTER
#include "cachesim/access/counters.def"
    return *this;
  }
};

struct CoreCounts : TimingCounts {
  std::vector<SchedulerCounts> schedulers;
  std::vector<OriginCounts> origins;
  WarpStallCounts warp_stalls{};  ///< cycles of its warps; 0 without machine code
};

}  // namespace warpscope::timed
