#pragma once
// What a core counts.
#include <array>
#include <cstdint>
#include <vector>

#include "timed/config/config.h"

namespace warpscope::timed {

/// Why a scheduler issued nothing in a cycle: the first that applies.
enum class StallReason : std::uint8_t {
  LoadStoreFull,  ///< a memory instruction is ready, the queue in front of the L1 is full
  UnitBusy,       ///< an instruction is ready, its execution unit is not
  Dependency,     ///< the warps that could issue next wait for results of short instructions
  Memory,         ///< … for data of loads
  Barrier,        ///< … for others of their work-group
  Empty,          ///< no warp
};
constexpr std::size_t kStallReasons = 6;
const char* name_of(StallReason reason);

/// By origin (site and buffer).
struct OriginCounts {
  std::uint64_t requests = 0, lanes = 0, transactions = 0;
  std::uint64_t hits = 0, hits_pending = 0, sector_misses = 0, misses = 0, bypasses = 0;
  std::uint64_t reservation_fails = 0;
  std::uint64_t evictions = 0, write_backs = 0, write_back_sectors = 0;
  std::uint64_t outside_requests = 0;
};

struct SchedulerCounts {
  std::uint64_t issue_cycles = 0;  ///< cycles in which it issued
  std::array<std::uint64_t, kStallReasons> stalls{};
};

struct CoreCounts {
  std::uint64_t instructions = 0;         ///< of warps
  std::uint64_t memory_instructions = 0;  ///< among them
  std::uint64_t lookups = 0;              ///< tags looked up
  /// That global and private memory occupies the load-store units, but for accesses that pass by the L1.
  std::uint64_t l1_cycles = 0;
  std::uint64_t load_latency = 0;  ///< cycles from issue to data, summed over loads
  std::uint64_t loads = 0;         ///< load instructions that returned data
  std::uint64_t work_groups = 0;
  std::uint64_t request_bytes = 0, reply_bytes = 0;  ///< between the core and the L2
  std::uint64_t warp_cycles = 0;                     ///< resident warps, summed over cycles
  std::vector<SchedulerCounts> schedulers;
  std::vector<OriginCounts> origins;
};

}  // namespace warpscope::timed
