#pragma once
// Programs that NVIDIA's nvcc linked: which of the toolkit's libraries Warpscope's take the place of, before the program is started.
#include <string>
#include <vector>

namespace warpscope {

struct CudaProgram {
  /// Names of shared libraries that the program needs and Warpscope has: "libcudart.so.13". The runtime's comes first.
  std::vector<std::string> replaced;
  /// Whether CUDA's static runtime is in it, which would ask for NVIDIA's driver.
  bool has_static_runtime = false;
  /// Python, or a script for it: what it imports may load NVIDIA's driver by its name.
  bool is_python = false;
};

/// What the file of `command`, looked for on PATH as execvp() does, says. Nothing for a script of another language than Python, for a file that
/// cannot be read (starting it says why); of a program that warpscope-nvcc linked only libraries that are not the runtime.
CudaProgram look_at_program(const std::string& command);

/// What LD_PRELOAD has to hold for it: also a library that a RPATH finds gives way to one that is loaded. Empty for none. Throws InputError
/// for an installation whose path LD_PRELOAD cannot name, with a space or colon.
std::string preloaded(const CudaProgram& program);

/// The folder that goes in front of LD_LIBRARY_PATH, with Warpscope's libcuda.so.1; empty for none.
std::string library_folder(const CudaProgram& program);

/// A line for the user: that libraries are replaced, or why this program cannot run; empty for any other program.
std::string describe(const CudaProgram& program, const std::string& command);

}  // namespace warpscope
