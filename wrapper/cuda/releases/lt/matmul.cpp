// cublasLtMatmul and cublasLtMatrixTransform (cuBLAS Library, "cuBLASLt API Reference"): elements are converted to float, or to double where sums are double or
// whole numbers, multiplied by the BLAS, and rounded once after what is done with the sums ("cublasLtEpilogue_t").
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "wrapper/cuda/libraries/cublas/blas.h"
#include "wrapper/cuda/libraries/system_library.h"
#include "wrapper/cuda/releases/lt/elements.h"

namespace warpscope::cuda::lt {
namespace {

/// Bits of cublasLtEpilogue_t.
enum Epilogue : int {
  Default = 1,
  Relu = 2,
  Bias = 4,
  ReluBackwards = 8,
  Gelu = 32,
  GeluBackwards = 64,
  Aux = 128
};
constexpr int kHost = 0, kDevice = 1;  // cublasLtPointerMode_t

struct Matrix {
  Layout layout;
  const void* memory = nullptr;
  [[nodiscard]] View at(std::int64_t number) const { return {layout, memory, number}; }
};

struct Product {
  Matmul how;
  Matrix a, b, c, d;
  double alpha = 0, beta = 0;
  const void *alpha_on_device = nullptr, *beta_on_device = nullptr;
  std::size_t m = 0, n = 0, k = 0;
};

bool is_epilogue_known(int epilogue) {
  const int bits = epilogue & ~Default;
  const int kind = bits & ~(Bias | Aux);
  if (kind == ReluBackwards || kind == GeluBackwards) return (bits & (Bias | Aux)) == Aux;
  return (kind == 0 && (bits & Aux) == 0) || kind == Relu || kind == Gelu;
}

bool are_types_known(const Product& product) {
  const int a = product.a.layout.type, b = product.b.layout.type, d = product.d.layout.type;
  const bool are_8_bits = (a == kE4M3 || a == kE5M2) && (b == kE4M3 || b == kE5M2);
  if (bytes_of(a) == 0 || bytes_of(d) == 0 || bytes_of(product.c.layout.type) == 0 || (a != b && !are_8_bits))
    return false;
  switch (product.how.scale) {
    case CUDA_R_32F:
      return a != CUDA_R_64F && d != CUDA_R_64F && a != CUDA_R_32I;
    case CUDA_R_64F:
    case CUDA_R_16F:
      return a == product.how.scale && d == product.how.scale;
    default:
      return product.how.scale == CUDA_R_32I && a == CUDA_R_8I && (d == CUDA_R_32I || d == CUDA_R_8I);
  }
}

/// Rows and columns of op(A).
std::pair<std::size_t, std::size_t> size_of(const Layout& layout, int trans) {
  return trans == CUBLAS_OP_N ? std::pair<std::size_t, std::size_t>{layout.rows, layout.columns}
                              : std::pair<std::size_t, std::size_t>{layout.columns, layout.rows};
}
bool is_wide_enough(const Layout& layout) {
  const std::uint64_t least = layout.order == kOrderRows        ? layout.columns
                              : layout.order == kOrderColumns32 ? 32 * layout.rows
                                                                : layout.rows;
  return layout.ld >= 0 && static_cast<std::uint64_t>(layout.ld) >= least;
}

template <class Real>
using GemmOfBlas = void(int order, int transa, int transb, int m, int n, int k, Real alpha, const Real* a,
                        int lda, const Real* b, int ldb, Real beta, Real* c, int ldc);
template <class Real>
GemmOfBlas<Real>* gemm() {
  static GemmOfBlas<Real>* const found = [] {
    const SystemLibrary library("cuBLASLt", "libblas.so.3", "libblas3");
    GemmOfBlas<Real>* function = nullptr;
    library.find(function, std::is_same_v<Real, float> ? "cblas_sgemm" : "cblas_dgemm");
    return function;
  }();
  return found;
}

/// op(A) by columns, without gaps.
template <class Real>
std::vector<Real> packed(const View& view, int trans, std::size_t rows, std::size_t columns) {
  std::vector<Real> result;
  result.reserve(rows * columns);
  for (std::size_t column = 0; column < columns; ++column)
    for (std::size_t row = 0; row < rows; ++row)
      result.push_back(
          static_cast<Real>(trans == CUBLAS_OP_N ? view.get(row, column) : view.get(column, row)));
  return result;
}

/// By tanh, as the frameworks have it: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, arXiv:1606.08415.
double gelu(double x) {
  const double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}
double slope_of_gelu(double x) {
  const double factor = std::sqrt(2 / M_PI), tanh = std::tanh(factor * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * factor * (1 + 3 * 0.044715 * x * x);
}

/// What is done with the sums before they are stored.
class Ending {
 public:
  Ending(const Product& product, std::int64_t number) : how_(product.how) {
    bias_type_ = how_.bias_type >= 0 ? how_.bias_type : product.d.layout.type;
    const int aux_type = how_.aux_type >= 0 ? how_.aux_type : product.d.layout.type;
    bias_begin_ = number * how_.bias_stride;
    aux_ = {aux_type, kOrderColumns, product.m, product.n, how_.aux_ld, 1, how_.aux_stride};
    number_ = number;
  }
  [[nodiscard]] double of(double value, std::size_t row, std::size_t column) const {
    const int kind = how_.epilogue;
    const View aux(aux_, how_.aux, number_);
    if ((kind & ReluBackwards) != 0) return bit(row, column) ? value : 0;
    if ((kind & GeluBackwards) != 0) return value * slope_of_gelu(aux.get(row, column));
    if ((kind & Bias) != 0) value += load(bias_type_, how_.bias, static_cast<std::size_t>(bias_begin_) + row);
    if ((kind & Gelu) != 0) {
      if ((kind & Aux) != 0) aux.set(row, column, value);
      return gelu(value);
    }
    if ((kind & Relu) == 0) return value;
    if ((kind & Aux) != 0) set_bit(row, column, value > 0);
    return std::fmax(value, 0);
  }

 private:
  /// Of the mask of ReLU: a bit for each element, `aux_ld` of them for each column.
  [[nodiscard]] unsigned char& byte(std::size_t row, std::size_t column, unsigned& mask) const {
    const std::size_t at = static_cast<std::size_t>(number_ * how_.aux_stride) +
                           column * static_cast<std::size_t>(how_.aux_ld) + row;
    mask = 1U << (at % 8);
    return static_cast<unsigned char*>(how_.aux)[at / 8];
  }
  [[nodiscard]] bool bit(std::size_t row, std::size_t column) const {
    unsigned mask = 0;
    return (byte(row, column, mask) & mask) != 0;
  }
  void set_bit(std::size_t row, std::size_t column, bool is_set) const {
    unsigned mask = 0;
    unsigned char& of = byte(row, column, mask);
    of = static_cast<unsigned char>(is_set ? of | mask : of & ~mask);
  }

  Matmul how_;
  int bias_type_;
  std::int64_t bias_begin_, number_;
  Layout aux_;
};

double factor(const float* scale) {
  return scale != nullptr ? *scale : 1;
}

template <class Real>
void multiply(const Product& product, std::int64_t number) {
  const auto m = static_cast<int>(product.m), n = static_cast<int>(product.n),
             k = static_cast<int>(product.k);
  const double beta = (product.beta_on_device != nullptr ? load(product.how.scale, product.beta_on_device, 0)
                                                         : product.beta) *
                      factor(product.how.scale_c);
  const double alpha =
      (product.alpha_on_device != nullptr ? load(product.how.scale, product.alpha_on_device, 0)
                                          : product.alpha) *
      factor(product.how.scale_a) * factor(product.how.scale_b);
  const auto a = packed<Real>(product.a.at(number), product.how.transa, product.m, product.k);
  const auto b = packed<Real>(product.b.at(number), product.how.transb, product.k, product.n);
  auto sums = beta == 0 ? std::vector<Real>(product.m * product.n)
                        : packed<Real>(product.c.at(number), CUBLAS_OP_N, product.m, product.n);
  gemm<Real>()(cublas::kColumns, cublas::number(CUBLAS_OP_N), cublas::number(CUBLAS_OP_N), m, n, k,
               static_cast<Real>(alpha), a.data(), std::max(1, m), b.data(), std::max(1, k),
               static_cast<Real>(beta), sums.data(), std::max(1, m));
  const Ending ending(product, number);
  const View d = product.d.at(number);
  double largest = 0;
  for (std::size_t column = 0; column < product.n; ++column)
    for (std::size_t row = 0; row < product.m; ++row) {
      const double value = ending.of(sums[column * product.m + row], row, column);
      largest = std::fmax(largest, std::fabs(value));
      d.set(row, column, value * factor(product.how.scale_d));
    }
  if (product.how.largest != nullptr) *product.how.largest = static_cast<float>(largest);
}

/// Sizes, which are right if this is CUBLAS_STATUS_SUCCESS.
cublasStatus_t measure(Product& product) {
  const auto& [how, a, b, c, d] = std::tie(product.how, product.a, product.b, product.c, product.d);
  const bool has_modes =
      std::any_of(std::begin(how.scale_modes), std::end(how.scale_modes), [](int mode) { return mode != 0; });
  if (!are_types_known(product) || !is_epilogue_known(how.epilogue) || has_modes ||
      how.transc != CUBLAS_OP_N || how.pointer_mode < kHost || how.pointer_mode > kDevice)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto [rows, depth] = size_of(a.layout, how.transa);
  const auto [depth_of_b, columns] = size_of(b.layout, how.transb);
  product.m = rows, product.n = columns, product.k = depth;
  bool right = depth == depth_of_b && d.layout.rows == rows && d.layout.columns == columns &&
               c.layout.rows == rows && c.layout.columns == columns;
  for (const Matrix* matrix : {&a, &b, &c, &d})
    right = right && is_wide_enough(matrix->layout) && matrix->layout.batch == d.layout.batch;
  right = right && ((how.epilogue & Bias) == 0 || how.bias != nullptr);
  right = right && ((how.epilogue & Aux) == 0 || (how.aux != nullptr && how.aux_ld > 0));
  return right ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

template <class Work>
cublasStatus_t submit(cudaStream_t stream, const Work& work) {
  return warpscopeSubmit(stream, "cuBLASLt", work) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                  : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace
}  // namespace warpscope::cuda::lt

using namespace warpscope::cuda::lt;

// NOLINTBEGIN(readability-identifier-naming): the names that cuBLASLt gives
extern "C" {

cublasStatus_t cublasLtMatmul(const void* handle, const Matmul* how, const void* alpha, const void* a,
                              const Layout* of_a, const void* b, const Layout* of_b, const void* beta,
                              const void* c, const Layout* of_c, void* d, const Layout* of_d,
                              const void* /*algorithm*/, void* /*workspace*/, std::size_t /*bytes*/,
                              cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (how == nullptr || of_a == nullptr || of_b == nullptr || of_c == nullptr || of_d == nullptr ||
      alpha == nullptr || beta == nullptr || a == nullptr || b == nullptr || d == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  Product product{*how, {*of_a, a}, {*of_b, b}, {*of_c, c}, {*of_d, d}};
  if (const cublasStatus_t status = measure(product); status != CUBLAS_STATUS_SUCCESS) return status;
  if (how->pointer_mode == kDevice)
    product.alpha_on_device = alpha, product.beta_on_device = beta;
  else
    product.alpha = load(how->scale, alpha, 0), product.beta = load(how->scale, beta, 0);
  if (c == nullptr && (how->pointer_mode == kDevice || product.beta != 0)) return CUBLAS_STATUS_INVALID_VALUE;
  const bool is_exact = how->scale == CUDA_R_64F || how->scale == CUDA_R_32I || of_a->type == CUDA_R_8I;
  return submit(stream, [product, is_exact] {
    for (int number = 0; number < product.d.layout.batch; ++number)
      is_exact ? multiply<double>(product, number) : multiply<float>(product, number);
  });
}

/// C = alpha op(A) + beta op(B), which copies a matrix to another order, too.
cublasStatus_t cublasLtMatrixTransform(const void* handle, const Transform* how, const void* alpha,
                                       const void* a, const Layout* of_a, const void* beta, const void* b,
                                       const Layout* of_b, void* c, const Layout* of_c, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (how == nullptr || alpha == nullptr || of_c == nullptr || c == nullptr ||
      (a != nullptr && of_a == nullptr) || (b != nullptr && (of_b == nullptr || beta == nullptr)))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (how->pointer_mode != kHost) return CUBLAS_STATUS_NOT_SUPPORTED;
  const Transform transform = *how;
  const Matrix first{of_a != nullptr ? *of_a : *of_c, a}, second{of_b != nullptr ? *of_b : *of_c, b},
      to{*of_c, c};
  for (const Matrix* matrix : {&first, &second, &to})
    if (bytes_of(matrix->layout.type) == 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  const std::pair<std::size_t, std::size_t> size{to.layout.rows, to.layout.columns};
  if ((a != nullptr && size_of(first.layout, transform.transa) != size) ||
      (b != nullptr && size_of(second.layout, transform.transb) != size))
    return CUBLAS_STATUS_INVALID_VALUE;
  const double of_first = a != nullptr ? load(transform.scale, alpha, 0) : 0;
  const double of_second = b != nullptr ? load(transform.scale, beta, 0) : 0;
  return submit(stream, [=] {
    const auto term = [](const Matrix& of, int number, int trans, double by, std::size_t row,
                         std::size_t column) {
      if (by == 0) return 0.0;
      const View view = of.at(number);
      return by * (trans == CUBLAS_OP_N ? view.get(row, column) : view.get(column, row));
    };
    for (int number = 0; number < to.layout.batch; ++number)
      for (std::size_t column = 0; column < size.second; ++column)
        for (std::size_t row = 0; row < size.first; ++row)
          to.at(number).set(row, column,
                            term(first, number, transform.transa, of_first, row, column) +
                                term(second, number, transform.transb, of_second, row, column));
  });
}
}
// NOLINTEND(readability-identifier-naming)
