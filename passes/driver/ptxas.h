#pragma once
// How many registers NVIDIA's assembler gives a kernel. ptxas comes with the CUDA toolkit and needs
// no GPU.
#include <cstdint>
#include <string>
#include <vector>

#include "passes/driver/pipeline.h"

namespace warpscope {

struct KernelRegisters {
  std::string kernel;
  std::uint32_t registers = 0;   ///< 32-bit registers per work-item
  std::uint64_t spill_bytes = 0; ///< stored and loaded again, per work-item
};

struct PtxasReport {
  std::string version;      ///< "13.0"
  std::string architecture; ///< "sm_80"
  std::vector<KernelRegisters> kernels;
  /// Built-ins whose code is not known here: they were counted as calls of unknown functions.
  std::vector<std::string> unresolved;
};

/// $WARPSCOPE_PTXAS, or ptxas in $CUDA_HOME/bin, in $PATH, or in /usr/local/cuda/bin; empty if
/// there is none.
std::string find_ptxas();

/// Compiles for `architecture` ("sm_80"; NVIDIA's compute capability without the point) and asks
/// ptxas. The optimiser is the capture's, so the order of instructions is LLVM's, not nvcc's; the
/// built-ins' code is that of libdevice.10.bc next to ptxas, where it is. Throws InputError as
/// compile_for_capture(), if there is no ptxas, and if it does not know the architecture.
PtxasReport ask_ptxas(const CompileRequest &request, const std::string &architecture);

} // namespace warpscope
