#pragma once
// Inline PTX: loads, stores, atomics, barriers and the functions of a warp (PTX ISA 9.7.8 to
// 9.7.13).
namespace warpscope_ptx {

enum class Cache { Plain, PastL1, Streaming };
constexpr int kGeneric = 0, kGlobal = 1, kShared = 3; // clang's numbers for OpenCL's address spaces

template <int space, class B> WARPSCOPE_PTX char *pointer(B base, long long offset) {
  if constexpr (is_pointer<B>) {
    return reinterpret_cast<char *>(const_cast<void *>(static_cast<const volatile void *>(base))) +
           offset;
  } else if constexpr (space == kShared && sizeof(B) == 4) {
    return __warpscope_shared_pointer((unsigned int)base) + offset;
  } else {
    static_assert(sizeof(B) == 8, "an address has 64 bits, or 32 in shared memory");
    return reinterpret_cast<char *>((unsigned long long)base) + offset;
  }
}
template <class T, int space> struct In {
  typedef __attribute__((address_space(space))) T type;
};
template <class T> struct In<T, kGeneric> {
  typedef T type;
};
template <class T, int space, class B>
WARPSCOPE_PTX typename In<T, space>::type *address(B base, long long offset) {
  return (typename In<T, space>::type *)(T *)pointer<space>(base, offset);
}

// What one access moves: a number, or the bits of several. Memory has no types in PTX.
template <class T, size_t count> struct Unit {
  typedef typename Unsigned<sizeof(T)>::type Bits;
  typedef Bits vector __attribute__((ext_vector_type(count)));
  typedef vector type __attribute__((may_alias));
};
template <class T> struct Unit<T, 1> {
  typedef T type __attribute__((may_alias));
};
// The representation of hints is that of warpscope/memory.h.
template <class U, Cache cache, class P> WARPSCOPE_PTX U read(P *p) {
  if constexpr (cache == Cache::PastL1)
    return *const_cast<const volatile P *>(p);
  else if constexpr (cache == Cache::Streaming)
    return __builtin_nontemporal_load(p);
  else
    return *p;
}
template <class T, int space, Cache cache, class B, class... D>
WARPSCOPE_PTX void load(B base, long long offset, D &&...d) {
  typedef typename Unit<T, sizeof...(D)>::type U;
  const U value = read<U, cache>(address<U, space>(base, offset));
  T parts[sizeof...(D)];
  __builtin_memcpy(parts, &value, sizeof(value));
  int i = 0;
  (put(d, parts[i++]), ...);
}
template <class T, int space, Cache cache, class B, class... V>
WARPSCOPE_PTX void store(B base, long long offset, V... v) {
  typedef typename Unit<T, sizeof...(V)>::type U;
  const T parts[] = {as<T>(v)...};
  U value;
  __builtin_memcpy(&value, parts, sizeof(value));
  auto *const p = address<U, space>(base, offset);
  if constexpr (cache == Cache::Streaming)
    __builtin_nontemporal_store(value, p);
  else if constexpr (cache == Cache::PastL1)
    *(typename In<volatile U, space>::type *)p = value;
  else
    *p = value;
}

#define WARPSCOPE_PTX_ATOM(name, function)                                                         \
  template <class T, int space, class D, class B, class A>                                         \
  WARPSCOPE_PTX void atom_##name(D &&d, B base, long long offset, A a) {                           \
    put(d, function((T *)pointer<space>(base, offset), as<T>(a)));                                 \
  }
WARPSCOPE_PTX_ATOM(add, atomicAdd)
WARPSCOPE_PTX_ATOM(min, atomicMin)
WARPSCOPE_PTX_ATOM(max, atomicMax)
WARPSCOPE_PTX_ATOM(and, atomicAnd)
WARPSCOPE_PTX_ATOM(or, atomicOr)
WARPSCOPE_PTX_ATOM(xor, atomicXor)
WARPSCOPE_PTX_ATOM(exch, atomicExch)
WARPSCOPE_PTX_ATOM(inc, atomicInc)
WARPSCOPE_PTX_ATOM(dec, atomicDec)
#undef WARPSCOPE_PTX_ATOM
template <class T, int space, class D, class B, class A, class C>
WARPSCOPE_PTX void atom_cas(D &&d, B base, long long offset, A expected, C desired) {
  put(d, atomicCAS((T *)pointer<space>(base, offset), as<T>(expected), as<T>(desired)));
}

template <class T, class D, class A> WARPSCOPE_PTX void cvta(D &&d, A a) { put(d, as<T>(a)); }
template <class T, class D, class A> WARPSCOPE_PTX void cvta_to(D &&d, A a) { put(d, as<T>(a)); }
template <class T, class D, class A> WARPSCOPE_PTX void cvta_to_shared(D &&d, A a) {
  put(d, as<T>(a));
}
template <class T, class D, class A> WARPSCOPE_PTX void cvta_shared(D &&d, A a) {
  put(d, __cvta_shared_to_generic(as<unsigned long long>(a)));
}

// 9.7.8.6: shfl. `c` holds the segment's mask and the last lane; a mask of 0: those that come
// together.
struct Source {
  unsigned int lane;
  bool is_inside;
};
WARPSCOPE_PTX Source inside(int lane, bool is_inside) {
  return {is_inside ? (unsigned int)lane : laneid(), is_inside};
}
#define WARPSCOPE_PTX_SHFL(name, expression, test)                                                 \
  WARPSCOPE_PTX Source source_##name(unsigned int b, unsigned int c) {                             \
    const int lane = (int)laneid(), by = (int)(b & 31), segments = (int)(c >> 8 & 31);             \
    const int first = lane & segments, last = first | ((int)(c & 31) & ~segments);                 \
    const int from = expression;                                                                   \
    (void)by, (void)last;                                                                          \
    return inside(from, test);                                                                     \
  }                                                                                                \
  template <class T, class D, class P, class A, class B, class C, class M>                         \
  WARPSCOPE_PTX void shfl_##name##_p(D &&d, P &&p, A a, B b, C c, M mask) {                        \
    const Source from = source_##name(as<unsigned int>(b), as<unsigned int>(c));                   \
    put(d, __warpscope_from_lane(as<unsigned int>(mask), as<T>(a), from.lane));                    \
    put(p, from.is_inside);                                                                        \
  }                                                                                                \
  template <class T, class D, class P, class A, class B, class C>                                  \
  WARPSCOPE_PTX void shfl_##name##_p(D &&d, P &&p, A a, B b, C c) {                                \
    shfl_##name##_p<T>(d, p, a, b, c, 0u);                                                         \
  }                                                                                                \
  template <class T, class D, class A, class B, class C, class M>                                  \
  WARPSCOPE_PTX void shfl_##name(D &&d, A a, B b, C c, M mask) {                                   \
    shfl_##name##_p<T>(d, Sink{}, a, b, c, mask);                                                  \
  }                                                                                                \
  template <class T, class D, class A, class B, class C>                                           \
  WARPSCOPE_PTX void shfl_##name(D &&d, A a, B b, C c) {                                           \
    shfl_##name##_p<T>(d, Sink{}, a, b, c, 0u);                                                    \
  }
WARPSCOPE_PTX_SHFL(up, lane - by, from >= last)
WARPSCOPE_PTX_SHFL(down, lane + by, from <= last)
WARPSCOPE_PTX_SHFL(bfly, lane ^ by, from <= last)
WARPSCOPE_PTX_SHFL(idx, first | (by & ~segments), from <= last)
#undef WARPSCOPE_PTX_SHFL

WARPSCOPE_PTX unsigned int ballot(unsigned int mask, bool p) {
  return mask == 0 ? __ballot(p) : __ballot_sync(mask, p);
}
template <class T, class D, class P, class M> WARPSCOPE_PTX void vote_ballot(D &&d, P p, M mask) {
  put(d, ballot(as<unsigned int>(mask), as<bool>(p)));
}
template <class T, class D, class P, class M> WARPSCOPE_PTX void vote_any(D &&d, P p, M mask) {
  put(d, ballot(as<unsigned int>(mask), as<bool>(p)) != 0);
}
template <class T, class D, class P, class M> WARPSCOPE_PTX void vote_all(D &&d, P p, M mask) {
  put(d, ballot(as<unsigned int>(mask), !as<bool>(p)) == 0);
}
template <class T, class D, class P, class M> WARPSCOPE_PTX void vote_uni(D &&d, P p, M mask) {
  const unsigned int yes = ballot(as<unsigned int>(mask), as<bool>(p));
  const unsigned int no = ballot(as<unsigned int>(mask), !as<bool>(p));
  put(d, yes == 0 || no == 0);
}
#define WARPSCOPE_PTX_VOTE(name)                                                                   \
  template <class T, class D, class P> WARPSCOPE_PTX void vote_##name(D &&d, P p) {                \
    vote_##name<T>(d, p, 0u);                                                                      \
  }
WARPSCOPE_PTX_VOTE(ballot)
WARPSCOPE_PTX_VOTE(any)
WARPSCOPE_PTX_VOTE(all)
WARPSCOPE_PTX_VOTE(uni)
#undef WARPSCOPE_PTX_VOTE
template <class T, class D, class A, class M> WARPSCOPE_PTX void match_any(D &&d, A a, M mask) {
  put(d, __match_any_sync(as<unsigned int>(mask), as<T>(a)));
}
template <class T, class D, class P, class A, class M>
WARPSCOPE_PTX void match_all_p(D &&d, P &&p, A a, M mask) {
  const unsigned int members = as<unsigned int>(mask);
  const bool is_same = __match_any_sync(members, as<T>(a)) == members;
  put(d, is_same ? members : 0u);
  put(p, is_same);
}
template <class T, class D, class A, class M> WARPSCOPE_PTX void match_all(D &&d, A a, M mask) {
  match_all_p<T>(d, Sink{}, a, mask);
}
template <class T, class D> WARPSCOPE_PTX void activemask(D &&d) { put(d, __activemask()); }
#define WARPSCOPE_PTX_REDUX(name)                                                                  \
  template <class T, class D, class A, class M> WARPSCOPE_PTX void redux_##name(D &&d, A a, M m) { \
    put(d, __reduce_##name##_sync(as<unsigned int>(m), as<T>(a)));                                 \
  }
WARPSCOPE_PTX_REDUX(add)
WARPSCOPE_PTX_REDUX(min)
WARPSCOPE_PTX_REDUX(max)
WARPSCOPE_PTX_REDUX(and)
WARPSCOPE_PTX_REDUX(or)
WARPSCOPE_PTX_REDUX(xor)
#undef WARPSCOPE_PTX_REDUX

// Without a number of threads a barrier is the whole block's, whichever of the 16 it is.
WARPSCOPE_PTX void bar(unsigned int) { __syncthreads(); }
WARPSCOPE_PTX void barrier(unsigned int) { __syncthreads(); }
#define WARPSCOPE_PTX_BAR(name, expression)                                                        \
  template <class T, class D, class P>                                                             \
  WARPSCOPE_PTX void bar_red_##name(D &&d, unsigned int, P x) {                                    \
    const int p = as<bool>(x);                                                                     \
    put(d, expression);                                                                            \
  }                                                                                                \
  template <class T, class D, class P>                                                             \
  WARPSCOPE_PTX void barrier_red_##name(D &&d, unsigned int i, P p) {                              \
    bar_red_##name<T>(d, i, p);                                                                    \
  }
WARPSCOPE_PTX_BAR(popc, __syncthreads_count(p))
WARPSCOPE_PTX_BAR(and, __syncthreads_and(p) != 0)
WARPSCOPE_PTX_BAR(or, __syncthreads_or(p) != 0)
#undef WARPSCOPE_PTX_BAR
WARPSCOPE_PTX void bar_warp(unsigned int mask) { __syncwarp(mask); }
WARPSCOPE_PTX void membar() { __threadfence(); }
WARPSCOPE_PTX void fence() { __threadfence(); }
WARPSCOPE_PTX void trap() { __trap(); }
// A thread ends here; passes/cuda/CudaExit.cpp makes it a return from the kernel.
extern "C" __attribute__((device, noreturn)) void __warpscope_exit();
WARPSCOPE_PTX void exit() { __warpscope_exit(); }

} // namespace warpscope_ptx
#undef WARPSCOPE_PTX_1
#undef WARPSCOPE_PTX_2
#undef WARPSCOPE_PTX_3
#undef WARPSCOPE_PTX_MATH
