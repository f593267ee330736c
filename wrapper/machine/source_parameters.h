#pragma once
// Names of a kernel's parameters by its source's text, for machine code whose names are not kept.
#include <string>
#include <vector>

namespace warpscope {

/// Names of the parameters of the function `kernel`, which is __global__ or __kernel ("ns::scale<float>" is looked for as "scale"); empty where the
/// text has no such function with `count` named parameters.
std::vector<std::string> source_parameters(const std::string& source, const std::string& kernel,
                                           std::size_t count);

}  // namespace warpscope
