#pragma once
// What NVIDIA's profilers would have said: counters of cachesim/access/profiler.def.
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cachesim/counters/counts.h"
#include "cachesim/l1/cache_config.h"
#include "gpus/preset.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// Sectors of 32 bytes that the L1s ask the L2 for: misses of loads, private memory included, and loads that
/// bypass the L1. Absent where loads of lines larger than a sector bypass it and `stages` were not counted:
/// hardware reads their sectors only.
std::optional<std::uint64_t> l1_to_l2_read_sectors(const Counts& counts, const CacheConfig& cache,
                                                   bool stages);

/// What one launch, or all, came to.
struct ProfiledCounts {
  const Counts& counts;
  const CacheConfig& cache;
  bool stages = false;                        ///< whether stages were counted
  bool banks = false;                         ///< whether passes of local memory were counted
  std::optional<std::uint32_t> warps = {};    ///< resident on a core at most; absent = not known
  const nlohmann::ordered_json* timing = {};  ///< `timing` of timed mode, or null
  nlohmann::json executed = {};               ///< ExecutedCounters, or null
  bool has_cache = true;  ///< false: hits, misses and what follows from them are not known
};
/// {"ncu": {…}, "nvprof": {…}}: a profiler that does not know the GPU is not there, nor is a counter that it
/// lacks. Null without a GPU or a compute capability.
nlohmann::ordered_json profiler_json(const ProfiledCounts& profiled, const std::optional<GpuPreset>& gpu);

/// Counters of the instructions that machine code executed, as the schedule's context has them (`executed`).
class ExecutedCounters {
 public:
  explicit ExecutedCounters(const StreamHeader& header);
  /// By name; null: not known.
  [[nodiscard]] nlohmann::json of(const LaunchInfo& launch) const;
  /// Sums over all launches; null unless they are known of each.
  [[nodiscard]] nlohmann::json of_all(const LaunchList& launches) const;

 private:
  std::map<std::uint64_t, nlohmann::json> of_launch_;
};

/// Warps that a core holds at once, by launch, as the schedule says (`residency` or `max_work_groups` of its
/// context).
class ResidentWarps {
 public:
  explicit ResidentWarps(const StreamHeader& header);
  /// Absent = not known, or no limit.
  [[nodiscard]] std::optional<std::uint32_t> of(const LaunchInfo& launch) const;
  /// Of all launches, where they agree.
  [[nodiscard]] std::optional<std::uint32_t> of_all(const LaunchList& launches) const;

 private:
  struct Alike {
    std::uint64_t first, last;  ///< numbers of launches
    std::uint32_t work_groups;  ///< 0 = no limit
  };
  std::uint32_t warp_size_;
  std::vector<Alike> alike_;                  ///< ascending, disjoint
  std::optional<std::uint32_t> work_groups_;  ///< work-groups of every other launch
};

}  // namespace warpscope
