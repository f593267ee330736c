#pragma once
// Child processes without a shell.
#include <string>
#include <vector>

namespace warpscope {

struct ProcessResult {
  int status = 0;     ///< exit status; 128 + signal if it was killed
  std::string output; ///< standard output and standard error together
};

/// Runs `arguments[0]` (a path, or a name that is looked up in $PATH) to its end. LD_PRELOAD and
/// OPENCL_LAYERS are not passed on: the child must not be traced. Of a failure, the output has no
/// stack dump of LLVM. Throws InputError if it cannot be started, or found the disk full.
ProcessResult run_process(const std::vector<std::string> &arguments);

/// Sends the signal to the child of the newest run_process(), if it runs. Safe in a signal handler.
void end_running_process(int signal);

/// Sets $PATH if it is not set at all: compilers and PoCL's linker are found by it.
void set_search_path();

/// Finds a program in $PATH; empty if there is none.
std::string find_program(const std::string &name);

/// The same. Throws InputError that names the Debian package where there is none.
std::string require_program(const std::string &name, const std::string &package);

} // namespace warpscope
