#pragma once
// Inline PTX: products of a warp's matrices, what loads them, and asynchronous copies (PTX ISA
// 9.7.13.4 "Matrix multiply-accumulate operation using mma instruction", 9.7.8.22 "cp.async").
#include "../fragments.h"

namespace warpscope_ptx {

namespace wf = warpscope_fragments;

// Not variables: those of explicit specialisations would be defined once in every file.
template <class T> struct KindOf {
  static constexpr wf::Type value = wf::F32;
};
template <> struct KindOf<Half> {
  static constexpr wf::Type value = wf::F16;
};
template <> struct KindOf<Bfloat> {
  static constexpr wf::Type value = wf::BF16;
};
template <> struct KindOf<Tf32> {
  static constexpr wf::Type value = wf::TF32;
};
template <> struct KindOf<signed char> {
  static constexpr wf::Type value = wf::S8;
};
template <> struct KindOf<unsigned char> {
  static constexpr wf::Type value = wf::U8;
};
template <> struct KindOf<int> {
  static constexpr wf::Type value = wf::S32;
};
template <> struct KindOf<double> {
  static constexpr wf::Type value = wf::F64;
};

// Registers of 4 or 8 bytes as words.
template <class... A> WARPSCOPE_PTX wf::Words words(A... registers) {
  wf::Words result = {};
  unsigned int at = 0;
  const auto append = [&](unsigned long long number, size_t bytes) {
    result[at++] = (unsigned int)number;
    if (bytes == 8)
      result[at++] = (unsigned int)(number >> 32);
  };
  (append(bits(registers), sizeof(registers)), ...);
  return result;
}
template <class T> constexpr unsigned int line_of = sizeof(T) >= 4 ? 1 : 4 / sizeof(T);
template <class T, unsigned int outer, unsigned int depth>
WARPSCOPE_PTX void put_operand(wf::Words registers, bool is_a, unsigned int first) {
  const wf::Layout layout = {wf::Tiles, line_of<T>, is_a && outer >= 16 ? 2u : 1u,
                             depth / (4 * line_of<T>), 0};
  __warpscope_fragment_put(registers, KindOf<T>::value, outer * depth / 32, layout.code(), depth,
                           first, __warpscope_rank(), wf::numbers());
}
template <unsigned int M, unsigned int N, unsigned int K, bool saturates, class D, class A, class B,
          class C, class... R>
WARPSCOPE_UNTIMED("mma")
WARPSCOPE_PTX void mma(wf::Words a, wf::Words b, wf::Words c, R &&...d) {
  static_assert(__is_same(C, D), "mma whose result has the type of C");
  const wf::Layout layout = {wf::Tiles, 2, M >= 16 ? 2u : 1u, N / 8, 0};
  put_operand<A, M, K>(a, true, 0);
  put_operand<B, N, K>(b, false, M * K);
  __syncwarp();
  const wf::Words sum =
      __warpscope_fragment_product(c, KindOf<D>::value, M * N / 32, layout.code(), K, M * K,
                                   saturates, __warpscope_rank(), wf::numbers());
  __syncwarp();
  unsigned int at = 0;
  const auto take = [&](size_t bytes) {
    const unsigned long long low = sum[at++];
    return bytes == 8 ? low | (unsigned long long)sum[at++] << 32 : low;
  };
  (put(d, as<Register<sizeof(d)>>(take(sizeof(d)))), ...);
}

// Rows of 16 bytes, by the lanes whose addresses they are at, and the words of 8x8 matrices in
// them.
template <int count, bool transposed, class B, class... R>
WARPSCOPE_PTX void ldmatrix(B base, long long offset, R &&...d) {
  typedef unsigned int Row __attribute__((ext_vector_type(4)));
  Row row = {};
  if (count == 4 || __warpscope_lane() < 8 * count)
    row = *address<Row, kShared>(base, offset);
  __warpscope_matrix_put(row, __warpscope_rank(), wf::numbers());
  __syncwarp();
  const unsigned int rank = __warpscope_rank();
  unsigned int matrix = 0;
  (put(d, __warpscope_matrix_get(matrix++, transposed, rank, wf::numbers())), ...);
  __syncwarp();
}

// The copy is done at once: a GPU may, too. What is beyond `bytes` becomes 0.
template <size_t size, Cache cache, class T, class F, class N>
WARPSCOPE_UNTIMED("cp.async")
WARPSCOPE_PTX void cp_async(T to, long long to_offset, F from, long long from_offset, N bytes) {
  typedef typename Unit<unsigned int, size / 4>::type U;
  U value = {};
  if ((size_t)bytes == size) {
    value = read<U, cache>(address<U, kGlobal>(from, from_offset));
  } else {
    unsigned int parts[size / 4] = {};
    const auto *const words = address<unsigned int, kGlobal>(from, from_offset);
    for (size_t i = 0; i < size / 4 && 4 * i < (size_t)bytes; ++i)
      parts[i] = words[i];
    __builtin_memcpy(&value, parts, size);
  }
  *address<U, kShared>(to, to_offset) = value;
}

} // namespace warpscope_ptx
#undef WARPSCOPE_PTX
