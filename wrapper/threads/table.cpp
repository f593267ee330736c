// What PoCL's kernels call to have their threads run (passes/RuntimeABI.h).
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "wrapper/threads/code_library.h"
#include "wrapper/threads/grid.h"

namespace warpscope::threads {
namespace {

void run(const WarpscopeThreadCodeV1* code, const char* symbol, const WarpscopeThreadKernelV1* kernel,
         WarpscopeThreadFrameV1* frame) {
  try {
    const ThreadFunction function = function_in(*code, symbol);
    if (kernel->has_grid_barrier != 0) {
      static Grid grid;
      grid.arrive(function, *kernel, *frame);
      return;
    }
    thread_local StackPool stacks(/*guarded=*/true);
    Block(function, *frame, kernel->stack_bytes, stacks).run();
  } catch (const std::exception& error) {
    // Nobody above can take an exception, and a kernel that was not run has no result.
    std::fprintf(stderr, "warpscope: error: %s\n", error.what());
    std::abort();
  }
}

}  // namespace
}  // namespace warpscope::threads

extern "C" {
__attribute__((visibility("default"), used))
WarpscopeThreadsV1 WARPSCOPE_THREADS_SYMBOL_ID = {warpscope::threads::run};
}
