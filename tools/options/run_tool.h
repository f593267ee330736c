#pragma once
// What every program does around its work.
#include <functional>
#include <string>

#include "traces/base/error.h"

namespace warpscope {

/// Runs a tool's body. InputError, wrong options (Boost.Program_options), failed allocations, standard output
/// that cannot be flushed and any other exception are printed as "<tool>: <message>", one printable line on
/// stderr, with exit status 2; a closed pipe on standard output ends quietly. SIGPIPE is ignored, so that
/// writers see the error. A standard stream that is closed is kept from being taken by another file. A signal that ends the process
/// removes unfinished output files first (interruption.h).
int run_tool(const std::string& tool, const std::function<int()>& body);

}  // namespace warpscope
