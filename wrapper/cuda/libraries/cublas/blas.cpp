#include "wrapper/cuda/libraries/cublas/blas.h"

#include <type_traits>

#include "wrapper/cuda/libraries/system_library.h"

namespace warpscope::cuda::cublas {

template <class T>
Blas<T>::Blas() {
  const SystemLibrary library("cuBLAS", "libblas.so.3", "libblas3");
  const std::string prefix = std::is_same_v<T, float> ? "cblas_s" : "cblas_d";
#define WARPSCOPE_FIND(name) library.find(name, prefix + #name);
  WARPSCOPE_FIND(axpy)
  WARPSCOPE_FIND(copy)
  WARPSCOPE_FIND(swap)
  WARPSCOPE_FIND(scal)
  WARPSCOPE_FIND(dot)
  WARPSCOPE_FIND(nrm2)
  WARPSCOPE_FIND(asum)
  WARPSCOPE_FIND(rot)
  WARPSCOPE_FIND(rotg)
  WARPSCOPE_FIND(rotm)
  WARPSCOPE_FIND(rotmg)
  WARPSCOPE_FIND(gemv)
  WARPSCOPE_FIND(gbmv)
  WARPSCOPE_FIND(ger)
  WARPSCOPE_FIND(symv)
  WARPSCOPE_FIND(sbmv)
  WARPSCOPE_FIND(spmv)
  WARPSCOPE_FIND(syr)
  WARPSCOPE_FIND(spr)
  WARPSCOPE_FIND(syr2)
  WARPSCOPE_FIND(spr2)
  WARPSCOPE_FIND(trmv)
  WARPSCOPE_FIND(tbmv)
  WARPSCOPE_FIND(tpmv)
  WARPSCOPE_FIND(trsv)
  WARPSCOPE_FIND(tbsv)
  WARPSCOPE_FIND(tpsv)
  WARPSCOPE_FIND(gemm)
  WARPSCOPE_FIND(symm)
  WARPSCOPE_FIND(syrk)
  WARPSCOPE_FIND(syr2k)
  WARPSCOPE_FIND(trsm)
  WARPSCOPE_FIND(trmm)
#undef WARPSCOPE_FIND
}

template <class T>
const Blas<T>& Blas<T>::get() {
  static const Blas blas;
  return blas;
}

template struct Blas<float>;
template struct Blas<double>;

}  // namespace warpscope::cuda::cublas
