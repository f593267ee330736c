#pragma once
// The kernel of a run of machine code as captures describe it.
#include <cstdint>
#include <string>
#include <vector>

#include "machine/describe/describe_kernel.h"
#include "traces/program/machine_code.h"
#include "wrapper/machine/machine_run.h"

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

/// After the run: how often each instruction was executed, and the code with what depended on the order of warps.
std::vector<InstructionTotals> totals_of(const MachineRun& run);
MachineCode code_with_order(const MachineRun& run, const MachineKernel& kernel);

}  // namespace warpscope
