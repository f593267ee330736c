#pragma once
// Inline PTX: how operands of an asm statement are read and written. passes/source makes calls of
// the functions in namespace warpscope_ptx out of instructions; their definitions are those of the
// PTX ISA, version 7.5, whose section names stand next to them.
#define WARPSCOPE_PTX WARPSCOPE_DEVICE
namespace warpscope_ptx {

struct Sink {}; // `_`, or a second destination that is not there

template <class T> constexpr bool is_float = __is_same(T, float) || __is_same(T, double);
template <class T> constexpr bool is_pointer = false;
template <class T> constexpr bool is_pointer<T *> = true;
template <class T> constexpr bool is_signed = is_float<T> || T(-1) < T(0);
template <size_t Bytes> struct Unsigned;
template <> struct Unsigned<1> {
  typedef unsigned char type;
};
template <> struct Unsigned<2> {
  typedef unsigned short type;
};
template <> struct Unsigned<4> {
  typedef unsigned int type;
};
template <> struct Unsigned<8> {
  typedef unsigned long long type;
};

template <size_t Bytes> using Register = typename Unsigned<Bytes>::type;

template <class A> WARPSCOPE_PTX unsigned long long bits(A a) {
  return __builtin_bit_cast(typename Unsigned<sizeof(A)>::type, a);
}

// The operand as the instruction reads it: the same bits, the lower ones of a wider register; a
// literal is converted.
template <class T, class A> WARPSCOPE_PTX T as(A a) {
  if constexpr (__is_same(T, A)) {
    return a;
  } else if constexpr (__is_same(T, bool)) {
    return a != 0;
  } else if constexpr (sizeof(T) == sizeof(A)) {
    return __builtin_bit_cast(T, a);
  } else if constexpr (is_float<T> || is_float<A>) {
    return __builtin_bit_cast(T, (typename Unsigned<sizeof(T)>::type)bits(a));
  } else {
    return (T)a;
  }
}

// A result into a register or variable of the program: a wider one gets the sign or zeros (9.4.1).
template <class D, class V> WARPSCOPE_PTX void put(D &d, V v) { d = as<D>(v); }
template <class D, class V> WARPSCOPE_PTX void put(volatile D &d, V v) { d = as<D>(v); }
template <class V> WARPSCOPE_PTX void put(Sink &, V) {}

// 9.7.9.11: mov, also of parts into a whole and back; the first part has the lowest bits.
template <class T, class D, class A> WARPSCOPE_PTX void mov(D &&d, A a) { put(d, as<T>(a)); }
template <class T, class D, class... A> WARPSCOPE_PTX void pack(D &&d, A... parts) {
  constexpr unsigned width = 8 * sizeof(T) / sizeof...(A);
  typedef typename Unsigned<width / 8>::type Part;
  unsigned long long whole = 0;
  unsigned at = 0;
  ((whole |= (unsigned long long)as<Part>(parts) << at, at += width), ...);
  put(d, (T)whole);
}
template <class T, class A, class... D> WARPSCOPE_PTX void unpack(A a, D &&...parts) {
  constexpr unsigned width = 8 * sizeof(T) / sizeof...(D);
  typedef typename Unsigned<width / 8>::type Part;
  const unsigned long long whole = bits(as<T>(a));
  unsigned at = 0;
  ((put(parts, (Part)(whole >> at)), at += width), ...);
}

// 9.6: special registers. One multiprocessor is reported: blocks do not know where they will run.
WARPSCOPE_PTX unsigned int laneid() { return __warpscope_lane(); }
WARPSCOPE_PTX unsigned int warpid() { return __warpscope_rank() / warpSize; }
WARPSCOPE_PTX unsigned int nwarpid() { return (__warpscope_threads() + warpSize - 1) / warpSize; }
#define WARPSCOPE_PTX_INDEX(name, variable)                                                        \
  WARPSCOPE_PTX unsigned int name##_x() { return variable.x; }                                     \
  WARPSCOPE_PTX unsigned int name##_y() { return variable.y; }                                     \
  WARPSCOPE_PTX unsigned int name##_z() { return variable.z; }
WARPSCOPE_PTX_INDEX(tid, threadIdx)
WARPSCOPE_PTX_INDEX(ntid, blockDim)
WARPSCOPE_PTX_INDEX(ctaid, blockIdx)
WARPSCOPE_PTX_INDEX(nctaid, gridDim)
#undef WARPSCOPE_PTX_INDEX
WARPSCOPE_PTX unsigned int lanemask_eq() { return 1u << laneid(); }
WARPSCOPE_PTX unsigned int lanemask_lt() { return lanemask_eq() - 1; }
WARPSCOPE_PTX unsigned int lanemask_le() { return lanemask_lt() | lanemask_eq(); }
WARPSCOPE_PTX unsigned int lanemask_gt() { return ~lanemask_le(); }
WARPSCOPE_PTX unsigned int lanemask_ge() { return ~lanemask_lt(); }
WARPSCOPE_PTX unsigned long long clock64() { return (unsigned long long)::clock64(); }
WARPSCOPE_PTX unsigned int clock() { return (unsigned int)clock64(); }
WARPSCOPE_PTX unsigned int clock_hi() { return (unsigned int)(clock64() >> 32); }
WARPSCOPE_PTX unsigned long long globaltimer() { return clock64(); }
WARPSCOPE_PTX unsigned int globaltimer_lo() { return clock(); }
WARPSCOPE_PTX unsigned int globaltimer_hi() { return clock_hi(); }
WARPSCOPE_PTX unsigned int smid() { return 0; }
WARPSCOPE_PTX unsigned int nsmid() { return 1; }
WARPSCOPE_PTX unsigned long long gridid() { return 0; }

} // namespace warpscope_ptx
