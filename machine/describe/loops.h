#pragma once
// Natural loops of a kernel's machine code.
#include "machine/describe/flow.h"
#include "traces/program/kernel_info.h"

namespace warpscope::machine {

/// Sets the loops of `info`, and the innermost loop of each of its blocks, which are those of `flow`. A function that the kernel calls is
/// in no loop of its callers. No loop counts as counted: its instructions are executed as they are, and unrolled no further.
void add_loops(const CodeFlow& flow, KernelInfo& info);

}  // namespace warpscope::machine
