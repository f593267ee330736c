#pragma once
// nvcuda::wmma (CUDA C++ Programming Guide, "Warp Matrix Functions"). warpscope/fragments.h says
// which element is in which lane; a load or store accesses as many neighbours at once as a lane
// has.
#include "cuda_bf16.h"
#ifdef __CUDA__
#include "warpscope/letters_away.h"

#include "warpscope/fragments.h"

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
} // namespace precision

namespace detail {

namespace wf = warpscope_fragments;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 750
constexpr bool is_volta = true;
#else
constexpr bool is_volta = false;
#endif

// An element as it is stored, and its name in wf.
template <class T> struct Element;
template <class T, wf::Type Name> struct Stored {
  typedef T type;
  static constexpr wf::Type name = Name;
};
template <> struct Element<__half> : Stored<__half, wf::F16> {};
template <> struct Element<__nv_bfloat16> : Stored<__nv_bfloat16, wf::BF16> {};
template <> struct Element<precision::tf32> : Stored<float, wf::TF32> {};
template <> struct Element<float> : Stored<float, wf::F32> {};
template <> struct Element<signed char> : Stored<signed char, wf::S8> {};
template <> struct Element<unsigned char> : Stored<unsigned char, wf::U8> {};
template <> struct Element<int> : Stored<int, wf::S32> {};
template <> struct Element<double> : Stored<double, wf::F64> {};

// `is_inner`: neighbours in memory have the same outer place.
template <class Use, int M, int N, int K, class T, class Major> struct Shape {
  static constexpr bool is_result = __is_same(Use, accumulator), is_a = __is_same(Use, matrix_a);
  static constexpr unsigned int bytes = sizeof(typename Element<T>::type);
  static constexpr unsigned int outer = __is_same(Use, matrix_b) ? N : M, inner = is_result ? N : K;
  static constexpr bool is_inner =
      __is_same(Major, row_major) ? !__is_same(Use, matrix_b) : __is_same(Use, matrix_b);
  static constexpr bool in_volta_order =
      is_volta && M == 16 && N == 16 && K == 16 &&
      (__is_same(T, __half) || (is_result && __is_same(T, float)));
  // Every element of A and B is in two lanes of Volta.
  static constexpr unsigned int elements =
      outer * inner / 32 * (in_volta_order && !is_result ? 2 : 1);

  static constexpr wf::Layout layout(bool inner_first) {
    if constexpr (in_volta_order && is_result)
      return {bytes == 2 ? wf::VoltaHalf : wf::VoltaFloat, bytes == 2 ? 8u : 2u, 1, 1, 4};
    if constexpr (in_volta_order)
      return {inner_first ? wf::VoltaLine : wf::VoltaBlock, inner_first ? 8u : 4u, 1, 1,
              is_a ? 4u : 8u};
    constexpr unsigned int line = is_result ? 2 : bytes >= 4 ? 1 : 4 / bytes;
    return {wf::Tiles, line, !__is_same(Use, matrix_b) && outer >= 16 ? 2u : 1u, inner / (4 * line),
            0};
  }
  // Elements that one access has.
  static constexpr unsigned int together(bool inner_first) {
    if (in_volta_order && !is_result)
      return layout(inner_first).line;
    return inner_first ? layout(true).line : 1;
  }
};

} // namespace detail

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
  typedef detail::Shape<Use, M, N, K, T, Layout> Shape;

public:
  typedef typename detail::Element<T>::type element_type;
  typedef element_type storage_element_type;
  // A and B of half are said to be 16 elements; where a lane has fewer, they repeat.
  static constexpr int num_elements =
      __is_same(T, __half) && !Shape::is_result ? 16 : (int)Shape::elements;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

namespace detail {

// Where a lane's element x is in memory.
template <class S, bool InnerFirst>
WARPSCOPE_DEVICE unsigned int offset_of(unsigned int x, unsigned int ldm) {
  const wf::Place place = S::layout(InnerFirst).place(__warpscope_lane(), x);
  return InnerFirst ? place.outer * ldm + place.inner : place.inner * ldm + place.outer;
}
// What one access moves, as words: SROA would take a wider number apart.
template <unsigned int Count> struct Access {
  typedef unsigned int type __attribute__((ext_vector_type(Count)));
};
template <> struct Access<1> {
  typedef unsigned int type;
};
WARPSCOPE_DEVICE unsigned int word_of(unsigned int words, unsigned int) { return words; }
template <class V> WARPSCOPE_DEVICE unsigned int word_of(V words, unsigned int i) {
  return words[i];
}
WARPSCOPE_DEVICE void set_word(unsigned int &words, unsigned int, unsigned int word) {
  words = word;
}
template <class V> WARPSCOPE_DEVICE void set_word(V &words, unsigned int i, unsigned int word) {
  words[i] = word;
}
// An element's bits in a word, and back.
template <class T> WARPSCOPE_DEVICE unsigned int in_word(T value, unsigned int i) {
  return (unsigned int)__warpscope_bits(value) << 8 * (i * sizeof(T) % 4);
}
template <class T> WARPSCOPE_DEVICE T from_word(unsigned int word, unsigned int i) {
  typedef typename __warpscope_raw<sizeof(T)>::type Raw;
  return __builtin_bit_cast(T, (Raw)(word >> 8 * (i * sizeof(T) % 4)));
}
// Elements side by side: one access.
template <unsigned int Together, class T> WARPSCOPE_DEVICE void load_run(T *x, const T *from) {
  if constexpr (Together == 1) {
    *x = *from;
  } else if constexpr (sizeof(T) == 8) {
    typedef T V __attribute__((ext_vector_type(Together)));
    const V both = *(const V *)from;
    x[0] = both[0], x[1] = both[1];
  } else {
    typedef typename Access<Together * sizeof(T) / 4>::type V;
    const V words = *(const V *)from;
#pragma unroll
    for (unsigned int i = 0; i < Together; ++i)
      x[i] = from_word<T>(word_of(words, i * sizeof(T) / 4), i);
  }
}
template <unsigned int Together, class T> WARPSCOPE_DEVICE void store_run(T *to, const T *x) {
  constexpr unsigned int each = 4 / sizeof(T);
  if constexpr (Together == 1) {
    *to = *x;
  } else if constexpr (sizeof(T) == 8) {
    typedef T V __attribute__((ext_vector_type(Together)));
    *(V *)to = V{x[0], x[1]};
  } else {
    typename Access<Together / each>::type words;
#pragma unroll
    for (unsigned int i = 0; i < Together; i += each) {
      unsigned int word = 0;
#pragma unroll
      for (unsigned int part = i; part < i + each; ++part)
        word |= in_word(x[part], part);
      set_word(words, i / each, word);
    }
    *(decltype(words) *)to = words;
  }
}
template <class S, bool InnerFirst, class T>
WARPSCOPE_DEVICE void load(T *x, const T *from, unsigned int ldm) {
  constexpr unsigned int together = S::together(InnerFirst);
#pragma unroll
  for (unsigned int i = 0; i < S::elements; i += together)
    load_run<together>(x + i, from + offset_of<S, InnerFirst>(i, ldm));
}
template <class S, bool InnerFirst, class T>
WARPSCOPE_DEVICE void store(T *to, const T *x, unsigned int ldm) {
  constexpr unsigned int together = S::together(InnerFirst);
#pragma unroll
  for (unsigned int i = 0; i < S::elements; i += together)
    store_run<together>(to + offset_of<S, InnerFirst>(i, ldm), x + i);
}

template <class T> WARPSCOPE_DEVICE wf::Words words_of(const T *x, unsigned int count) {
  wf::Words words = {};
#pragma unroll
  for (unsigned int i = 0; i < count; ++i) {
    const unsigned long long bits = __warpscope_bits(x[i]);
    words[i * sizeof(T) / 4] |= (unsigned int)bits << 8 * (i * sizeof(T) % 4);
    if constexpr (sizeof(T) == 8)
      words[2 * i + 1] = (unsigned int)(bits >> 32);
  }
  return words;
}
template <class T> WARPSCOPE_DEVICE T element_of(wf::Words words, unsigned int i) {
  unsigned long long bits;
  if constexpr (sizeof(T) == 8)
    bits = words[2 * i] | (unsigned long long)words[2 * i + 1] << 32;
  else
    bits = wf::element(words, i, sizeof(T));
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class Use, int M, int N, int K, class T, class Major>
WARPSCOPE_DEVICE void put(const fragment<Use, M, N, K, T, Major> &from, unsigned int first) {
  typedef Shape<Use, M, N, K, T, Major> S;
  __warpscope_fragment_put(words_of(from.x, S::elements), Element<T>::name, S::elements,
                           S::layout(S::is_inner).code(), K, first, __warpscope_rank(),
                           wf::numbers());
}

} // namespace detail

template <class Use, int M, int N, int K, class T, class Major>
WARPSCOPE_DEVICE void load_matrix_sync(fragment<Use, M, N, K, T, Major> &to,
                                       const typename detail::Element<T>::type *from,
                                       unsigned int ldm) {
  typedef detail::Shape<Use, M, N, K, T, Major> S;
  detail::load<S, S::is_inner>(to.x, from, ldm);
#pragma unroll
  for (unsigned int i = S::elements; i < to.num_elements; ++i)
    to.x[i] = to.x[i % S::elements];
}
template <int M, int N, int K, class T>
WARPSCOPE_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, T> &to, const T *from,
                                       unsigned int ldm, layout_t layout) {
  typedef detail::Shape<accumulator, M, N, K, T, void> S;
  if (layout == mem_row_major)
    detail::load<S, true>(to.x, from, ldm);
  else
    detail::load<S, false>(to.x, from, ldm);
}
template <int M, int N, int K, class T>
WARPSCOPE_DEVICE void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &from,
                                        unsigned int ldm, layout_t layout) {
  typedef detail::Shape<accumulator, M, N, K, T, void> S;
  if (layout == mem_row_major)
    detail::store<S, true>(to, from.x, ldm);
  else
    detail::store<S, false>(to, from.x, ldm);
}
template <class Use, int M, int N, int K, class T, class Major, class V>
WARPSCOPE_DEVICE void fill_fragment(fragment<Use, M, N, K, T, Major> &to, const V &value) {
#pragma unroll
  for (int i = 0; i < to.num_elements; ++i)
    to.x[i] = value;
}
template <int M, int N, int K, class T, class MajorOfA, class MajorOfB, class D, class C>
WARPSCOPE_UNTIMED("wmma")
WARPSCOPE_DEVICE void mma_sync(fragment<accumulator, M, N, K, D> &d,
                               const fragment<matrix_a, M, N, K, T, MajorOfA> &a,
                               const fragment<matrix_b, M, N, K, T, MajorOfB> &b,
                               const fragment<accumulator, M, N, K, C> &c, bool saturates = false) {
  typedef detail::Shape<accumulator, M, N, K, D, void> S;
  static_assert(!S::in_volta_order || __is_same(C, D),
                "below compute capability 7.5, C and the result have one type");
  fragment<accumulator, M, N, K, D> sum;
#pragma unroll
  for (int i = 0; i < sum.num_elements; ++i)
    sum.x[i] = c.x[i];
  detail::put(a, 0);
  detail::put(b, M * K);
  __syncwarp();
  const detail::wf::Words words = __warpscope_fragment_product(
      detail::words_of(sum.x, S::elements), detail::Element<D>::name, S::elements,
      S::layout(true).code(), K, M * K, saturates, __warpscope_rank(), detail::wf::numbers());
  __syncwarp();
#pragma unroll
  for (unsigned int i = 0; i < S::elements; ++i)
    d.x[i] = detail::element_of<D>(words, i);
}

// To the nearest number with ten bits of fraction, ties away from zero (cvt.rna.tf32.f32).
WARPSCOPE_DEVICE float __float_to_tf32(float value) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, value);
  const bool is_finite = (bits & 0x7f800000u) != 0x7f800000u;
  return __builtin_bit_cast(float, is_finite ? (bits + 0x1000u) & ~0x1fffu : bits);
}

} // namespace nvcuda::wmma
#include "warpscope/letters_back.h"
#endif
