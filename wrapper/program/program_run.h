#pragma once
// Runs a program with the layer between it and OpenCL, and finishes what it leaves behind.
#include "wrapper/program/trace_request.h"

namespace warpscope {

/// Returns the program's exit status, or 3 when that is 0 and something was not traced. Ends with the
/// program's signal if one killed it. Throws InputError when the program cannot be started.
int run_program(const TraceRequest& request);

}  // namespace warpscope
