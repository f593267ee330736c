#pragma once
// Kernels whose threads run on stacks of their own: from the bitcode that the passes wrote aside to
// a library of this machine, inside of the kernel's bitcode (passes/threads/Threads.cpp).
#include <string>

namespace warpscope {

/// Compiles `threads` (a path of bitcode) with OpenCL's built-in functions as PoCL has them, and
/// puts the library into the module `bitcode`, which is rewritten. Nothing happens if `threads`
/// does not exist. Throws InputError with the tool's message, or if PoCL's functions are not found.
void embed_thread_library(const std::string &threads, const std::string &bitcode);

} // namespace warpscope
