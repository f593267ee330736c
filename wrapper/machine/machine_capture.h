#pragma once
// Runs a launch of machine code and puts what it does into a capture file, as capture_launch() does with a kernel on PoCL.
#include <cstdint>
#include <vector>

#include "machine/describe/describe_kernel.h"
#include "wrapper/machine/machine_run.h"
#include "wrapper/run/capture_launch.h"

namespace warpscope {

/// What the machine code of a run's kernel is, for captures, with `source`'s name and arguments.
struct MachineKernel {
  machine::CodeFlow flow;
  machine::DescribedKernel described;
  MachineCode code;
  std::vector<std::uint64_t>
      places;  ///< of each of its objects: the offset in shared memory, the address of a variable; 0 of the stack
};
/// `from`: who made it. Throws machine::ExecutionFault for code that cannot be recorded.
MachineKernel describe_machine_kernel(const MachineRun& run, const KernelInfo& source,
                                      const std::string& from);

/// The object for what work-groups access of each other's shared memory: where it is behind their own, and how far theirs are apart in it, in bytes.
constexpr std::uint64_t kSharedOfCluster = machine::kWindowBytes;
std::uint64_t stride_in_cluster(const MachineRun& run);

/// The work-groups of a launch that are chosen, and how many these are.
struct MachinePart {
  machine::LaunchPart part;
  std::uint64_t groups = 0;
};
MachinePart part_of(const LaunchInfo& info, const CaptureSettings& settings);
/// After the run: how often each instruction was executed, and the code with what depended on the order of warps.
std::vector<InstructionTotals> totals_of(const MachineRun& run);
MachineCode code_with_order(const MachineRun& run, const MachineKernel& kernel);

/// Throws InputError on full disks, machine::ExecutionFault; both leave a readable NAME.part.
CaptureReport capture_machine_launch(MachineRun& run, const MachineKernel& kernel, const LaunchInfo& info,
                                     const LaunchObjects& objects, const CaptureSettings& settings);

}  // namespace warpscope
