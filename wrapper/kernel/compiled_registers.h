#pragma once
// Registers of a kernel as NVIDIA's compiler gives them: of a .cu by nvcc, else of the capture's own code by ptxas. Both need no GPU.
#include <cstdint>
#include <string>
#include <vector>

#include "passes/driver/pipeline.h"

namespace warpscope {

struct CompiledRegisters {
  std::string kernel;  ///< without its parameters
  std::uint32_t registers = 0;
  std::uint32_t spilled = 0;      ///< registers that are kept on the stack for a time
  std::uint64_t spill_bytes = 0;  ///< stored and loaded again, per work-item
  bool knows_spills = true;       ///< false: the architecture's instructions are not known
  std::string spill_place;        ///< "mm.cu:31", the line with most of these accesses; empty = not known
};

struct CompilerAnswer {
  std::string from;  ///< "nvcc 13.0, sm_90"
  std::vector<CompiledRegisters> kernels;
  std::vector<std::string> unresolved;  ///< built-ins whose code is not known; they were counted as calls
};

/// Asks the compiler. `architecture`: "sm_90". Throws InputError without a compiler, where it does not know the architecture, and where it
/// fails.
CompilerAnswer ask_compiler(const CompileRequest& request, const std::string& architecture);

/// "nvcc 13.0, sm_90" or "nvcc 13.0, sm_90; 12 registers spilled (mm.cu:31)": KernelInfo::registers_from.
std::string origin_of(const CompilerAnswer& answer, const CompiledRegisters& kernel);

}  // namespace warpscope
