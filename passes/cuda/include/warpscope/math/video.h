#pragma once
// SIMD video functions of the CUDA Math API: a word as four bytes or two halves of 16 bits.
template <class Lane> WARPSCOPE_DEVICE int __warpscope_lane(unsigned int word, int i) {
  return (Lane)(word >> 8 * sizeof(Lane) * i);
}
template <class Lane> WARPSCOPE_DEVICE int __warpscope_fit(int a) {
  const int bits = 8 * sizeof(Lane);
  const int first = (Lane)-1 < 0 ? -(1 << (bits - 1)) : 0, last = first + (1 << bits) - 1;
  return a < first ? first : a > last ? last : a;
}
template <class Lane> WARPSCOPE_DEVICE unsigned int __warpscope_put(int a, int i) {
  const int bits = 8 * sizeof(Lane);
  return ((unsigned int)a & ((1u << bits) - 1)) << bits * i;
}
WARPSCOPE_DEVICE int __warpscope_size(int a) { return a < 0 ? -a : a; }

#define WARPSCOPE_LANES(name, Lane, value)                                                         \
  WARPSCOPE_DEVICE unsigned int name(unsigned int a, unsigned int b) {                             \
    unsigned int result = 0;                                                                       \
    for (int i = 0; i < (int)(4 / sizeof(Lane)); ++i) {                                            \
      const int x = __warpscope_lane<Lane>(a, i), y = __warpscope_lane<Lane>(b, i);                \
      result |= __warpscope_put<Lane>(value, i);                                                   \
    }                                                                                              \
    return result;                                                                                 \
  }
#define WARPSCOPE_LANES_SUM(name, Lane)                                                            \
  WARPSCOPE_DEVICE unsigned int name(unsigned int a, unsigned int b) {                             \
    unsigned int result = 0;                                                                       \
    for (int i = 0; i < (int)(4 / sizeof(Lane)); ++i)                                              \
      result += (unsigned int)__warpscope_size(__warpscope_lane<Lane>(a, i) -                      \
                                               __warpscope_lane<Lane>(b, i));                      \
    return result;                                                                                 \
  }
#define WARPSCOPE_LANES_COMPARED(name, lanes, Lane, operation)                                     \
  WARPSCOPE_LANES(__vcmp##name##lanes, Lane, x operation y ? -1 : 0)                               \
  WARPSCOPE_LANES(__vset##name##lanes, Lane, x operation y ? 1 : 0)
#define WARPSCOPE_LANES_ONE(name, lanes)                                                           \
  WARPSCOPE_DEVICE unsigned int __v##name##lanes(unsigned int a) {                                 \
    return __warpscope_##name##lanes(0, a);                                                        \
  }
#define WARPSCOPE_VIDEO(lanes, Signed, Unsigned)                                                   \
  WARPSCOPE_LANES(__vadd##lanes, Unsigned, x + y)                                                  \
  WARPSCOPE_LANES(__vaddss##lanes, Signed, __warpscope_fit<Signed>(x + y))                         \
  WARPSCOPE_LANES(__vaddus##lanes, Unsigned, __warpscope_fit<Unsigned>(x + y))                     \
  WARPSCOPE_LANES(__vsub##lanes, Unsigned, x - y)                                                  \
  WARPSCOPE_LANES(__vsubss##lanes, Signed, __warpscope_fit<Signed>(x - y))                         \
  WARPSCOPE_LANES(__vsubus##lanes, Unsigned, __warpscope_fit<Unsigned>(x - y))                     \
  WARPSCOPE_LANES(__vabsdiffs##lanes, Signed, __warpscope_size(x - y))                             \
  WARPSCOPE_LANES(__vabsdiffu##lanes, Unsigned, __warpscope_size(x - y))                           \
  WARPSCOPE_LANES(__vavgs##lanes, Signed, (x + y + (x + y >= 0)) >> 1)                             \
  WARPSCOPE_LANES(__vavgu##lanes, Unsigned, (x + y + 1) >> 1)                                      \
  WARPSCOPE_LANES(__vhaddu##lanes, Unsigned, (x + y) >> 1)                                         \
  WARPSCOPE_LANES(__vmaxs##lanes, Signed, x < y ? y : x)                                           \
  WARPSCOPE_LANES(__vmaxu##lanes, Unsigned, x < y ? y : x)                                         \
  WARPSCOPE_LANES(__vmins##lanes, Signed, y < x ? y : x)                                           \
  WARPSCOPE_LANES(__vminu##lanes, Unsigned, y < x ? y : x)                                         \
  WARPSCOPE_LANES(__warpscope_abs##lanes, Signed, __warpscope_size(y))                             \
  WARPSCOPE_LANES(__warpscope_absss##lanes, Signed, __warpscope_fit<Signed>(__warpscope_size(y)))  \
  WARPSCOPE_LANES(__warpscope_neg##lanes, Signed, -y)                                              \
  WARPSCOPE_LANES(__warpscope_negss##lanes, Signed, __warpscope_fit<Signed>(-y))                   \
  WARPSCOPE_LANES_ONE(abs, lanes)                                                                  \
  WARPSCOPE_LANES_ONE(absss, lanes)                                                                \
  WARPSCOPE_LANES_ONE(neg, lanes)                                                                  \
  WARPSCOPE_LANES_ONE(negss, lanes)                                                                \
  WARPSCOPE_LANES_SUM(__vsads##lanes, Signed)                                                      \
  WARPSCOPE_LANES_SUM(__vsadu##lanes, Unsigned)                                                    \
  WARPSCOPE_LANES_COMPARED(eq, lanes, Unsigned, ==)                                                \
  WARPSCOPE_LANES_COMPARED(ne, lanes, Unsigned, !=)                                                \
  WARPSCOPE_LANES_COMPARED(ges, lanes, Signed, >=)                                                 \
  WARPSCOPE_LANES_COMPARED(geu, lanes, Unsigned, >=)                                               \
  WARPSCOPE_LANES_COMPARED(gts, lanes, Signed, >)                                                  \
  WARPSCOPE_LANES_COMPARED(gtu, lanes, Unsigned, >)                                                \
  WARPSCOPE_LANES_COMPARED(les, lanes, Signed, <=)                                                 \
  WARPSCOPE_LANES_COMPARED(leu, lanes, Unsigned, <=)                                               \
  WARPSCOPE_LANES_COMPARED(lts, lanes, Signed, <)                                                  \
  WARPSCOPE_LANES_COMPARED(ltu, lanes, Unsigned, <)
WARPSCOPE_VIDEO(2, short, unsigned short)
WARPSCOPE_VIDEO(4, signed char, unsigned char)
#undef WARPSCOPE_VIDEO
#undef WARPSCOPE_LANES
#undef WARPSCOPE_LANES_SUM
#undef WARPSCOPE_LANES_COMPARED
#undef WARPSCOPE_LANES_ONE
