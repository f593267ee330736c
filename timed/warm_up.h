#pragma once
// What launches that are not simulated would leave in the L2.
#include <cstdint>

#include "cachesim/sampling/launch_sample.h"
#include "cachesim/simulate/launch_cache.h"
#include "timed/engine.h"

namespace warpscope::timed {

/// Takes the place of the launches between those that were drawn.
class WarmUp {
 public:
  /// `cache_of`: as for the simulation. All outlive this.
  WarmUp(const LaunchSample& sample, const CaptureReader& capture, const ScheduleOptions& schedule,
         const TimedConfig& config, const LaunchCache& cache_of)
      : sample_(sample), capture_(capture), schedule_(schedule), config_(config), cache_of_(cache_of) {}

  /// For every drawn launch in order: looks at what came before it and was not drawn. True where a simulation of all launches would
  /// begin this one with a new engine.
  bool begin_launch(const LaunchInfo& launch);
  /// Then, once: puts what these launches touch into the L2 of `engine`, in fixed order, without time or counts and without an L1 in
  /// between. The last of them do, as many as may fill the L2 several times, at most kMost. `resident`: work-groups that take turns.
  void fill(TimedEngine& engine, std::uint32_t resident) const;

  static constexpr std::size_t kMost = 8;
  static constexpr double kTimesL2 = 4;

 private:
  const LaunchSample& sample_;
  const CaptureReader& capture_;
  const ScheduleOptions& schedule_;
  const TimedConfig& config_;
  const LaunchCache& cache_of_;
  std::size_t next_ = 0;                ///< position after the last drawn launch
  std::size_t first_ = 0, behind_ = 0;  ///< positions of the launches to fill the L2 with
};

}  // namespace warpscope::timed
