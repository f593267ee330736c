#pragma once
// Machine code by the user's own NVIDIA compilers.
#include <string>
#include <vector>

#include "machine/cubin/cubin.h"
#include "passes/driver/pipeline.h"

namespace warpscope {

struct MachineProgram {
  machine::Cubin cubin;
  std::string architecture;   ///< "sm_90"
  std::string compiler;       ///< "nvcc 13.0", or "" where the code does not say
  std::string ptx;            ///< what it was made of, where that is kept
  bool is_assembled = false;  ///< here, of PTX: the file has no machine code for the GPU

  /// "sm_90, nvcc 13.0, with -lineinfo".
  [[nodiscard]] std::string from() const;
};

/// $CUDA_HOME/bin, /usr/local/cuda/bin or $PATH; empty without NVIDIA's nvcc (ptxas is in its folder; ours has none). $WARPSCOPE_PTXAS
/// switches it off: then that ptxas is asked.
std::string find_nvcc();

/// Compiles a .cu with `nvcc`. `architecture`: "sm_90"; `options`: more words for nvcc. Throws InputError where it does not know the architecture, and
/// where it fails.
MachineProgram compile_with_nvcc(const std::string& nvcc, const CompileRequest& request,
                                 const std::string& architecture,
                                 const std::vector<std::string>& options = {});

/// PTX by `ptxas`. `name`: in messages. Throws InputError as compile_with_nvcc().
MachineProgram assemble_ptx(const std::string& ptxas, const std::string& path, const std::string& name,
                            const std::string& work, const std::string& architecture,
                            const std::vector<std::string>& options = {});

/// $WARPSCOPE_PTXAS, else where nvcc is looked for. Throws InputError that says where it was looked for, for what, and what to install.
std::string need_ptxas(const std::string& what);
/// As find_nvcc(). Throws InputError as need_ptxas().
std::string need_nvcc(const std::string& what);

}  // namespace warpscope
