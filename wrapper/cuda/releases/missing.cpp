// What the runtime does not have: each function returns cudaErrorNotSupported, whatever its parameters.
#include "wrapper/cuda/releases/core.h"

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses)
#define WARPSCOPE_MISSING(function)                                         \
  extern "C" cudaError_t warpscope_missing_##function() __asm__(#function); \
  extern "C" cudaError_t warpscope_missing_##function() { return warpscopeNotSupported(#function); }
#include "wrapper/cuda/releases/missing_driver.def"
#include "wrapper/cuda/releases/missing_runtime.def"
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
