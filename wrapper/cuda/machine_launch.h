#pragma once
// A launch of machine code in the program's own thread, recorded by the layer where it is traced.
#include "wrapper/cuda/launch.h"

namespace warpscope::cuda {

/// Of a kernel with `machine`. Throws Failure as launch() does.
void launch_machine(const Kernel& kernel, const LaunchRequest& request);

}  // namespace warpscope::cuda
