#pragma once
// How clang is called: the command lines of the front ends for OpenCL C and CUDA.
#include <string>
#include <vector>

#include "passes/driver/pipeline.h"

namespace warpscope {

using Arguments = std::vector<std::string>;

/// For an OpenCL C file `input`. Throws InputError when clang is not there.
Arguments front_end_command(const CompileRequest &request, const std::string &input,
                            const std::string &output);

enum class CudaStep { Preprocess, Compile, CompilePreprocessed };

/// For a CUDA file, or what CudaStep::Preprocess made of it. Throws as front_end_command() does.
Arguments cuda_front_end_command(const CompileRequest &request, CudaStep step,
                                 const std::string &input, const std::string &output);

} // namespace warpscope
