#pragma once
// The files that describe a job of trace-kernel: what the kernel is in, and the launch.
#include <string>
#include <vector>

#include "wrapper/program/trace_request.h"

namespace warpscope {

struct Inputs {
  std::string source_path;
  std::string source_name;  ///< without directories
  LaunchDescription launch;
};

/// What the request names, with the launch file next to the kernel's. Throws InputError for files that cannot be read.
Inputs find_inputs(const TraceRequest& request);

/// The text of a file. Throws InputError for pipes, and for what is no text: "expected `what`".
std::string read_source(const std::string& path, const char* what);

/// The launch's build options and macros. Throws InputError for a macro without a name.
std::vector<std::string> compiler_options(const LaunchDescription& launch);

}  // namespace warpscope
