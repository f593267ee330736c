#pragma once
// Functions of the system that device code calls.
#include <string>

#include "machine/execute/warp.h"

namespace warpscope::machine {

/// Executes vprintf (text goes to stdout), malloc, free, cudaGraphSetConditional or __assertfail for lanes, ascending. Throws ExecutionFault: an
/// assertion failed, or the function is another one.
void call_system_function(Warp& warp, const std::string& name, LaneSet lanes);

}  // namespace warpscope::machine
