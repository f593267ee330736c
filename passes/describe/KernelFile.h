//===- KernelFile.h - write kernel descriptions -------------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_KERNELFILE_H
#define WARPSCOPE_PASSES_KERNELFILE_H

#include <string>
#include <vector>

#include "traces/program/kernel_info.h"

namespace wspasses {

/// Writes a JSON array of kernel descriptions. Returns an error message, empty if there was none.
/// In a file of its own because the JSON library needs exceptions, which code with LLVM's headers
/// is compiled without.
std::string writeKernelFile(const std::string &Path,
                            const std::vector<warpscope::KernelInfo> &Kernels);

} // namespace wspasses

#endif
