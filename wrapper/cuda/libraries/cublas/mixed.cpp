// Products of matrices of half, bfloat16, int8 and others: converted to float (double, if sums are to be double or
// int), multiplied by the BLAS, and rounded once at the end. A GPU's tensor cores round sums as float does, in another
// order; where half sums are asked for, it may round more often.
#include <vector>

#include "wrapper/cuda/libraries/cublas/elements.h"
#include "wrapper/cuda/libraries/cublas/level3.h"

namespace warpscope::cuda::cublas {
namespace {

/// The type of sums, which alpha and beta have, too.
cudaDataType sums_of(cublasComputeType_t compute) {
  constexpr int kEmulatedDouble = 79;  // CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, release 13
  if (compute == static_cast<cublasComputeType_t>(kEmulatedDouble)) return CUDA_R_64F;
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return CUDA_R_16F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return CUDA_R_32I;
    default:
      return CUDA_R_32F;
  }
}

struct Types {
  cudaDataType a, b, c, sums;

  /// cuBLAS Library, table of cublasGemmEx().
  [[nodiscard]] bool are_supported() const {
    const bool is_half = a == CUDA_R_16F || a == CUDA_R_16BF;
    if (a != b) return false;
    if (sums == CUDA_R_32F)
      return (is_half && (c == a || c == CUDA_R_32F)) ||
             ((a == CUDA_R_8I || a == CUDA_R_32F) && c == CUDA_R_32F);
    if (sums == CUDA_R_16F || sums == CUDA_R_64F) return a == sums && c == sums;
    return a == CUDA_R_8I && c == CUDA_R_32I;
  }
};

/// alpha or beta of the sums' type.
class MixedScalar {
 public:
  MixedScalar(cublasHandle_t handle, const void* pointer, cudaDataType type)
      : pointer_(pointer), type_(type) {
    is_value_ = handle != nullptr && pointer != nullptr && handle->pointer_mode == CUBLAS_POINTER_MODE_HOST;
    if (is_value_) value_ = load(type, pointer, 0);
  }
  [[nodiscard]] bool is_given() const { return pointer_ != nullptr; }
  [[nodiscard]] double get() const { return is_value_ ? value_ : load(type_, pointer_, 0); }

 private:
  const void* pointer_;
  cudaDataType type_;
  double value_ = 0;
  bool is_value_ = false;
};

/// A matrix as the BLAS takes it, without gaps.
template <class Real>
std::vector<Real> converted(cudaDataType type, const void* from, int rows, int columns, int ld) {
  std::vector<Real> result;
  result.reserve(at(0, columns, rows));
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < rows; ++row)
      result.push_back(static_cast<Real>(load(type, from, at(row, column, ld))));
  return result;
}

template <class Real>
void multiply(const Product& given, const Types& types, double alpha, const void* a, const void* b,
              double beta, void* c) {
  Product product = given;
  product.lda = std::max(1, rows_of(given.transa, given.m, given.k));
  product.ldb = std::max(1, rows_of(given.transb, given.k, given.n));
  product.ldc = std::max(1, given.m);
  const auto left =
      converted<Real>(types.a, a, product.lda, rows_of(given.transa, given.k, given.m), given.lda);
  const auto right =
      converted<Real>(types.b, b, product.ldb, rows_of(given.transb, given.n, given.k), given.ldb);
  auto sums = beta == 0 ? std::vector<Real>(at(0, given.n, product.ldc))
                        : converted<Real>(types.c, c, product.ldc, given.n, given.ldc);
  product.compute(static_cast<Real>(alpha), left.data(), right.data(), static_cast<Real>(beta), sums.data());
  for (int column = 0; column < given.n; ++column)
    for (int row = 0; row < given.m; ++row)
      store(types.c, c, at(row, column, given.ldc), sums[at(row, column, product.ldc)]);
}

/// `matrices(i)`: a, b and c of product i.
struct Operands {
  const void *a, *b;
  void* c;
};
template <class Matrices>
cublasStatus_t run_products(cublasHandle_t handle, const Product& product, const Types& types,
                            const void* alpha, const void* beta, int count, const Matrices& matrices) {
  const MixedScalar first(handle, alpha, types.sums), second(handle, beta, types.sums);
  const bool right = product.is_right() && count >= 0 && first.is_given() && second.is_given();
  if (handle != nullptr && right && !types.are_supported()) return CUBLAS_STATUS_NOT_SUPPORTED;
  return run(handle, right, [=] {
    for (int i = 0; i < count && product.m > 0 && product.n > 0; ++i) {
      const Operands operands = matrices(i);
      const bool is_wide = types.sums == CUDA_R_64F || types.sums == CUDA_R_32I;
      (is_wide ? multiply<double> : multiply<float>)(product, types, first.get(), operands.a, operands.b,
                                                     second.get(), operands.c);
    }
  });
}

/// Element `index` of a matrix of any type.
const void* beyond(const void* from, cudaDataType type, long long index) {
  return static_cast<const char*>(from) + index * static_cast<long long>(bytes_of(type));
}
void* beyond(void* from, cudaDataType type, long long index) {
  return static_cast<char*>(from) + index * static_cast<long long>(bytes_of(type));
}

// --- vectors, computed in double and rounded once ---

/// cuBLAS Library, tables of cublasAxpyEx() and its relatives: all of one type, which double sums are for if it is double.
bool are_vectors(cudaDataType compute, cudaDataType first, cudaDataType second) {
  const bool is_short = first == CUDA_R_16F || first == CUDA_R_16BF || first == CUDA_R_32F;
  return first == second && (compute == CUDA_R_64F ? first == CUDA_R_64F : compute == CUDA_R_32F && is_short);
}

/// Elements of a vector of any type.
struct Vector {
  const void* from;
  cudaDataType type;
  int inc;
  std::ptrdiff_t first;

  Vector(const void* given, cudaDataType its_type, int n, int its_inc)
      : from(given), type(its_type), inc(its_inc), first(start(n, its_inc)) {}
  [[nodiscard]] std::size_t place(int i) const {
    return static_cast<std::size_t>(first + std::ptrdiff_t{i} * inc);
  }
  [[nodiscard]] double at(int i) const { return load(type, from, place(i)); }
};

double product_of(int n, const Vector& x, const Vector& y) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x.at(i) * y.at(i);
  return sum;
}

template <class Value>
cublasStatus_t run_sum(cublasHandle_t handle, bool is_supported, void* result, cudaDataType type,
                       const Value& value) {
  if (handle != nullptr && !is_supported) return CUBLAS_STATUS_NOT_SUPPORTED;
  return run_for_result(handle, result, [=] { store(type, result, 0, value()); });
}

}  // namespace
}  // namespace warpscope::cuda::cublas

using namespace warpscope::cuda::cublas;

// NOLINTBEGIN(readability-identifier-naming): the names that cuBLAS gives
extern "C" {

cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx,
                           const void* y, cudaDataType type_y, int incy, void* result,
                           cudaDataType type_result, cudaDataType compute) {
  const bool is_supported = are_vectors(compute, type_x, type_y) && type_result == type_x;
  return run_sum(handle, is_supported, result, type_result,
                 [=] { return product_of(n, Vector(x, type_x, n, incx), Vector(y, type_y, n, incy)); });
}
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx,
                            const void* y, cudaDataType type_y, int incy, void* result,
                            cudaDataType type_result, cudaDataType compute) {
  return cublasDotEx(handle, n, x, type_x, incx, y, type_y, incy, result, type_result, compute);
}
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx,
                            void* result, cudaDataType type_result, cudaDataType compute) {
  if (type_x == CUDA_R_64F && type_result == CUDA_R_64F && compute == CUDA_R_64F)
    return cublasDnrm2(handle, n, static_cast<const double*>(x), incx, static_cast<double*>(result));
  return run_sum(handle, are_vectors(compute, type_x, type_result), result, type_result, [=] {
    const Vector vector(x, type_x, n, incx);
    return incx < 1 ? 0 : std::sqrt(product_of(n, vector, vector));
  });
}
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType type_alpha,
                            const void* x, cudaDataType type_x, int incx, void* y, cudaDataType type_y,
                            int incy, cudaDataType compute) {
  const MixedScalar factor(handle, alpha, type_alpha);
  if (handle != nullptr && (!are_vectors(compute, type_x, type_y) || type_alpha != compute))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return run(handle, factor.is_given(), [=] {
    const Vector from(x, type_x, n, incx), to(y, type_y, n, incy);
    for (int i = 0; i < n; ++i) store(type_y, y, to.place(i), factor.get() * from.at(i) + to.at(i));
  });
}
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType type_alpha, void* x,
                            cudaDataType type_x, int incx, cudaDataType compute) {
  const MixedScalar factor(handle, alpha, type_alpha);
  if (handle != nullptr && (!are_vectors(compute, type_x, type_x) || type_alpha != compute))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return run(handle, factor.is_given(), [=] {
    const Vector vector(x, type_x, n, incx);
    for (int i = 0; i < n && incx > 0; ++i) store(type_x, x, vector.place(i), factor.get() * vector.at(i));
  });
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                          const void* A, cudaDataType type_a, int lda, long long stride_a,
                                          const void* B, cudaDataType type_b, int ldb, long long stride_b,
                                          const void* beta, void* C, cudaDataType type_c, int ldc,
                                          long long stride_c, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t /*algorithm*/) {
  const Product product{transa, transb, m, n, k, lda, ldb, ldc};
  return run_products(handle, product, {type_a, type_b, type_c, sums_of(compute)}, alpha, beta, count,
                      [=](int i) {
                        return Operands{beyond(A, type_a, i * stride_a), beyond(B, type_b, i * stride_b),
                                        beyond(C, type_c, i * stride_c)};
                      });
}
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                            int n, int k, const void* alpha, const void* A, cudaDataType type_a, int lda,
                            const void* B, cudaDataType type_b, int ldb, const void* beta, void* C,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, 0, B, type_b, ldb,
                                    0, beta, C, type_c, ldc, 0, 1, compute, algorithm);
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                   int m, int n, int k, const void* alpha, const void* const A[],
                                   cudaDataType type_a, int lda, const void* const B[], cudaDataType type_b,
                                   int ldb, const void* beta, void* const C[], cudaDataType type_c, int ldc,
                                   int count, cublasComputeType_t compute, cublasGemmAlgo_t /*algorithm*/) {
  const Product product{transa, transb, m, n, k, lda, ldb, ldc};
  return run_products(handle, product, {type_a, type_b, type_c, sums_of(compute)}, alpha, beta, count,
                      [=](int i) {
                        return Operands{A[i], B[i], C[i]};
                      });
}
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                             int n, int k, const float* alpha, const void* A, cudaDataType type_a, int lda,
                             const void* B, cudaDataType type_b, int ldb, const float* beta, void* C,
                             cudaDataType type_c, int ldc) {
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta, C, type_c,
                      ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                           int n, int k, const __half* alpha, const __half* A, int lda, const __half* B,
                           int ldb, const __half* beta, __half* C, int ldc) {
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, CUDA_R_16F, lda, B, CUDA_R_16F, ldb, beta, C,
                      CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                                         const __half* A, int lda, long long stride_a, const __half* B,
                                         int ldb, long long stride_b, const __half* beta, __half* C, int ldc,
                                         long long stride_c, int count) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, CUDA_R_16F, lda, stride_a, B,
                                    CUDA_R_16F, ldb, stride_b, beta, C, CUDA_R_16F, ldc, stride_c, count,
                                    CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                  int m, int n, int k, const __half* alpha, const __half* const A[], int lda,
                                  const __half* const B[], int ldb, const __half* beta, __half* const C[],
                                  int ldc, int count) {
  const Product product{transa, transb, m, n, k, lda, ldb, ldc};
  return run_products(handle, product, {CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F}, alpha, beta, count,
                      [=](int i) {
                        return Operands{A[i], B[i], C[i]};
                      });
}
}
// NOLINTEND(readability-identifier-naming)
