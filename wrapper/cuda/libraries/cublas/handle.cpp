// cuBLAS's functions that know no element type: handles, modes, and copies of vectors and matrices.
#include <memory>

#include "wrapper/cuda/libraries/cublas/blas.h"
#include "wrapper/cuda/libraries/cublas/call.h"
#include "wrapper/cuda/libraries/system_library.h"

namespace warpscope::cuda::cublas {
namespace {

/// A function that reads or writes something of the handle.
template <class Work>
cublasStatus_t with(cublasHandle_t handle, bool arguments_are_right, const Work& work) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!arguments_are_right) return CUBLAS_STATUS_INVALID_VALUE;
  work();
  return CUBLAS_STATUS_SUCCESS;
}

/// A rectangle of elements from `from` to `to`; leading dimensions in elements.
struct Rectangle {
  int rows, columns, element_bytes;
  const void* from;
  int from_ld;
  void* to;
  int to_ld;

  [[nodiscard]] bool is_right() const {
    return rows >= 0 && columns >= 0 && element_bytes > 0 && from_ld > 0 && to_ld > 0;
  }
  [[nodiscard]] cublasStatus_t copy(cudaMemcpyKind kind, cudaStream_t stream) const {
    if (!is_right()) return CUBLAS_STATUS_INVALID_VALUE;
    const auto bytes = [&](int elements) {
      return static_cast<std::size_t>(elements) * static_cast<std::size_t>(element_bytes);
    };
    const bool is_dense = from_ld == rows && to_ld == rows;  // without pitches, which CUDA limits
    const cudaError_t error =
        is_dense ? cudaMemcpyAsync(to, from, bytes(rows) * static_cast<std::size_t>(columns), kind, stream)
                 : cudaMemcpy2DAsync(to, bytes(to_ld), from, bytes(from_ld), bytes(rows),
                                     static_cast<std::size_t>(columns), kind, stream);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
  }
};

struct StatusText {
  cublasStatus_t status;
  const char *name, *text;
};
constexpr StatusText kStatusTexts[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an invalid numerical value was used as an argument"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "an absent device architectural feature is required"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the GPU program failed to execute"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "a license error was detected"},
};
StatusText text_of(cublasStatus_t status) {
  for (const StatusText& text : kStatusTexts)
    if (text.status == status) return text;
  return {status, "unknown cuBLAS status", "unknown cuBLAS status"};
}

}  // namespace
}  // namespace warpscope::cuda::cublas

using namespace warpscope::cuda;
using namespace warpscope::cuda::cublas;

// NOLINTBEGIN(readability-identifier-naming): the names that cuBLAS gives
extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  try {
    Blas<float>::get();
    Blas<double>::get();
    *handle = std::make_unique<cublasContext>().release();
    return CUBLAS_STATUS_SUCCESS;
  } catch (const MissingLibrary& missing) {
    warpscopeComplain(missing.what());
    return CUBLAS_STATUS_NOT_INITIALIZED;
  } catch (const std::bad_alloc&) {
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  return with(handle, true, [&] { const std::unique_ptr<cublasContext> last(handle); });
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t /*handle*/, int* version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  constexpr int kParts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  if (value == nullptr || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
  *value = kParts[type];
  return CUBLAS_STATUS_SUCCESS;
}
std::size_t cublasGetCudartVersion() {
  return CUDART_VERSION;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return with(handle, true, [&] { handle->stream = stream; });
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  return with(handle, stream != nullptr, [&] { *stream = handle->stream; });
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* /*memory*/, std::size_t /*bytes*/) {
  return with(handle, true, [] {});  // none is needed
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  return with(handle, mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE,
              [&] { handle->pointer_mode = mode; });
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return with(handle, mode != nullptr, [&] { *mode = handle->pointer_mode; });
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return with(handle, mode == CUBLAS_ATOMICS_ALLOWED || mode == CUBLAS_ATOMICS_NOT_ALLOWED,
              [&] { handle->atomics_mode = mode; });
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return with(handle, mode != nullptr, [&] { *mode = handle->atomics_mode; });
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  const int kind = mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  constexpr int kEmulations = 4 | 8;  // of float and double, release 13
  const bool is_emulation = kind != 0 && (kind & ~kEmulations) == 0;
  return with(handle, (kind >= CUBLAS_DEFAULT_MATH && kind <= CUBLAS_TF32_TENSOR_OP_MATH) || is_emulation,
              [&] { handle->math_mode = mode; });
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return with(handle, mode != nullptr, [&] { *mode = handle->math_mode; });
}
const char* cublasGetStatusName(cublasStatus_t status) {
  return text_of(status).name;
}
const char* cublasGetStatusString(cublasStatus_t status) {
  return text_of(status).text;
}

// Vectors are matrices of one row. Streams only say to which graph a copy belongs.
cublasStatus_t cublasSetVectorAsync(int n, int element_bytes, const void* x, int incx, void* device_y,
                                    int incy, cudaStream_t stream) {
  return Rectangle{1, n, element_bytes, x, incx, device_y, incy}.copy(cudaMemcpyHostToDevice, stream);
}
cublasStatus_t cublasGetVectorAsync(int n, int element_bytes, const void* device_x, int incx, void* y,
                                    int incy, cudaStream_t stream) {
  return Rectangle{1, n, element_bytes, device_x, incx, y, incy}.copy(cudaMemcpyDeviceToHost, stream);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element_bytes, const void* A, int lda,
                                    void* device_B, int ldb, cudaStream_t stream) {
  return Rectangle{rows, columns, element_bytes, A, lda, device_B, ldb}.copy(cudaMemcpyHostToDevice, stream);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element_bytes, const void* device_A, int lda,
                                    void* B, int ldb, cudaStream_t stream) {
  return Rectangle{rows, columns, element_bytes, device_A, lda, B, ldb}.copy(cudaMemcpyDeviceToHost, stream);
}
cublasStatus_t cublasSetVector(int n, int element_bytes, const void* x, int incx, void* device_y, int incy) {
  return cublasSetVectorAsync(n, element_bytes, x, incx, device_y, incy, nullptr);
}
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* device_x, int incx, void* y, int incy) {
  return cublasGetVectorAsync(n, element_bytes, device_x, incx, y, incy, nullptr);
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void* A, int lda,
                               void* device_B, int ldb) {
  return cublasSetMatrixAsync(rows, columns, element_bytes, A, lda, device_B, ldb, nullptr);
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void* device_A, int lda,
                               void* B, int ldb) {
  return cublasGetMatrixAsync(rows, columns, element_bytes, device_A, lda, B, ldb, nullptr);
}
}
// NOLINTEND(readability-identifier-naming)
