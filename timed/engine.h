#pragma once
// The timed simulation of launches: cores, memory and the dispatcher of work-groups.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/replay/work_group_source.h"
#include "scheduler/schedule.h"
#include "timed/config/config.h"
#include "timed/issue/core_counts.h"
#include "timed/issue/timeline.h"
#include "timed/memory/access_lines.h"
#include "timed/memory/memory_system.h"
#include "timed/parallel/host_times.h"
#include "traces/capture/reader.h"

namespace warpscope::timed {

/// Resident warps of all cores over time.
struct OccupancyPoint {
  Cycle from = 0, to = 0;  ///< when the launch begins and ends
  double warps_per_core = 0;
};

/// What a launch did.
struct LaunchTiming {
  LaunchId launch;
  std::uint64_t l1_kib = 0;  ///< size of a core's L1, set by the caller
  Cycle cycles = 0;
  Cycle duration = 0;                   ///< `cycles`, and TimedConfig::launch_cycles
  std::vector<CoreCounts> cores;        ///< indexed by core
  std::vector<Origin> origins;          ///< what CoreCounts::origins are numbered by, ascending
  std::vector<WarpStallCounts> stalls;  ///< of all cores, indexed by instruction of machine code; else empty
  MemoryCounts memory;
  std::uint32_t slots = 0;  ///< DispatchOptions::slots
  std::vector<OccupancyPoint> occupancy;
  std::vector<CoreId> core_of_group;  ///< indexed by position in the source's groups()
  std::optional<Timeline> timeline;   ///< timeline of core 0, if requested
};

/// How work-groups come to cores.
struct DispatchOptions {
  std::uint32_t cores = 1;
  std::uint32_t gpcs =
      0;  ///< parts that the cores are in (scheduler/cluster_placement.h); 0: clusters are not placed as wholes
  /// "dynamic": to the core with free resources first, one per core in order, then the next layer, then
  /// whoever frees first (ties: the lower core). "shuffled": the same, but every layer goes to the cores in
  /// an order of its own, drawn with `seed`. A cluster starts when a GPC has slots for all its work-groups; "shuffled" draws the order of
  /// GPCs and of the cores in each. Else as scheduler/assignment.h says; a core starts its own in
  /// order.
  std::string assignment = "dynamic";
  std::uint32_t slots = 8;  ///< work-groups that a core holds at once
  std::uint32_t warp_size = 32;
  std::string reconvergence = "ipdom";
  std::uint64_t seed = 1;
  Cycle timeline_cycles = 0;  ///< how many cycles of core 0 are recorded
  /// That warps may issue; more end the launch with an InputError, at the same cycle with any number of threads. 0 = no limit.
  std::uint64_t most_instructions = 0;
  std::uint32_t threads = 1;  ///< of the host, at least 1; the results do not depend on it
  HostTimes host_times = {};  ///< empty: nothing is timed
};

class TimedEngine {
 public:
  /// Throws InputError for what cannot be simulated. `header` outlives this.
  TimedEngine(const TimedConfig& config, const StreamHeader& header);
  ~TimedEngine();
  /// Simulates one launch; the clock goes on from launch to launch. `tap` (may be null) sees every access in
  /// order of issue, cores in turn by windows, which takes one thread. Throws InputError on damage, and when a work-group has more
  /// warps than a core.
  LaunchTiming run(const WorkGroupSource& source, const DispatchOptions& options,
                   WarpAccessSink* tap = nullptr, const std::function<void(std::uint64_t)>& progress = {});

  /// A core would have touched these sectors: afterwards the L2 has them. Nothing is counted, nothing takes time.
  void touch(std::uint64_t line, SectorMask sectors, bool writes) { memory_.touch(line, sectors, writes); }

 private:
  class Run;
  void begin_launch(const LaunchInfo& launch, std::uint32_t shards, std::uint32_t lanes);

  TimedConfig config_;
  const StreamHeader& header_;
  MemorySystem memory_;
  std::vector<std::unique_ptr<AccessLines>> lines_;  ///< one for each shard of cores
  Cycle clock_ = 0;
};

/// Work-groups of `launch` that fit a core: `limit` (0 = none), at most as many as there are places for
/// warps. Throws InputError when not one fits.
std::uint32_t slots_of(const LaunchInfo& launch, const TimedConfig& config, std::uint32_t warp_size,
                       std::uint32_t limit, std::uint64_t groups);

}  // namespace warpscope::timed
