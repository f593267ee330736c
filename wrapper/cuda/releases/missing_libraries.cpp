// What our cuBLAS, cuFFT and cuRAND do not have: each function names itself once and returns its library's "not supported", whatever its
// parameters.
#include <string>

#include "wrapper/cuda/library_calls.h"

namespace warpscope::cuda::releases {
namespace {

// CUBLAS_STATUS_NOT_SUPPORTED, CUFFT_NOT_SUPPORTED, CURAND_STATUS_INTERNAL_ERROR
constexpr int kOfCublas = 15, kOfCufft = 16, kOfCurand = 999;

int missing(const char* function, int status) {
  warpscopeComplain((std::string(function) + ": not supported").c_str());
  return status;
}

}  // namespace
}  // namespace warpscope::cuda::releases

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses)
#define WARPSCOPE_MISSING_OF(function, status)                      \
  extern "C" int warpscope_missing_##function() __asm__(#function); \
  extern "C" int warpscope_missing_##function() {                   \
    using namespace warpscope::cuda::releases;                      \
    return missing(#function, status);                              \
  }
#define WARPSCOPE_MISSING(function) WARPSCOPE_MISSING_OF(function, kOfCublas)
#include "wrapper/cuda/releases/missing_cublas.def"
#undef WARPSCOPE_MISSING
#define WARPSCOPE_MISSING(function) WARPSCOPE_MISSING_OF(function, kOfCufft)
#include "wrapper/cuda/releases/missing_cufft.def"
#undef WARPSCOPE_MISSING
#define WARPSCOPE_MISSING(function) WARPSCOPE_MISSING_OF(function, kOfCurand)
#include "wrapper/cuda/releases/missing_curand.def"
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
