#pragma once
// The kernels of machine code and their parameters, where no source says them: sizes from the cubin, types from mangled names and PTX, names from PTX
// and, if it is at hand, the source.
#include <string>
#include <vector>

#include "machine/cubin/cubin.h"
#include "traces/program/kernel_info.h"
#include "wrapper/launch/kernel_signatures.h"
#include "wrapper/launch/launch_description.h"

namespace warpscope {

/// Kernels of a cubin by the names of their source; those of which several have the same, with their parameters. `ptx`, `source`: texts, or empty.
std::vector<KernelSignature> code_signatures(const machine::Cubin& cubin, const std::string& ptx,
                                             const std::string& source);

/// A kernel by its name and arguments only.
KernelInfo described_by(const KernelSignature& kernel);

/// Whether a parameter of 8 bytes without a type is a pointer: as the launch describes it.
void settle_kinds(KernelSignature& kernel, const LaunchDescription& launch);

}  // namespace warpscope
