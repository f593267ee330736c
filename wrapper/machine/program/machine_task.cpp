#include "wrapper/machine/program/machine_task.h"

namespace warpscope {

void MachineTask::execute(machine::Observer* observer, const machine::LaunchPart& part) {
  try {
    run->run(observer, part);
  } catch (const machine::ExecutionFault& found) {
    fault = found.what();
    kind = found.kind;
  }
}

}  // namespace warpscope
