#pragma once
#include <string>
#include <vector>

namespace warpscope {

/// Build options for the capture: include directories are this machine's business.
std::string portable_options(const std::vector<std::string>& options);

}  // namespace warpscope
