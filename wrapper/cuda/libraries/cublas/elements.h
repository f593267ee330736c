#pragma once
// Elements of the types that products of matrices have (cuBLAS Library, "cudaDataType_t").
#include <cublas_v2.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace warpscope::cuda::cublas {

constexpr int kE4M3 = 28, kE5M2 = 29;  // CUDA_R_8F_E4M3, CUDA_R_8F_E5M2

/// 0: a type that is not supported.
inline std::size_t bytes_of(int type) {
  switch (type) {
    case CUDA_R_8I:
    case kE4M3:
    case kE5M2:
      return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_64F:
      return 8;
    default:
      return 0;
  }
}

template <class T>
T element(const void* from, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(from) + index * sizeof(T), sizeof(T));
  return value;
}
inline double load(int type, const void* from, std::size_t index) {
  switch (type) {
    case CUDA_R_8I:
      return element<std::int8_t>(from, index);
    case kE4M3:
    case kE5M2:
      return __warpscope_fp8_to_float(element<unsigned char>(from, index), type == kE4M3);
    case CUDA_R_16F:
      return static_cast<float>(element<__half>(from, index));
    case CUDA_R_16BF:
      return static_cast<float>(element<__nv_bfloat16>(from, index));
    case CUDA_R_32I:
      return element<std::int32_t>(from, index);
    case CUDA_R_64F:
      return element<double>(from, index);
    default:
      return element<float>(from, index);
  }
}

template <class T>
void put(void* to, std::size_t index, T value) {
  std::memcpy(static_cast<char*>(to) + index * sizeof(T), &value, sizeof(T));
}
inline void store(int type, void* to, std::size_t index, double value) {
  switch (type) {
    case CUDA_R_8I:
      return put(to, index, static_cast<std::int8_t>(std::fmin(127, std::fmax(-128, std::nearbyint(value)))));
    case kE4M3:
    case kE5M2:
      return put(to, index,
                 __nv_cvt_double_to_fp8(value, __NV_SATFINITE, type == kE4M3 ? __NV_E4M3 : __NV_E5M2));
    case CUDA_R_16F:
      return put(to, index, __half(static_cast<float>(value)));
    case CUDA_R_16BF:
      return put(to, index, __float2bfloat16(static_cast<float>(value)));
    case CUDA_R_32I:
      return put(to, index, static_cast<std::int32_t>(static_cast<std::int64_t>(value)));
    case CUDA_R_64F:
      return put(to, index, value);
    default:
      return put(to, index, static_cast<float>(value));
  }
}

}  // namespace warpscope::cuda::cublas
