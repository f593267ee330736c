#pragma once
// Vector types with CUDA's sizes and alignments, and their make_ functions.
#define WARPSCOPE_VECTORS(name, type, align2, align4)                                              \
  typedef struct name##1 { type x; }                                                               \
  name##1;                                                                                         \
  typedef struct __align__(align2) name##2 { type x, y; }                                          \
  name##2;                                                                                         \
  typedef struct name##3 { type x, y, z; }                                                         \
  name##3;                                                                                         \
  typedef struct __align__(align4) name##4 { type x, y, z, w; }                                    \
  name##4;                                                                                         \
  WARPSCOPE_VECTOR_MAKERS(name, type)

// As C has it.
#define WARPSCOPE_VECTOR_MAKERS(name, type)                                                        \
  WARPSCOPE_BOTH name##1 make_##name##1(type x) {                                                  \
    name##1 vector = {x};                                                                          \
    return vector;                                                                                 \
  }                                                                                                \
  WARPSCOPE_BOTH name##2 make_##name##2(type x, type y) {                                          \
    name##2 vector = {x, y};                                                                       \
    return vector;                                                                                 \
  }                                                                                                \
  WARPSCOPE_BOTH name##3 make_##name##3(type x, type y, type z) {                                  \
    name##3 vector = {x, y, z};                                                                    \
    return vector;                                                                                 \
  }                                                                                                \
  WARPSCOPE_BOTH name##4 make_##name##4(type x, type y, type z, type w) {                          \
    name##4 vector = {x, y, z, w};                                                                 \
    return vector;                                                                                 \
  }

WARPSCOPE_VECTORS(char, signed char, 2, 4)
WARPSCOPE_VECTORS(uchar, unsigned char, 2, 4)
WARPSCOPE_VECTORS(short, short, 4, 8)
WARPSCOPE_VECTORS(ushort, unsigned short, 4, 8)
WARPSCOPE_VECTORS(int, int, 8, 16)
WARPSCOPE_VECTORS(uint, unsigned int, 8, 16)
WARPSCOPE_VECTORS(long, long, 16, 16)
WARPSCOPE_VECTORS(ulong, unsigned long, 16, 16)
WARPSCOPE_VECTORS(longlong, long long, 16, 16)
WARPSCOPE_VECTORS(ulonglong, unsigned long long, 16, 16)
WARPSCOPE_VECTORS(float, float, 8, 16)
WARPSCOPE_VECTORS(double, double, 16, 16)
#undef WARPSCOPE_VECTORS
#undef WARPSCOPE_VECTOR_MAKERS

#ifndef __cplusplus
typedef struct dim3 {
  unsigned int x, y, z;
} dim3;
#else
struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};
#endif
