#pragma once
// A launch of machine code as the CUDA runtime hands it to the layer, which is another library of the same build.
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
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

  /// A launch of this kernel has shown that its work-groups have to run in turns; null: nobody wants to know.
  std::shared_ptr<std::atomic<bool>> needs_turns;

  /// Makes the observers of so many threads that execute work-groups at the same time, or of one that does so in turns, and is called
  /// again if what the ones before saw has to be forgotten.
  using MakeObservers = std::function<std::vector<machine::Observer*>(unsigned threads)>;
  /// Executes it without recording.
  void execute();
  /// Executes it, observed; the same whichever number of threads does it.
  void execute(const MakeObservers& make_observers, const machine::LaunchPart& part);
};

/// Threads for a launch, of pocl_threads(): 1 where it does too little for several, or for the copies that these need of what it writes.
unsigned threads_for(const MachineTask& task);
/// Threads besides the one that executes work-groups in turns, which finish what it recorded of `groups` of them.
unsigned finishers_for(const MachineTask& task, std::uint64_t groups);

}  // namespace warpscope
