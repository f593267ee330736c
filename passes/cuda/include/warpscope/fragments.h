#pragma once
// Matrices of a warp in pieces: which element a lane holds, and their product. Only the accesses of
// loads and stores are of interest, so the product is computed by the lanes from a hidden array.
//
// Where the elements are:
// - PTX ISA 7.5, 9.7.13.4 "Matrix Fragments for mma": lanes of four hold a row of 16 bytes.
// Fragments
//   of wmma have the same order from compute capability 7.5 on, in tiles of 8 rows or columns.
// - Before that, 16x16x16 of half: M. A. Raihan, N. Goli, T. M. Aamodt: Modeling Deep Learning
//   Accelerator Enabled GPUs, ISPASS 2019, DOI 10.1109/ISPASS.2019.00016, and the measured tables
//   of github.com/wmmae/wmma_extension. Every element of A and B is in two lanes.
// NVIDIA publishes no order for wmma. That of 32x8x16 and 8x32x16 is taken to be the tiles'
// everywhere.
#include "half_bits.h"

namespace warpscope_fragments {

// An element of A (row, column), B (column, row) or the result (row, column): `inner` is what the
// product sums over; of a result it is the column.
struct Place {
  unsigned int outer, inner;
};

enum Order : unsigned int { Tiles, VoltaLine, VoltaBlock, VoltaHalf, VoltaFloat };

// `line`: elements side by side that a lane holds; `blocks`: of 8 outer places that follow each
// other in the lane's registers before the next `tiles` of inner ones do. Of Volta's A and B, `bit`
// of the lane chooses the upper half.
struct Layout {
  Order order;
  unsigned int line, blocks, tiles, bit;
  // As a number for the functions below, and back.
  WARPSCOPE_DEVICE_MEMBER constexpr unsigned int code() const {
    return order | line << 4 | blocks << 8 | tiles << 12 | bit << 20;
  }
  WARPSCOPE_DEVICE_MEMBER static constexpr Layout of(unsigned int code) {
    return {(Order)(code & 15), code >> 4 & 15, code >> 8 & 15, code >> 12 & 255, code >> 20};
  }
  // The place of the lane's element x.
  WARPSCOPE_DEVICE_MEMBER Place place(unsigned int lane, unsigned int x) const {
    const unsigned int half = lane >> 4 & 1, upper = (lane & bit) != 0;
    switch (order) {
    case Tiles: {
      const unsigned int part = x / line;
      return {lane / 4 + 8 * (part % blocks + blocks * (part / (blocks * tiles))),
              line * (lane % 4) + x % line + 4 * line * (part / blocks % tiles)};
    }
    case VoltaLine:
      return {lane % 4 + 8 * upper + 4 * half, x};
    case VoltaBlock:
      return {8 * upper + 4 * half + x % 4, lane % 4 + (x & 12)};
    case VoltaHalf:
      return {lane % 4 + 8 * upper + 4 * half, (lane & 8) + x};
    case VoltaFloat:
      return {(lane & 1) + (x & 2) + 8 * upper + 4 * half,
              (lane & 2) + (lane & 8) + (x & 1) + (x & 4)};
    }
    return {};
  }
};

enum Type : unsigned int { F16, BF16, TF32, F32, S8, U8, S32, F64 };
// A lane's part of a matrix as it is in registers.
typedef unsigned int Words __attribute__((ext_vector_type(8)));
// Of a warp's hidden array: m16n8k32 takes most.
constexpr unsigned int warp_numbers = 768;

WARPSCOPE_DEVICE float *numbers() {
  __shared__ float __warpscope_fragment_array[32 * warp_numbers];
  return __warpscope_fragment_array;
}
WARPSCOPE_DEVICE unsigned int element(Words words, unsigned int x, unsigned int bytes) {
  const unsigned int at = x * bytes;
  return words[at / 4] >> 8 * (at % 4) & (bytes == 4 ? ~0u : (1u << 8 * bytes) - 1);
}
WARPSCOPE_DEVICE unsigned int bytes_of(unsigned int type) {
  return type == F64 ? 8 : type == S8 || type == U8 ? 1 : type == F16 || type == BF16 ? 2 : 4;
}
WARPSCOPE_DEVICE double double_of(Words words, unsigned int x) {
  const unsigned long long bits = words[2 * x] | (unsigned long long)words[2 * x + 1] << 32;
  return __builtin_bit_cast(double, bits);
}
WARPSCOPE_DEVICE float float_of(Words words, unsigned int x, unsigned int type) {
  const unsigned int bits = element(words, x, bytes_of(type));
  if (type == F16)
    return __warpscope_half_to_float((unsigned short)bits);
  if (type == BF16)
    return __warpscope_bfloat_to_float((unsigned short)bits);
  return __builtin_bit_cast(float, type == TF32 ? bits & ~0x1fffu : bits); // ten bits of fraction
}
WARPSCOPE_DEVICE int int_of(Words words, unsigned int x, unsigned int type) {
  const unsigned int bits = element(words, x, bytes_of(type));
  return type == S8 ? (signed char)bits : (int)bits;
}
// A number of A and one of B, by the type of their product.
template <class T> WARPSCOPE_DEVICE T number(const float *from, unsigned int at) {
  return ((const T *)from)[at];
}
template <class T>
WARPSCOPE_DEVICE T dot(T sum, const float *from, unsigned int a, unsigned int b,
                       unsigned int depth) {
  for (unsigned int k = 0; k < depth; ++k)
    sum += number<T>(from, a + k) * number<T>(from, b + k);
  return sum;
}
// What wraps around, and what stays at the ends if `saturates`.
WARPSCOPE_DEVICE int integer_sum(long long sum, bool saturates) {
  const bool fits = sum == (int)sum;
  return fits || !saturates ? (int)sum : sum < 0 ? (int)0x80000000 : 0x7fffffff;
}

} // namespace warpscope_fragments

// A or B: `count` elements of each lane, to the warp's array from number `first` on; an outer place
// has `depth` inner ones.
WARPSCOPE_HARDWARE void __warpscope_fragment_put(warpscope_fragments::Words words,
                                                 unsigned int type, unsigned int count,
                                                 unsigned int layout, unsigned int depth,
                                                 unsigned int first, unsigned int rank,
                                                 float *numbers) {
  namespace wf = warpscope_fragments;
  float *to = numbers + rank / 32 * wf::warp_numbers;
  for (unsigned int x = 0; x < count; ++x) {
    const wf::Place place = wf::Layout::of(layout).place(rank % 32, x);
    const unsigned int at = first + place.outer * depth + place.inner;
    if (type == wf::F64)
      ((double *)to)[at] = wf::double_of(words, x);
    else if (type == wf::S8 || type == wf::U8)
      ((int *)to)[at] = wf::int_of(words, x, type);
    else
      to[at] = wf::float_of(words, x, type);
  }
}
// The lane's elements of A * B + C.
WARPSCOPE_HARDWARE warpscope_fragments::Words
__warpscope_fragment_product(warpscope_fragments::Words c, unsigned int type, unsigned int count,
                             unsigned int layout, unsigned int depth, unsigned int first_of_b,
                             int saturates, unsigned int rank, const float *numbers) {
  namespace wf = warpscope_fragments;
  const float *from = numbers + rank / 32 * wf::warp_numbers;
  for (unsigned int x = 0; x < count; ++x) {
    const wf::Place place = wf::Layout::of(layout).place(rank % 32, x);
    const unsigned int a = place.outer * depth, b = first_of_b + place.inner * depth;
    if (type == wf::F64) {
      const double sum = wf::dot(wf::double_of(c, x), from, a, b, depth);
      const unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
      c[2 * x] = (unsigned int)bits, c[2 * x + 1] = (unsigned int)(bits >> 32);
    } else if (type == wf::S32) {
      long long sum = (int)c[x];
      for (unsigned int k = 0; k < depth; ++k)
        sum += wf::number<int>(from, a + k) * wf::number<int>(from, b + k);
      c[x] = (unsigned int)wf::integer_sum(sum, saturates != 0);
    } else if (type == wf::F16) {
      const float sum = wf::dot(wf::float_of(c, x, type), from, a, b, depth);
      const unsigned int shift = 16 * (x % 2), bits = __warpscope_float_to_half(sum);
      c[x / 2] = (c[x / 2] & ~(0xffffu << shift)) | bits << shift;
    } else {
      c[x] = __builtin_bit_cast(unsigned int, wf::dot(wf::float_of(c, x, type), from, a, b, depth));
    }
  }
  return c;
}

// Rows of 16 bytes of a warp's lanes, and what a lane gets of the 8x8 matrices of 16 bits that
// eight of them are: elements 2t and 2t + 1 of row g, or of column g (PTX ISA, "ldmatrix").
typedef unsigned int __warpscope_matrix_row __attribute__((ext_vector_type(4)));
WARPSCOPE_HARDWARE void __warpscope_matrix_put(__warpscope_matrix_row row, unsigned int rank,
                                               float *numbers) {
  auto *to = (__warpscope_matrix_row *)(numbers + rank / 32 * warpscope_fragments::warp_numbers);
  to[rank % 32] = row;
}
WARPSCOPE_HARDWARE unsigned int __warpscope_matrix_get(unsigned int matrix, int transposed,
                                                       unsigned int rank, const float *numbers) {
  const float *from = numbers + rank / 32 * warpscope_fragments::warp_numbers + 32 * matrix;
  const unsigned int g = rank % 32 / 4, t = rank % 4;
  if (!transposed)
    return ((const unsigned int *)from)[4 * g + t];
  const auto *elements = (const unsigned short *)from;
  return elements[8 * 2 * t + g] | (unsigned int)elements[8 * (2 * t + 1) + g] << 16;
}
