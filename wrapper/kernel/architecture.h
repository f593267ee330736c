#pragma once
// The architecture that --registers and --machine name, and what is compiled for it.
#include <string>
#include <vector>

#include "wrapper/machine/machine_program.h"

namespace warpscope {

/// auto, auto:GPU or auto:sm_NN.
bool is_auto(const std::string& text);

/// "sm_80" as it is; for a GPU preset its compute capability. Throws InputError that names `option`.
std::string architecture_of(const std::string& given, const char* option);

/// Machine code that is executed here. `options`: more words for nvcc. Throws InputError without nvcc, for what is no .cu, and for architectures that are not known.
MachineProgram compile_for_execution(const CompileRequest& request, const std::string& given,
                                     const std::vector<std::string>& options);

}  // namespace warpscope
