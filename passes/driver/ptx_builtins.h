#pragma once
// LLVM assembly of OpenCL's built-ins for NVPTX.
#include <string>
#include <vector>

namespace warpscope {

struct ResolvedBuiltins {
  std::string assembly;                ///< with every known built-in defined instead of declared
  std::vector<std::string> unresolved; ///< built-ins that are still declared
};

/// `assembly`: the module that compile_to_nvptx_ir() writes. Work-item functions read the special
/// registers (PTX ISA, section "Special Registers"), barriers become bar.sync, mathematical
/// functions call libdevice's (CUDA libdevice User's Guide), whose names remain declared. Pointers,
/// calling conventions and the data layout become NVPTX's (LLVM, "User Guide for NVPTX Back-end").
ResolvedBuiltins resolve_builtins(const std::string &assembly);

} // namespace warpscope
