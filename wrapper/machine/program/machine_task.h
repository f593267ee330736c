#pragma once
// A launch of machine code as the CUDA runtime hands it to the layer, which is another library of the same build.
#include <cstdint>
#include <string>
#include <vector>

#include "machine/execute/base/fault.h"
#include "traces/program/kernel_info.h"
#include "wrapper/machine/machine_run.h"

namespace warpscope {

struct MachineTask {
  MachineRun* run = nullptr;
  const KernelInfo* kernel = nullptr;             ///< name and arguments
  std::vector<std::vector<std::uint8_t>> values;  ///< bytes of each argument
  std::string from;                               ///< who made the code: MachineProgram::from()
  std::string source_name;                        ///< of the kernel's file
  std::string source;                             ///< its text; "": not known
  std::string fault;  ///< set by the run: what ended it, with the place; "": it came to its end
  machine::FaultKind kind = machine::FaultKind::NotExecuted;  ///< of the fault

  /// Executes it without recording.
  void execute(machine::Observer* observer = nullptr, const machine::LaunchPart& part = {});
};

}  // namespace warpscope
