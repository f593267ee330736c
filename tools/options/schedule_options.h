#pragma once
// The options about the order of accesses, the same for every tool that schedules a capture.
#include "scheduler/schedule.h"
#include "tools/options/command_options.h"
#include "tools/options/gpu_options.h"
#include "tools/options/option_values.h"

namespace warpscope {

/// --policy, --warp-size, --cores, --core, --assign, --max-workgroups, --registers, --seed, --reconvergence, --self-check,
/// --buffer-base, --buffer-align, --layout-seed, --element-bytes, and what add_launch_options() and add_preset_options() add.
OptionGroup schedule_options(std::string title);
/// Reads them; `gpu` gives the defaults of what is not on the command line. Throws InputError.
ScheduleOptions schedule_options_from(const OptionValues& values, const std::optional<GpuPreset>& gpu);
/// The same with the GPU that the options name.
ScheduleOptions schedule_options_from(const OptionValues& values);

/// Adds --launch and --kernel.
void add_launch_options(boost::program_options::options_description& description);
/// Reads them. Throws InputError.
LaunchSelection launches_from(const OptionValues& values);

}  // namespace warpscope
