#pragma once
// From a capture to an ordered stream of warp accesses. Fixed order: the policy alone decides.
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gpus/preset.h"
#include "scheduler/formation/formation.h"
#include "traces/capture/reader.h"
#include "traces/program/core_sample.h"
#include "traces/program/core_share.h"
#include "traces/program/launch_selection.h"
#include "traces/program/layout.h"
#include "traces/stream/stream.h"

namespace warpscope {

constexpr std::uint32_t kMostScheduledCores = 1u << 20;

/// What run_schedule() is asked for. The defaults are those of warpsched without a GPU.
struct ScheduleOptions {
  std::string policy = "warp";      ///< a name of scheduler/policies/registry.def
  std::uint32_t warp_size = 32;     ///< lanes, 1 … kMaxWarpSize; single-work-item policies use 1
  std::uint32_t cores = 1;          ///< number that shares the work-groups: 1 … kMostScheduledCores
  std::uint32_t gpcs = 0;           ///< parts that the cores are in, for clusters of work-groups; 0 = unknown
  std::optional<CoreId> only_core;  ///< the core whose accesses are reported, below `cores`; absent = all
  std::uint32_t sample_count =
      0;  ///< number of cores that run_schedule() draws with `seed` (core_sample.h); 0 = all
  std::vector<std::uint32_t> sample;  ///< cores whose accesses run_launch() reports, ascending; empty = all
  CoreShare share;                    ///< share of these cores, for a caller with several threads
  std::string assignment =
      "round-robin";                  ///< "round-robin", "random", or a file with one core per work-group
  std::uint32_t max_work_groups = 8;  ///< resident per core; 0 = no limit
  std::optional<GpuPreset> limits;    ///< when present, residency follows its limits, not max_work_groups
  std::optional<std::uint32_t> registers;  ///< per work-item, for the limits; absent = the capture's estimate
  LaunchSelection launches;                ///< default: all
  std::uint64_t seed = 1;                  ///< seed of random assignment and random order
  std::string reconvergence = "ipdom";     ///< "ipdom" or "loops"
  std::optional<Formation> formation;      ///< absent: warps stay, in the order of the policy
  std::shared_ptr<FormationCounts> formation_counts;  ///< where present, of `formation`; for one thread
  bool self_check = false;        ///< replay must consume exactly what was recorded; throws InputError if not
  LayoutOptions layout;           ///< addresses of the buffers
  nlohmann::json preset_context;  ///< copied into the stream's context
};

/// Cores, warp size and limits of the GPU, as defaults: what is set afterwards replaces them.
void use_gpu(ScheduleOptions& options, const GpuPreset& gpu);
/// Throws InputError for what no capture could be scheduled with. run_schedule() does it, too.
void validate(const ScheduleOptions& options);

/// How many work-groups of the launches, which fit, a core of options.limits holds, for each kind of launch once:
/// `residency` of a schedule's context. What forbids more, and where the registers come from.
nlohmann::json residency_of(const std::vector<const LaunchInfo*>& launches, const ScheduleOptions& options);

/// `executed` of a context, where launches are machine code: counters of instructions of each. They are of all cores.
void add_executed(const CaptureReader& capture, const std::vector<const LaunchInfo*>& launches,
                  nlohmann::json& context);

/// Cores that stand for all of these launches: options.sample_count of them, drawn with options.seed (core_sample.h). Throws
/// InputError, which begins with --sample-cores, where none can.
std::vector<std::uint32_t> drawn_for(const CaptureReader& capture,
                                     const std::vector<const LaunchInfo*>& launches,
                                     const ScheduleOptions& options);

/// Key of a stream's context: the cores that were drawn for it.
constexpr const char* kSampledCores = "sampled_cores";
/// The cores that run_schedule() drew for this stream, ascending; empty where it drew none. Throws InputError where the context,
/// which comes from a file, has anything else there.
std::vector<std::uint32_t> drawn_for_stream(const StreamHeader& header);

/// Runs the schedule of every selected launch that fits the GPU into `sink` (begin … end). Returns the
/// others, as skip_misfits() (scheduler/skipped_launches.h); they are `skipped` in the header's context, too.
/// Memory is bounded by the resident work-groups. Same capture and options, same calls. Throws InputError on
/// a damaged capture or impossible options, Refused when no launch fits.
nlohmann::json run_schedule(const CaptureReader& capture, const ScheduleOptions& options,
                            WarpAccessSink& sink);

}  // namespace warpscope
