#pragma once
// Runs a launch of machine code and puts what it does into a capture file, as capture_launch() does with a kernel on PoCL.
#include <cstdint>

#include "wrapper/machine/machine_kernel.h"
#include "wrapper/run/capture_launch.h"

namespace warpscope {

/// The work-groups of a launch that are chosen, and how many these are.
struct MachinePart {
  machine::LaunchPart part;
  std::uint64_t groups = 0;
};
MachinePart part_of(const LaunchInfo& info, const CaptureSettings& settings);
/// Throws InputError on full disks, machine::ExecutionFault; both leave a readable NAME.part.
CaptureReport capture_machine_launch(MachineRun& run, const MachineKernel& kernel, const LaunchInfo& info,
                                     const LaunchObjects& objects, const CaptureSettings& settings);

}  // namespace warpscope
