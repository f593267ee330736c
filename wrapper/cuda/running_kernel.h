#pragma once
// The end of a kernel, which may come in the middle (wrapper/device/kernel_stop.h).
#include <CL/cl.h>

#include <string>

namespace warpscope::cuda {

/// Waits until the command behind `event`, which has been enqueued last, has ended. Throws Failure with the
/// error that is sticky from then on if its kernel was stopped: then PoCL's threads stay in it, and nothing can
/// run any more. One kernel runs at a time.
void wait_for_kernel(cl_command_queue queue, cl_event event);

/// From now on kernels of this process may be stopped.
void expect_stops();

}  // namespace warpscope::cuda
