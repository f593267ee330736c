#pragma once
// Vectors.
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "wrapper/cuda/libraries/cublas/blas.h"
#include "wrapper/cuda/libraries/cublas/call.h"

namespace warpscope::cuda::cublas {

template <class T>
cublasStatus_t axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy) {
  const Scalar<T> a(handle, alpha);
  return run(handle, a.is_given(), [=] { Blas<T>::get().axpy(n, a.get(), x, incx, y, incy); });
}

template <class T>
cublasStatus_t copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {
  return run(handle, true, [=] { Blas<T>::get().copy(n, x, incx, y, incy); });
}

template <class T>
cublasStatus_t swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {
  return run(handle, true, [=] { Blas<T>::get().swap(n, x, incx, y, incy); });
}

template <class T>
cublasStatus_t scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {
  const Scalar<T> a(handle, alpha);
  return run(handle, a.is_given(), [=] { Blas<T>::get().scal(n, a.get(), x, incx); });
}

/// The sum of term(0), …, term(n - 1), in double. Sums of floats are made so: a GPU adds up parts of many threads, whose
/// error hardly grows with n. The reference BLAS adds one term after the other and has lost three digits at 2^21 terms.
template <class Term>
double sum(int n, const Term& term) {
  double total = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) total += term(i);
  return total;
}

template <class T>
T dot_of(int n, const T* x, int incx, const T* y, int incy) {
  if constexpr (std::is_same_v<T, double>) {
    return Blas<T>::get().dot(n, x, incx, y, incy);
  } else {
    const T *const first_x = x + start(n, incx), *const first_y = y + start(n, incy);
    return static_cast<T>(
        sum(n, [=](std::ptrdiff_t i) { return double{first_x[i * incx]} * first_y[i * incy]; }));
  }
}
template <class T>
cublasStatus_t dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result) {
  return run_for_result(handle, result, [=] { *result = dot_of(n, x, incx, y, incy); });
}

/// No square of a float overflows in double, so nothing needs to be scaled.
template <class T>
T norm_of(int n, const T* x, int incx) {
  if constexpr (std::is_same_v<T, double>) {
    return Blas<T>::get().nrm2(n, x, incx);
  } else {
    const auto square = [=](std::ptrdiff_t i) { return double{x[i * incx]} * x[i * incx]; };
    return static_cast<T>(std::sqrt(sum(n, square)));
  }
}
template <class T>
cublasStatus_t nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result) {
  return run_for_result(handle, result, [=] { *result = n < 1 || incx < 1 ? 0 : norm_of(n, x, incx); });
}

template <class T>
T absolute_sum_of(int n, const T* x, int incx) {
  if constexpr (std::is_same_v<T, double>) {
    return Blas<T>::get().asum(n, x, incx);
  } else {
    return static_cast<T>(sum(n, [=](std::ptrdiff_t i) { return std::fabs(double{x[i * incx]}); }));
  }
}
template <class T>
cublasStatus_t asum(cublasHandle_t handle, int n, const T* x, int incx, T* result) {
  return run_for_result(handle, result,
                        [=] { *result = n < 1 || incx < 1 ? 0 : absolute_sum_of(n, x, incx); });
}

/// The first of the extreme absolute values, counted from 1 as in Fortran; 0 of no elements.
template <class T, class IsBetter>
int first_extreme(int n, const T* x, int incx, IsBetter is_better) {
  if (n < 1 || incx < 1) return 0;
  int best = 0;
  for (int i = 1; i < n; ++i)
    if (is_better(std::fabs(x[at(0, i, incx)]), std::fabs(x[at(0, best, incx)]))) best = i;
  return best + 1;
}
template <class T>
cublasStatus_t amax(cublasHandle_t handle, int n, const T* x, int incx, int* result) {
  return run_for_result(handle, result, [=] {
    *result = first_extreme(n, x, incx, [](T value, T best) { return value > best; });
  });
}
template <class T>
cublasStatus_t amin(cublasHandle_t handle, int n, const T* x, int incx, int* result) {
  return run_for_result(handle, result, [=] {
    *result = first_extreme(n, x, incx, [](T value, T best) { return value < best; });
  });
}

template <class T>
cublasStatus_t rot(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const T* c, const T* s) {
  const Scalar<T> cosine(handle, c), sine(handle, s);
  return run(handle, cosine.is_given() && sine.is_given(),
             [=] { Blas<T>::get().rot(n, x, incx, y, incy, cosine.get(), sine.get()); });
}

template <class T>
cublasStatus_t rotg(cublasHandle_t handle, T* a, T* b, T* c, T* s) {
  const bool are_given = a != nullptr && b != nullptr && c != nullptr;
  return run_for_result(handle, are_given ? s : nullptr, [=] { Blas<T>::get().rotg(a, b, c, s); });
}

template <class T>
cublasStatus_t rotm(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const T* parameters) {
  struct Five {
    T values[5];
  };
  const Scalar<Five> five(handle, reinterpret_cast<const Five*>(parameters));
  return run(handle, five.is_given(), [=] {
    const Five rotation = five.get();
    Blas<T>::get().rotm(n, x, incx, y, incy, rotation.values);
  });
}

template <class T>
cublasStatus_t rotmg(cublasHandle_t handle, T* d1, T* d2, T* x1, const T* y1, T* parameters) {
  const bool are_given = d1 != nullptr && d2 != nullptr && x1 != nullptr && y1 != nullptr;
  return run_for_result(handle, are_given ? parameters : nullptr,
                        [=] { Blas<T>::get().rotmg(d1, d2, x1, *y1, parameters); });
}

}  // namespace warpscope::cuda::cublas
