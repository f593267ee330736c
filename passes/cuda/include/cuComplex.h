#pragma once
// Complex numbers of C style: CUDA's names for them. Magnitudes and quotients are scaled, so that
// they do not overflow where their results would not.
#include <math.h>

#include "cuda_runtime.h"
#include "warpscope/letters_away.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define WARPSCOPE_COMPLEX(Complex, Real, f, root, absolute, make)                                  \
  WARPSCOPE_BOTH Complex make_##Complex(Real x, Real y) { return make(x, y); }                     \
  WARPSCOPE_BOTH Real cuCreal##f(Complex a) { return a.x; }                                        \
  WARPSCOPE_BOTH Real cuCimag##f(Complex a) { return a.y; }                                        \
  WARPSCOPE_BOTH Complex cuConj##f(Complex a) { return make(a.x, -a.y); }                          \
  WARPSCOPE_BOTH Complex cuCadd##f(Complex a, Complex b) { return make(a.x + b.x, a.y + b.y); }    \
  WARPSCOPE_BOTH Complex cuCsub##f(Complex a, Complex b) { return make(a.x - b.x, a.y - b.y); }    \
  WARPSCOPE_BOTH Complex cuCmul##f(Complex a, Complex b) {                                         \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                     \
  }                                                                                                \
  WARPSCOPE_BOTH Complex cuCdiv##f(Complex a, Complex b) {                                         \
    const Real scale = 1 / (absolute(b.x) + absolute(b.y));                                        \
    const Real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;             \
    const Real whole = 1 / (bx * bx + by * by);                                                    \
    return make((ax * bx + ay * by) * whole, (ay * bx - ax * by) * whole);                         \
  }                                                                                                \
  WARPSCOPE_BOTH Real cuCabs##f(Complex a) {                                                       \
    const Real x = absolute(a.x), y = absolute(a.y), larger = x > y ? x : y;                       \
    const Real ratio = (x > y ? y : x) / larger;                                                   \
    return larger == 0 ? larger : larger * root(1 + ratio * ratio);                                \
  }                                                                                                \
  WARPSCOPE_BOTH Complex cuCfma##f(Complex a, Complex b, Complex c) {                              \
    return cuCadd##f(cuCmul##f(a, b), c);                                                          \
  }
WARPSCOPE_COMPLEX(cuFloatComplex, float, f, sqrtf, fabsf, make_float2)
WARPSCOPE_COMPLEX(cuDoubleComplex, double, , sqrt, fabs, make_double2)
#undef WARPSCOPE_COMPLEX

WARPSCOPE_BOTH cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
WARPSCOPE_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
  return make_double2(a.x, a.y);
}
WARPSCOPE_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_float2((float)a.x, (float)a.y);
}
#include "warpscope/letters_back.h"
