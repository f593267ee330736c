#pragma once
// What nvcc's headers have for host code and C's library has not: the others of this kind are in
// error_functions.h and numbers.h, for both sides. In the next wider type, rounded once.
WARPSCOPE_ON_HOST float rsqrtf(float a) { return (float)(1 / __builtin_sqrt(a)); }
WARPSCOPE_ON_HOST float rsqrt(float a) { return rsqrtf(a); }
WARPSCOPE_ON_HOST double rsqrt(double a) { return (double)(1 / __builtin_sqrtl(a)); }

// The remainder is exact, so are the folds: whole and half numbers give exact results.
WARPSCOPE_ON_HOST double __warpscope_sine_of_half_turns(double part) {
  const double folded = __builtin_fabs(part) > 0.5 ? __builtin_copysign(1, part) - part : part;
  return (double)__builtin_sinl(3.14159265358979323846264338327950288L * folded);
}
WARPSCOPE_ON_HOST double sinpi(double a) {
  const double part = __builtin_remainder(a, 2);
  return part == 0 ? __builtin_copysign(0, a) : __warpscope_sine_of_half_turns(part);
}
WARPSCOPE_ON_HOST double cospi(double a) {
  return __warpscope_sine_of_half_turns(0.5 - __builtin_fabs(__builtin_remainder(a, 2)));
}
WARPSCOPE_ON_HOST float sinpif(float a) { return (float)sinpi((double)a); }
WARPSCOPE_ON_HOST float sinpi(float a) { return sinpif(a); }
WARPSCOPE_ON_HOST float cospif(float a) { return (float)cospi((double)a); }
WARPSCOPE_ON_HOST float cospi(float a) { return cospif(a); }
WARPSCOPE_ON_HOST void sincospi(double a, double *sine, double *cosine) {
  *sine = sinpi(a);
  *cosine = cospi(a);
}
WARPSCOPE_ON_HOST void sincospif(float a, float *sine, float *cosine) {
  *sine = sinpif(a);
  *cosine = cospif(a);
}
WARPSCOPE_ON_HOST void sincospi(float a, float *sine, float *cosine) { sincospif(a, sine, cosine); }
