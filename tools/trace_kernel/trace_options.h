#pragma once
// The command line of trace-kernel.
#include <optional>
#include <string>
#include <vector>

#include "wrapper/program/trace_request.h"

namespace warpscope {

/// What the words ask for; nothing if --help or --version was printed instead. Throws InputError.
std::optional<TraceRequest> trace_request_from(const std::vector<std::string>& words);

}  // namespace warpscope
