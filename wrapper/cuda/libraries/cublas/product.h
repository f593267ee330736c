#pragma once
// Sizes and operations of a product of matrices, which all its forms have.
#include "wrapper/cuda/libraries/cublas/call.h"

namespace warpscope::cuda::cublas {

struct ProductSizes {
  cublasOperation_t transa, transb;
  int m, n, k, lda, ldb, ldc;

  [[nodiscard]] bool is_right() const {
    return is_one(transa) && is_one(transb) && are_sizes(m, n, k) && fits(lda, rows_of(transa, m, k)) &&
           fits(ldb, rows_of(transb, k, n)) && fits(ldc, m);
  }
};

}  // namespace warpscope::cuda::cublas
