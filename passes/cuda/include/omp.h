#pragma once
// The host compiler's omp.h, for clang: GCC names the function that frees, in an attribute of which
// clang knows the short form only. Regions of a .cu file run on one thread.
#ifdef __clang__
#define __malloc__(...) __malloc__
#endif
#include_next <omp.h>
#ifdef __clang__
#undef __malloc__
#endif
