#pragma once
// `cachesim infer`: what cache do these measurements force?
#include <string>
#include <vector>

namespace warpscope::infer {

/// Runs the command; arguments without "cachesim infer". Returns the exit status; throws InputError.
int run_infer(const std::vector<std::string>& arguments);

}  // namespace warpscope::infer
