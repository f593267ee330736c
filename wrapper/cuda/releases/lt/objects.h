#pragma once
// cuBLASLt's descriptions, as NVIDIA's headers call them: they may lie in memory that the program has, of the sizes of its header (64 bytes for a matrix, 184 for
// a product, of release 12).
#include <cublas_v2.h>

#include <cstddef>
#include <cstdint>

namespace warpscope::cuda::lt {

constexpr int kOrderColumns = 0, kOrderRows = 1, kOrderColumns32 = 2;

/// Of a matrix: cublasLtMatrixLayout_t.
struct Layout {
  int type = CUDA_R_32F, order = kOrderColumns;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t ld = 0;
  int batch = 1;            ///< number of matrices
  std::int64_t stride = 0;  ///< elements from one to the next
};

/// Of a product: cublasLtMatmulDesc_t. Pointers are to the device's memory.
struct Matmul {
  int compute = CUBLAS_COMPUTE_32F, scale = CUDA_R_32F, pointer_mode = 0;
  int transa = CUBLAS_OP_N, transb = CUBLAS_OP_N, transc = CUBLAS_OP_N, fill = 2, epilogue = 1;
  const void* bias = nullptr;
  std::int64_t bias_stride = 0;
  void* aux = nullptr;
  std::int64_t aux_ld = 0, aux_stride = 0;
  const float *scale_a = nullptr, *scale_b = nullptr, *scale_c = nullptr, *scale_d = nullptr;
  float* largest = nullptr;           ///< CUBLASLT_MATMUL_DESC_AMAX_D_POINTER
  int bias_type = -1, aux_type = -1;  ///< -1: D's
  int multiprocessors = 0;            ///< without effect
  std::int8_t fast = 0;               ///< without effect
  int scale_modes[5] = {};            ///< only one factor for a matrix
};

/// What a heuristic is to prefer, and how matrices become others: cublasLtMatmulPreference_t, cublasLtMatrixTransformDesc_t.
struct Preference {
  std::uint64_t workspace = 0;
};
struct Transform {
  int scale = CUDA_R_32F, pointer_mode = 0, transa = CUBLAS_OP_N, transb = CUBLAS_OP_N;
};

/// A description's member of an attribute's number.
struct Member {
  void* at = nullptr;  ///< null: there is none
  std::size_t bytes = 0;
};

}  // namespace warpscope::cuda::lt
