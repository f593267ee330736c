#pragma once
// Machine code of a source by the user's own NVIDIA compiler.
#include <string>

#include "machine/cubin/cubin.h"
#include "passes/driver/pipeline.h"

namespace warpscope {

struct MachineProgram {
  machine::Cubin cubin;
  std::string from;  ///< "nvcc 13.0, sm_90"
};

/// $CUDA_HOME/bin, /usr/local/cuda/bin or $PATH; empty without NVIDIA's nvcc (ptxas is in its folder; ours has none). $WARPSCOPE_PTXAS
/// switches it off: then that ptxas is asked.
std::string find_nvcc();

/// Compiles a .cu with `nvcc`. `architecture`: "sm_90". Throws InputError where it does not know the architecture, and where it fails.
MachineProgram compile_with_nvcc(const std::string& nvcc, const CompileRequest& request,
                                 const std::string& architecture);

}  // namespace warpscope
