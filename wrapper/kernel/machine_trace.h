#pragma once
// Launches of machine code: executed here and recorded. The code is in the file, or a compiler of NVIDIA's has made it.
#include <string>
#include <vector>

#include "wrapper/kernel/capture_job.h"
#include "wrapper/kernel/kernel_inputs.h"
#include "wrapper/launch/missing_arguments.h"
#include "wrapper/machine/machine_program.h"

namespace warpscope {

/// Executes a launch, records it, says so; returns the exit status. `source`: name and arguments.
int record_machine(const CaptureJob& job, const MachineProgram& program, const ResolvedLaunch& launch,
                   const KernelInfo& source, double compile_seconds);

/// The same of a kernel that no source describes: its parameters are those of the code. `source`: the text that it was made from, or "".
int trace_code(const TraceRequest& request, const Inputs& inputs, const std::vector<MachineProgram>& programs,
               const std::string& source, double compile_seconds);

/// A file that is_device_file().
int trace_device_file(const TraceRequest& request);

}  // namespace warpscope
