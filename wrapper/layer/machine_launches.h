#pragma once
// Launches of machine code, which the CUDA runtime makes in the program's own thread.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "wrapper/layer/launches.h"
#include "wrapper/layer/memory.h"
#include "wrapper/machine/machine_kernel.h"
#include "wrapper/machine/program/machine_task.h"
#include "wrapper/session/session.h"

namespace warpscope::layer {

class MachineLaunches {
 public:
  MachineLaunches(Session& session, Memory& memory, Launches& launches, Allocations& allocations)
      : session_(session), memory_(memory), launches_(launches), allocations_(allocations) {}

  /// Executes the launch, recorded if it is chosen. Throws nothing: what cannot be recorded runs all the same, and is reported.
  void run(cl_context context, MachineTask& task) noexcept;

 private:
  struct Launch;
  class Recording;
  /// What a launch's code is; those of one kernel share it.
  std::shared_ptr<const MachineKernel> describe(const MachineTask& task);
  void describe_launch(cl_context context, const MachineTask& task, Launch& launch);
  void add_argument(const MachineTask& task, std::size_t index, Launch& launch);
  /// Memory of malloc() in kernels, once one has called it.
  void add_heap(const MachineTask& task, Launch& launch);
  void record(MachineTask& task, Launch& launch);
  void time(MachineTask& task);

  Session& session_;
  Memory& memory_;
  Launches& launches_;
  Allocations& allocations_;
  std::map<std::string, std::shared_ptr<const MachineKernel>> kernels_;
  std::map<std::string, std::vector<BufferId>> objects_;  ///< of each of these, in the capture
  BufferId heap_;                                         ///< 0: no kernel has called malloc()
};

}  // namespace warpscope::layer
