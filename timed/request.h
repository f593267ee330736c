#pragma once
// What a timed simulation is asked for.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cachesim/simulate/launch_count.h"
#include "gpus/preset.h"
#include "scheduler/schedule.h"
#include "timed/config/config.h"
#include "timed/config/preset_config.h"
#include "timed/parallel/host_times.h"
#include "traces/stream/stream.h"

namespace warpscope::timed {

/// Simplifications of the machine that one can ask for.
enum class Ideal : std::uint8_t {
  No,
  Issue,      ///< nothing takes time and nothing runs out: TimedConfig::make_ideal()
  FixedOrder  ///< the order of cachesim's policy warp: TimedConfig::make_fixed_order()
};
/// "", "issue" or "fixed-order".
const char* name_of(Ideal ideal);

struct TimedRequest {
  std::string input;                ///< path of a capture; "-" = standard input
  bool partial = false;             ///< a capture that was cut short is taken up to its last intact part
  GpuPreset preset;                 ///< set by use_gpu(); every timed simulation has one
  TimedConfig config;               ///< the GPU; its seeds are those of `schedule`
  std::vector<Assumption> assumed;  ///< what the preset does not know
  ScheduleOptions schedule;         ///< machine, launches and layout; `policy` and `assignment` are not used
  std::string assignment = "dynamic";  ///< one of assignment_rules(), or a file with one core per work-group
  Ideal ideal = Ideal::No;             ///< fixed order takes a static assignment only
  bool effects = false;  ///< simulate again without limits on outstanding misses and without latency
  std::optional<LaunchCount> sample_launches;  ///< drawn with schedule.seed; absent = all
  std::uint32_t repeat = 1;           ///< 1 … 10,000 simulations with other layouts, placements and seeds
  std::uint32_t timeline_cycles = 0;  ///< core 0 of the launch with most cycles
  std::uint32_t threads = 1;          ///< host threads, 1 … 1024; the results do not depend on it
  bool lists_launches = true;         ///< whether the result has launches[]
  std::uint32_t waves = 0;  ///< of work-groups on all cores, that are simulated of each launch; 0 = all
  std::uint64_t most_instructions =
      0;                      ///< that warps may issue in all launches; more are refused; 0 = no limit
  HostTimes host_times = {};  ///< empty: nothing is timed
  std::optional<std::string> write_assignment;  ///< file that gets one core per work-group, of one launch
};

/// "dynamic", "shuffled", …: the names that `assignment` may have.
std::span<const char* const> assignment_rules();

/// The machine of the GPU. `stages` as config_from() takes it. The schedule has a use_gpu() of its own. Throws
/// InputError when the preset names a policy that is not there.
void use_gpu(TimedRequest& request, const GpuPreset& gpu, std::optional<L1Stages> stages = {});
/// Simplifies the machine as `ideal` says and gives every part the seed of the schedule: once, when all else is
/// set. Throws InputError for everything that is wrong whatever the
/// input is.
void complete(TimedRequest& request);
/// Throws InputError unless the input is a capture.
void check_against_input(const TimedRequest& request, FileKind kind);

}  // namespace warpscope::timed
