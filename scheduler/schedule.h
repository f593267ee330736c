#pragma once
// From a capture to an ordered stream of warp accesses. Fixed order: the policy alone decides.
#include <boost/program_options.hpp>
#include <iosfwd>
#include <optional>
#include <string>

#include "gpus/preset.h"
#include "traces/capture/reader.h"
#include "traces/program/core_share.h"
#include "traces/program/launch_selection.h"
#include "traces/program/layout.h"
#include "traces/stream/stream.h"

namespace warpscope {

struct ScheduleOptions {
  std::string policy = "warp";   ///< a name of scheduler/policies/registry.def
  std::uint32_t warp_size = 32;  ///< lanes, 1 .. kMaxWarpSize; single-work-item policies use 1
  std::uint32_t cores = 1;
  std::optional<CoreId> only_core;  ///< --core N; absent = all
  CoreShare share;                  ///< of the cores, for a caller with several threads
  std::string assignment =
      "round-robin";                  ///< "round-robin", "random", or a file with one core per work-group
  std::uint32_t max_work_groups = 8;  ///< resident per core; 0 = no limit
  std::optional<GpuPreset> limits;    ///< when present, residency follows its limits, not max_work_groups
  std::optional<std::uint32_t> registers;  ///< per work-item, for the limits; absent = the capture's estimate
  LaunchSelection launches;
  std::uint64_t seed = 1;
  std::string reconvergence = "ipdom";  ///< or "loops"
  bool self_check = false;  ///< replay must consume exactly what was recorded; throws InputError if not
  LayoutOptions layout;
  nlohmann::json preset_context;  ///< copied into the stream's context
};

/// Adds --policy, --warp-size, --cores, --core, --assign, --max-workgroups, --registers, --launch, --kernel,
/// --seed,
/// --reconvergence,
/// --self-check, --buffer-base, --buffer-align, --layout-seed, and what add_preset_options() adds.
void add_schedule_options(boost::program_options::options_description& description);
/// Reads them; a preset gives the defaults of what is not on the command line. Throws InputError.
ScheduleOptions schedule_options_from(const boost::program_options::variables_map& values);

/// Adds --launch and --kernel.
void add_launch_options(boost::program_options::options_description& description);
/// Reads them. Throws InputError.
LaunchSelection launches_from(const boost::program_options::variables_map& values);

/// Adds --gpu, its alias --preset, --set, --list-presets, --show-preset.
void add_preset_options(boost::program_options::options_description& description);
struct GpuChoice {
  std::string name;      ///< as load_preset() takes it
  std::string asked_by;  ///< "--gpu", "--preset" or "WARPSCOPE_GPU"
};
/// --gpu or --preset, else the variable WARPSCOPE_GPU unless the options give a whole cache ("size-kib" is
/// set). Throws InputError when both options are there.
std::optional<GpuChoice> gpu_choice(const boost::program_options::variables_map& values);
/// That GPU with the changes of --set; absent without a choice. Throws InputError as load_preset().
std::optional<GpuPreset> preset_from(const boost::program_options::variables_map& values);
/// Answers --list-presets and --show-preset; whether there was one of them.
bool show_presets(const boost::program_options::variables_map& values, std::ostream& out);

/// Runs the schedule of every selected launch that fits the GPU into `sink` (begin … end). Returns the
/// others, as skip_misfits() (scheduler/skipped_launches.h); they are `skipped` in the header's context, too.
/// Memory is bounded by the resident work-groups. Same capture and options, same calls. Throws InputError on
/// a damaged capture or impossible options, Refused when no launch fits.
nlohmann::json run_schedule(const CaptureReader& capture, const ScheduleOptions& options,
                            WarpAccessSink& sink);

}  // namespace warpscope
