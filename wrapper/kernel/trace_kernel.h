#pragma once
// One kernel file, one launch, one capture: no host program needed.
#include "wrapper/program/trace_request.h"

namespace warpscope {

/// Compiles, runs and records what the request describes, prints what it did to stderr, and returns an exit
/// status: kExitNotTraceable where the kernel does what cannot be traced, or --verify found a difference.
/// Before the first OpenCL call of the process: PoCL reads its number of threads once. Throws InputError.
int trace_kernel(const TraceRequest& request);

}  // namespace warpscope
