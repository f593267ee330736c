// cuBLASLt's products in orders of rows and columns, with what is done with the sums before they are stored, of several types, next to loops of the host.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdio>

#include "../api/check.h"

static cublasLtHandle_t handle;
static const int kRows = 5, kColumns = 4, kDepth = 3;

static cublasLtMatrixLayout_t layout(cudaDataType type, int rows, int columns, int order) {
  cublasLtMatrixLayout_t made;
  status("layout", cublasLtMatrixLayoutCreate(&made, type, rows, columns, (order == CUBLASLT_ORDER_ROW ? columns : rows) + 1));
  status("order", cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
  return made;
}
/// Where an element is in a matrix of layout().
static int at(int row, int column, int rows, int columns, int order) { return order == CUBLASLT_ORDER_ROW ? row * (columns + 1) + column : column * (rows + 1) + row; }
template <class T>
static T* memory(int count) {
  T* made;
  cudaMallocManaged(&made, count * sizeof(T));
  for (int i = 0; i < count; ++i) made[i] = T(static_cast<float>((i * 7) % 9 - 4));
  return made;
}
template <class T>
static void set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute, T value) {
  status("attribute", cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof value));
  T same{};
  size_t bytes = 0;
  status("asked for", cublasLtMatmulDescGetAttribute(product, attribute, &same, sizeof same, &bytes));
  expect("its value", same == value && bytes == sizeof value);
}

/// Every order of A, B and D, with each of them as it is or turned.
static void orders() {
  const float alpha = 2, beta = -1;
  float *a = memory<float>(64), *b = memory<float>(64), *c = memory<float>(64), *d = memory<float>(64);
  for (int i = 0; i < 32; ++i) {
    const int order_a = i & 1, order_b = i >> 1 & 1, order_d = i >> 2 & 1, turned_a = i >> 3 & 1, turned_b = i >> 4 & 1;
    cublasLtMatmulDesc_t product;
    status("product", cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    set(product, CUBLASLT_MATMUL_DESC_TRANSA, turned_a ? CUBLAS_OP_T : CUBLAS_OP_N), set(product, CUBLASLT_MATMUL_DESC_TRANSB, turned_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    const int rows_a = turned_a ? kDepth : kRows, columns_a = turned_a ? kRows : kDepth, rows_b = turned_b ? kColumns : kDepth, columns_b = turned_b ? kDepth : kColumns;
    const cublasLtMatrixLayout_t of_a = layout(CUDA_R_32F, rows_a, columns_a, order_a), of_b = layout(CUDA_R_32F, rows_b, columns_b, order_b);
    const cublasLtMatrixLayout_t of_c = layout(CUDA_R_32F, kRows, kColumns, 1 - order_d), of_d = layout(CUDA_R_32F, kRows, kColumns, order_d);
    for (int k = 0; k < 64; ++k) d[k] = 99;
    status("multiply", cublasLtMatmul(handle, product, &alpha, a, of_a, b, of_b, &beta, c, of_c, d, of_d, nullptr, nullptr, 0, nullptr));
    cudaDeviceSynchronize();
    for (int row = 0; row < kRows; ++row)
      for (int column = 0; column < kColumns; ++column) {
        float sum = 0;
        for (int k = 0; k < kDepth; ++k)
          sum += a[turned_a ? at(k, row, rows_a, columns_a, order_a) : at(row, k, rows_a, columns_a, order_a)] *
                 b[turned_b ? at(column, k, rows_b, columns_b, order_b) : at(k, column, rows_b, columns_b, order_b)];
        expect("in any order", d[at(row, column, kRows, kColumns, order_d)] == alpha * sum + beta * c[at(row, column, kRows, kColumns, 1 - order_d)]);
      }
    expect("between", d[order_d ? kColumns : kRows] == 99);
    for (cublasLtMatrixLayout_t made : {of_a, of_b, of_c, of_d}) cublasLtMatrixLayoutDestroy(made);
    cublasLtMatmulDescDestroy(product);
  }
}

static double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }
static double expected(int kind, double sum, double bias) {
  if (kind & CUBLASLT_EPILOGUE_BIAS) sum += bias;
  if (kind & 32) return gelu(sum);
  return (kind & 2) && sum < 0 ? 0 : sum;
}
/// One product with every epilogue of forward passes, and the two of backward passes on what those left.
static void epilogues() {
  const float one = 0.25f, none = 0;
  float *a = memory<float>(64), *b = memory<float>(64), *d = memory<float>(64), *bias = memory<float>(8), *aux = memory<float>(64);
  unsigned char* bits = memory<unsigned char>(256);
  const cublasLtMatrixLayout_t of_a = layout(CUDA_R_32F, kRows, kDepth, 0), of_b = layout(CUDA_R_32F, kDepth, kColumns, 0), of_d = layout(CUDA_R_32F, kRows, kColumns, 0);
  const int kinds[] = {CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_RELU_AUX_BIAS, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX_BIAS};
  for (int kind : kinds) {
    cublasLtMatmulDesc_t product;
    status("product", cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    set(product, CUBLASLT_MATMUL_DESC_EPILOGUE, kind), set<const void*>(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    const bool has_bits = kind == CUBLASLT_EPILOGUE_RELU_AUX_BIAS, has_aux = (kind & 128) != 0;
    set<void*>(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, has_bits ? static_cast<void*>(bits) : aux), set<int64_t>(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, has_bits ? 128 : kRows);
    status("multiply", cublasLtMatmul(handle, product, &one, a, of_a, b, of_b, &none, d, of_d, d, of_d, nullptr, nullptr, 0, nullptr));
    cudaDeviceSynchronize();
    for (int row = 0; row < kRows; ++row)
      for (int column = 0; column < kColumns; ++column) {
        double sum = 0;
        for (int k = 0; k < kDepth; ++k) sum += one * a[at(row, k, kRows, kDepth, 0)] * b[at(k, column, kDepth, kColumns, 0)];
        expect("epilogue", std::fabs(d[at(row, column, kRows, kColumns, 0)] - expected(kind, sum, bias[row])) < 1e-6);
        if (has_aux && !has_bits) expect("sum in front of it", aux[column * kRows + row] == sum + bias[row]);
        if (has_bits) expect("bit", (bits[(column * 128 + row) / 8] >> (row % 8) & 1) == (sum + bias[row] > 0));
      }
    if (!has_aux) continue;
    set(product, CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<int>(has_bits ? CUBLASLT_EPILOGUE_DRELU : CUBLASLT_EPILOGUE_DGELU));
    status("backwards", cublasLtMatmul(handle, product, &one, a, of_a, b, of_b, &none, d, of_d, d, of_d, nullptr, nullptr, 0, nullptr));
    cudaDeviceSynchronize();
    for (int row = 0; row < kRows; ++row)
      for (int column = 0; column < kColumns; ++column) {
        double sum = 0;
        for (int k = 0; k < kDepth; ++k) sum += one * a[at(row, k, kRows, kDepth, 0)] * b[at(k, column, kDepth, kColumns, 0)];
        const double x = sum + bias[row], step = 1e-5, slope = has_bits ? x > 0 : (gelu(x + step) - gelu(x - step)) / (2 * step);
        expect("slope", std::fabs(d[at(row, column, kRows, kColumns, 0)] - sum * slope) < 1e-4);
      }
    cublasLtMatmulDescDestroy(product);
  }
  cublasLtMatmulDesc_t product;
  status("product", cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  set(product, CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<int>(CUBLASLT_EPILOGUE_BGRADA));
  status("of no use here", cublasLtMatmul(handle, product, &one, a, of_a, b, of_b, &none, d, of_d, d, of_d, nullptr, nullptr, 0, nullptr), CUBLAS_STATUS_NOT_SUPPORTED);
  cublasLtMatmulDescDestroy(product);
}

/// Elements of other types; sums are whole numbers, so none is rounded but the product by 0.5.
template <class From, class To, class Sum>
static void types(const char* name, cudaDataType from, cudaDataType to, cublasComputeType_t compute, cudaDataType scale, bool has_scales) {
  const Sum one = 1, none = 0;
  From *a = memory<From>(64), *b = memory<From>(64);
  To* d = memory<To>(64);
  float* factors = memory<float>(3);
  factors[0] = 0.5f, factors[1] = 4, factors[2] = 0;
  const cublasLtMatrixLayout_t of_a = layout(from, kDepth, kRows, 0), of_b = layout(from, kDepth, kColumns, 0), of_d = layout(to, kRows, kColumns, 0);
  cublasLtMatmulDesc_t product;
  status("product", cublasLtMatmulDescCreate(&product, compute, scale));
  set(product, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  if (has_scales)
    set<const void*>(product, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, factors), set<const void*>(product, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, factors + 1),
        set<void*>(product, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, factors + 2);
  status(name, cublasLtMatmul(handle, product, &one, a, of_a, b, of_b, &none, d, of_d, d, of_d, nullptr, nullptr, 0, nullptr));
  cudaDeviceSynchronize();
  float largest = 0;
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      float sum = 0;
      for (int k = 0; k < kDepth; ++k) sum += static_cast<float>(a[at(k, row, kDepth, kRows, 0)]) * static_cast<float>(b[at(k, column, kDepth, kColumns, 0)]);
      if (has_scales) sum *= 2;
      largest = std::fmax(largest, std::fabs(sum));
      expect(name, static_cast<float>(d[at(row, column, kRows, kColumns, 0)]) == sum);
    }
  expect("largest", !has_scales || factors[2] == largest);
  cublasLtMatmulDescDestroy(product);
}

/// B = 3 A with A by rows and B by columns, turned.
static void transforms() {
  float *a = memory<float>(64), *b = memory<float>(64);
  const float three = 3, none = 0;
  const cublasLtMatrixLayout_t of_a = layout(CUDA_R_32F, kColumns, kRows, 1), of_b = layout(CUDA_R_32F, kRows, kColumns, 0);
  cublasLtMatrixTransformDesc_t turned;
  const cublasOperation_t transposed = CUBLAS_OP_T;
  status("transform", cublasLtMatrixTransformDescCreate(&turned, CUDA_R_32F));
  status("turned", cublasLtMatrixTransformDescSetAttribute(turned, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &transposed, sizeof transposed));
  status("turn", cublasLtMatrixTransform(handle, turned, &three, a, of_a, &none, nullptr, nullptr, b, of_b, nullptr));
  cudaDeviceSynchronize();
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) expect("turned element", b[at(row, column, kRows, kColumns, 0)] == 3 * a[at(column, row, kColumns, kRows, 1)]);
  status("destroy", cublasLtMatrixTransformDescDestroy(turned));
}

/// Descriptions in the program's own memory.
static void own_memory() {
  cublasLtMatrixLayoutOpaque_t of_a;
  cublasLtMatmulDescOpaque_t product;
  cublasLtMatmulPreferenceOpaque_t preference;
  status("layout", cublasLtMatrixLayoutInit(&of_a, CUDA_R_16F, 2, 3, 4)), status("product", cublasLtMatmulDescInit(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  status("preference", cublasLtMatmulPreferenceInit(&preference));
  uint64_t columns = 0;
  status("columns", cublasLtMatrixLayoutGetAttribute(&of_a, CUBLASLT_MATRIX_LAYOUT_COLS, &columns, sizeof columns, nullptr));
  expect("three", columns == 3);
  expect("version", cublasLtGetVersion() >= 110000 && cublasLtGetCudartVersion() >= 11000);
}

int main() {
  status("create", cublasLtCreate(&handle));
  orders();
  epilogues();
  types<__half, __half, float>("half", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, false);
  types<__nv_bfloat16, float, float>("bfloat16", CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, false);
  types<signed char, int, int>("8 bits", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, false);
  types<double, double, double>("double", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F, false);
  types<__nv_fp8_e4m3, __nv_bfloat16, float>("E4M3", CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, true);
  transforms();
  own_memory();
  status("destroy", cublasLtDestroy(handle));
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
