#pragma once
// Counters of a launch of machine code that depend on no cache, while it is executed: --counters.
#include <nlohmann/json.hpp>
#include <string>

#include "gpus/preset.h"
#include "wrapper/machine/machine_capture.h"

namespace warpscope {

struct MachineCounters {
  RecorderTotals totals;
  std::string order_dependent;      ///< order_dependence()
  nlohmann::ordered_json profiler;  ///< as profiler_json(); null: the GPU has no compute capability
  std::string in_turns;             ///< as of CaptureReport
  double seconds = 0;               ///< of the execution
};

/// Runs the launch and counts as the GPU's L1 is asked; of `settings` the work-groups count. Throws InputError, machine::ExecutionFault.
MachineCounters count_machine_launch(MachineRun& run, const MachineKernel& kernel, const LaunchInfo& info,
                                     const LaunchObjects& objects, const CaptureSettings& settings,
                                     const GpuPreset& gpu);

/// Writes them to a file, "-": standard output. Throws InputError.
void write_counters(const MachineCounters& counters, const LaunchInfo& info, const GpuPreset& gpu,
                    std::uint64_t instructions, const std::string& path);

}  // namespace warpscope
