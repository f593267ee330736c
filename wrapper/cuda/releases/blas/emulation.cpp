// How products are to be made of smaller ones (cuBLAS Library, "Floating Point Emulation", release 13): settings of a handle, which are taken and asked for again. Products
// are those of the BLAS, which are not less exact.
#include <cublas_v2.h>

#include <map>
#include <mutex>

namespace warpscope::cuda::cublas {
namespace {

struct Emulation {
  int strategy = 0, special_values = 0xffff, control = 0, most_bits = 0, offset = 0;
  int* bits = nullptr;
};
struct State {
  std::mutex mutex;
  std::map<cublasHandle_t, Emulation> of;
};
State& state() {
  static auto* const made = new State;  // threads of a program go on while its process ends
  return *made;
}

template <class T>
cublasStatus_t set(cublasHandle_t handle, T Emulation::*member, T value) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const std::lock_guard lock(state().mutex);
  state().of[handle].*member = value;
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t get(cublasHandle_t handle, T Emulation::*member, T* value) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const std::lock_guard lock(state().mutex);
  *value = state().of[handle].*member;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace warpscope::cuda::cublas

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names that cuBLAS gives
namespace warpscope::cuda::cublas {
extern "C" {

#define WARPSCOPE_EMULATION(name, T, member)                        \
  cublasStatus_t cublasSet##name(cublasHandle_t handle, T value) {  \
    return set<T>(handle, &Emulation::member, value);               \
  }                                                                 \
  cublasStatus_t cublasGet##name(cublasHandle_t handle, T* value) { \
    return get<T>(handle, &Emulation::member, value);               \
  }
WARPSCOPE_EMULATION(EmulationStrategy, int, strategy)
WARPSCOPE_EMULATION(EmulationSpecialValuesSupport, int, special_values)
WARPSCOPE_EMULATION(FixedPointEmulationMantissaControl, int, control)
WARPSCOPE_EMULATION(FixedPointEmulationMaxMantissaBitCount, int, most_bits)
WARPSCOPE_EMULATION(FixedPointEmulationMantissaBitOffset, int, offset)
WARPSCOPE_EMULATION(FixedPointEmulationMantissaBitCountPointer, int*, bits)
}
}  // namespace warpscope::cuda::cublas
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
