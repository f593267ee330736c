// cuBLASLt's algorithms, of which there is one that needs no workspace, and its log, which stays empty (cuBLAS Library, "cuBLASLt API Reference").
#include <cublas_v2.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace warpscope::cuda::lt {
namespace {

struct Algorithm {
  std::uint64_t data[8];
};
struct Found {
  Algorithm algorithm;
  std::size_t workspace;
  cublasStatus_t state;
  float waves;
  int reserved[4];
};

}  // namespace
}  // namespace warpscope::cuda::lt

using namespace warpscope::cuda::lt;

// NOLINTBEGIN(readability-identifier-naming): the names that cuBLASLt gives
extern "C" {

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(const void* handle, const void* product, const void* a,
                                              const void* b, const void* c, const void* d,
                                              const void* /*preference*/, int requested, Found* results,
                                              int* returned) {
  for (const void* given : {handle, product, a, b, c, d})
    if (given == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (requested < 1 || results == nullptr || returned == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  results[0] = Found{};
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetIds(const void* /*handle*/, int /*compute*/, int /*scale*/, int /*a*/,
                                        int /*b*/, int /*c*/, int /*d*/, int requested, int ids[],
                                        int* returned) {
  if (requested < 1 || ids == nullptr || returned == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  ids[0] = 0;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoInit(const void* /*handle*/, int /*compute*/, int /*scale*/, int /*a*/,
                                      int /*b*/, int /*c*/, int /*d*/, int id, Algorithm* algorithm) {
  if (id != 0 || algorithm == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *algorithm = {};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoCheck(const void* /*handle*/, const void* /*product*/, const void* /*a*/,
                                       const void* /*b*/, const void* /*c*/, const void* /*d*/,
                                       const Algorithm* algorithm, Found* result) {
  if (algorithm == nullptr || result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *result = Found{};
  result->algorithm = *algorithm;
  return CUBLAS_STATUS_SUCCESS;
}
/// What an algorithm can, and how it is set: nothing but zeros, which are "none" and "default".
cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const Algorithm* algorithm, int /*attribute*/, void* value,
                                                 std::size_t bytes, std::size_t* written) {
  if (algorithm == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (value != nullptr) std::memset(value, 0, bytes);
  if (written != nullptr) *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const Algorithm* algorithm, int attribute, void* value,
                                                    std::size_t bytes, std::size_t* written) {
  return cublasLtMatmulAlgoCapGetAttribute(algorithm, attribute, value, bytes, written);
}
cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(Algorithm* algorithm, int /*attribute*/,
                                                    const void* value, std::size_t /*bytes*/) {
  return algorithm != nullptr && value != nullptr ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtLoggerSetLevel(int /*level*/) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerSetMask(int /*mask*/) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerSetFile(std::FILE* /*file*/) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerOpenFile(const char* /*path*/) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerForceDisable() {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerSetCallback(void (* /*callback*/)(int, const char*, const char*)) {
  return CUBLAS_STATUS_SUCCESS;
}
}
// NOLINTEND(readability-identifier-naming)
