#pragma once
// Names of a kernel's parameters by its source's text, for machine code whose names are not kept.
#include <string>
#include <vector>

#include "machine/cubin/ptx_text.h"

namespace warpscope::machine {

/// Names of the parameters of the function `kernel`, which is __global__ or __kernel ("ns::scale<float>" is looked for as "scale"); empty where the
/// text has no such function with `count` named parameters.
std::vector<std::string> source_parameters(const std::string& source, const std::string& kernel,
                                           std::size_t count);

/// The same of machine code, `count` names: of the source's text if that has them, else PTX's, without the kernel's name before them; "" where neither
/// says one. `symbol`: as the code has it; `ptx`: may be null.
std::vector<std::string> parameter_names(const std::string& symbol, std::size_t count, const PtxKernel* ptx,
                                         const std::string& source);

}  // namespace warpscope::machine
