#pragma once
// Does instrumentation change what a kernel computes? Runs it without and compares every buffer.
#include <string>
#include <vector>

#include "wrapper/run/kernel_run.h"

namespace warpscope {

/// Compares all buffers of two finished runs of the same launch, bit for bit. Returns the first difference of
/// each buffer that differs, as one line of text per buffer; empty when all are equal.
std::vector<std::string> compare_buffers(KernelRun& traced, KernelRun& plain, const ResolvedLaunch& launch);

}  // namespace warpscope
