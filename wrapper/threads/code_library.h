#pragma once
// The library of threads that a kernel's bitcode carries (passes/driver/thread_library.h).
#include "passes/RuntimeABI.h"
#include "wrapper/threads/block.h"

namespace warpscope::threads {

/// Loads the library once per process, and finds a function in it. Thread-safe. Throws InputError with the
/// loader's message if it cannot be loaded.
ThreadFunction function_in(const WarpscopeThreadCodeV1& code, const char* symbol);

}  // namespace warpscope::threads
