#pragma once
// Runs a launch of machine code and puts what it does into a capture file, as capture_launch() does with a kernel on PoCL.
#include <cstdint>
#include <string>

#include "wrapper/machine/group_progress.h"
#include "wrapper/machine/machine_kernel.h"
#include "wrapper/run/capture_launch.h"

namespace warpscope {

/// The work-groups of a launch that are chosen, how many these are, and threads for those that run.
struct MachinePart {
  machine::LaunchPart part;
  std::uint64_t groups = 0;
  unsigned threads = 1;
};
MachinePart part_of(const LaunchInfo& info, const CaptureSettings& settings);
/// Executes a launch on several threads, each with one of `make_all`'s observers, or where that cannot be with `make_one`'s on one. Both are called when the
/// work-groups begin, and what observers before saw is to be forgotten. Returns why all ran on one in turns; "": they did not, one was asked for, or a
/// limit was reached in the attempt.
std::string run_on_threads(MachineRun& run, unsigned threads, const machine::MakeObservers& make_all,
                           const machine::MakeObservers& make_one, const GroupProgress& progress,
                           const machine::LaunchPart& part);
/// Throws InputError on full disks, machine::ExecutionFault; both leave a readable NAME.part.
CaptureReport capture_machine_launch(MachineRun& run, const MachineKernel& kernel, const LaunchInfo& info,
                                     const LaunchObjects& objects, const CaptureSettings& settings);

}  // namespace warpscope
