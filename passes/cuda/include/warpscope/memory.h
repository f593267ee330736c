#pragma once
// Barriers, fences, atomics, and loads and stores with a cache hint.
WARPSCOPE_BUILTIN __attribute__((convergent)) void _Z7barrierj(unsigned int flags);
WARPSCOPE_BUILTIN void _Z9mem_fencej(unsigned int flags);

// 3 = local and global memory; 1 = what only the own block sees.
#ifndef __NVPTX__ // built into clang there: the tests compare with its PTX
WARPSCOPE_DEVICE void __syncthreads() { _Z7barrierj(3); }
#endif
WARPSCOPE_DEVICE void __threadfence() { _Z9mem_fencej(3); }
WARPSCOPE_DEVICE void __threadfence_block() { _Z9mem_fencej(1); }
WARPSCOPE_DEVICE void __threadfence_system() { _Z9mem_fencej(3); }

// atomicNAME(T *, T) and its _block and _system forms; `mangled` names an OpenCL 1.x atomic,
// `block` the same of a block's own (passes/lower/LowerAtomics.cpp), `code` its type. 64-bit
// integers: CUDA's are (unsigned) long long, OpenCL's (unsigned) long.
#define WARPSCOPE_ATOMIC(name, type, mangled, block, code)                                         \
  WARPSCOPE_BUILTIN type _Z##mangled##PU3AS4V##code##code(volatile type *, type);                  \
  WARPSCOPE_BUILTIN type _Z##block##PU3AS4V##code##code(volatile type *, type);                    \
  WARPSCOPE_DEVICE type name(type *p, type v) { return _Z##mangled##PU3AS4V##code##code(p, v); }   \
  WARPSCOPE_DEVICE type name##_block(type *p, type v) {                                            \
    return _Z##block##PU3AS4V##code##code(p, v);                                                   \
  }                                                                                                \
  WARPSCOPE_DEVICE type name##_system(type *p, type v) { return name(p, v); }
#define WARPSCOPE_ATOMIC_INTEGERS(name, mangled, block)                                            \
  WARPSCOPE_ATOMIC(name, int, mangled, block, i)                                                   \
  WARPSCOPE_ATOMIC(name, unsigned int, mangled, block, j)                                          \
  WARPSCOPE_ATOMIC(name, long long, mangled, block, l)                                             \
  WARPSCOPE_ATOMIC(name, unsigned long long, mangled, block, m)
WARPSCOPE_ATOMIC_INTEGERS(atomicAdd, 10atomic_add, 16atomic_add_group)
WARPSCOPE_ATOMIC_INTEGERS(atomicSub, 10atomic_sub, 16atomic_sub_group)
WARPSCOPE_ATOMIC_INTEGERS(atomicExch, 11atomic_xchg, 17atomic_xchg_group)
WARPSCOPE_ATOMIC_INTEGERS(atomicMin, 10atomic_min, 16atomic_min_group)
WARPSCOPE_ATOMIC_INTEGERS(atomicMax, 10atomic_max, 16atomic_max_group)
WARPSCOPE_ATOMIC_INTEGERS(atomicAnd, 10atomic_and, 16atomic_and_group)
WARPSCOPE_ATOMIC_INTEGERS(atomicOr, 9atomic_or, 15atomic_or_group)
WARPSCOPE_ATOMIC_INTEGERS(atomicXor, 10atomic_xor, 16atomic_xor_group)
WARPSCOPE_ATOMIC(atomicAdd, float, 10atomic_add, 16atomic_add_group, f)
WARPSCOPE_ATOMIC(atomicAdd, double, 10atomic_add, 16atomic_add_group, d)
WARPSCOPE_ATOMIC(atomicExch, float, 11atomic_xchg, 17atomic_xchg_group, f)
#undef WARPSCOPE_ATOMIC
#undef WARPSCOPE_ATOMIC_INTEGERS

#define WARPSCOPE_CAS(type, code)                                                                  \
  WARPSCOPE_BUILTIN type _Z14atomic_cmpxchgPU3AS4V##code##code##code(volatile type *, type, type); \
  WARPSCOPE_BUILTIN type _Z20atomic_cmpxchg_groupPU3AS4V##code##code##code(volatile type *, type,  \
                                                                           type);                  \
  WARPSCOPE_DEVICE type atomicCAS(type *p, type expected, type desired) {                          \
    return _Z14atomic_cmpxchgPU3AS4V##code##code##code(p, expected, desired);                      \
  }                                                                                                \
  WARPSCOPE_DEVICE type atomicCAS_block(type *p, type expected, type desired) {                    \
    return _Z20atomic_cmpxchg_groupPU3AS4V##code##code##code(p, expected, desired);                \
  }                                                                                                \
  WARPSCOPE_DEVICE type atomicCAS_system(type *p, type expected, type desired) {                   \
    return atomicCAS(p, expected, desired);                                                        \
  }
WARPSCOPE_CAS(int, i)
WARPSCOPE_CAS(unsigned int, j)
WARPSCOPE_CAS(long long, l)
WARPSCOPE_CAS(unsigned long long, m)
WARPSCOPE_CAS(unsigned short, t)
#undef WARPSCOPE_CAS

// Wrapping increment and decrement: one instruction on a GPU, so one access; the loop below is how
// the CPU gets the same result, and is not recorded ("__warpscope_" says so to the pass).
// "used": a kernel's own function of such a name is then defined twice, whatever it needs of ours.
#define WARPSCOPE_HARDWARE                                                                         \
  extern "C" inline __attribute__((device, noinline, nodebug, convergent, used))
WARPSCOPE_HARDWARE unsigned int __warpscope_atomic_inc(unsigned int *p, unsigned int limit) {
  unsigned int old = *p, seen;
  while ((seen = atomicCAS(p, old, old >= limit ? 0 : old + 1)) != old)
    old = seen;
  return old;
}
WARPSCOPE_HARDWARE unsigned int __warpscope_atomic_dec(unsigned int *p, unsigned int limit) {
  unsigned int old = *p, seen;
  while ((seen = atomicCAS(p, old, old == 0 || old > limit ? limit : old - 1)) != old)
    old = seen;
  return old;
}
#define WARPSCOPE_WRAPPING(name, hardware)                                                         \
  WARPSCOPE_DEVICE unsigned int name(unsigned int *p, unsigned int limit) {                        \
    return hardware(p, limit);                                                                     \
  }
WARPSCOPE_WRAPPING(atomicInc, __warpscope_atomic_inc)
WARPSCOPE_WRAPPING(atomicInc_block, __warpscope_atomic_inc)
WARPSCOPE_WRAPPING(atomicInc_system, __warpscope_atomic_inc)
WARPSCOPE_WRAPPING(atomicDec, __warpscope_atomic_dec)
WARPSCOPE_WRAPPING(atomicDec_block, __warpscope_atomic_dec)
WARPSCOPE_WRAPPING(atomicDec_system, __warpscope_atomic_dec)
#undef WARPSCOPE_WRAPPING

// What holds the bits of a structure in one access: int4 and the like. Clang's built-ins and
// volatile take no structures.
template <size_t Bytes> struct __warpscope_raw;
template <> struct __warpscope_raw<1> {
  typedef unsigned char type;
};
template <> struct __warpscope_raw<2> {
  typedef unsigned short type;
};
template <> struct __warpscope_raw<4> {
  typedef unsigned int type;
};
template <> struct __warpscope_raw<8> {
  typedef unsigned long long type;
};
template <> struct __warpscope_raw<16> {
  typedef unsigned int type __attribute__((ext_vector_type(4)));
};

// A volatile load represents one that bypasses L1 (.cg, .cv); a non-temporal one for a streaming
// load.

// A load through __warpscope_read_only() is one of the read-only path (passes/cuda/CudaToSpir.cpp).
extern "C" __attribute__((device, const, nothrow)) const void *__warpscope_read_only(const void *p);
template <class T> WARPSCOPE_DEVICE T __ldg(const T *p) {
#ifdef __NVPTX__ // clang's own CUDA mode, without that pass
  return *p;
#else
  if constexpr (__is_class(T)) {
    typedef typename __warpscope_raw<sizeof(T)>::type Raw;
    const Raw raw = *static_cast<const Raw *>(__warpscope_read_only(p));
    return __builtin_bit_cast(T, raw);
  } else {
    return *static_cast<const T *>(__warpscope_read_only(p));
  }
#endif
}
template <class T> WARPSCOPE_DEVICE T __ldca(const T *p) { return *p; }
template <class T> WARPSCOPE_DEVICE T __ldlu(const T *p) { return *p; }
template <class T> WARPSCOPE_DEVICE T __ldcs(const T *p) {
  if constexpr (__is_class(T))
    return __builtin_bit_cast(
        T, __builtin_nontemporal_load(
               reinterpret_cast<const typename __warpscope_raw<sizeof(T)>::type *>(p)));
  else
    return __builtin_nontemporal_load(p);
}
template <class T> WARPSCOPE_DEVICE T __ldcv(const T *p) {
  if constexpr (__is_class(T))
    return __builtin_bit_cast(
        T, *reinterpret_cast<const volatile typename __warpscope_raw<sizeof(T)>::type *>(p));
  else
    return *const_cast<const volatile T *>(p);
}
template <class T> WARPSCOPE_DEVICE T __ldcg(const T *p) { return __ldcv(p); }
template <class T> WARPSCOPE_DEVICE void __stwb(T *p, T v) { *p = v; }
template <class T> WARPSCOPE_DEVICE void __stcg(T *p, T v) { *p = v; }
template <class T> WARPSCOPE_DEVICE void __stwt(T *p, T v) { *p = v; }
template <class T> WARPSCOPE_DEVICE void __stcs(T *p, T v) {
  if constexpr (__is_class(T)) {
    typedef typename __warpscope_raw<sizeof(T)>::type Raw;
    __builtin_nontemporal_store(__builtin_bit_cast(Raw, v), reinterpret_cast<Raw *>(p));
  } else {
    __builtin_nontemporal_store(v, p);
  }
}

WARPSCOPE_DEVICE void *memcpy(void *to, const void *from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
WARPSCOPE_DEVICE void *memset(void *to, int value, size_t bytes) {
  return __builtin_memset(to, value, bytes);
}
// Memory that stays until it is freed, from whatever kernel.
extern "C" __attribute__((device)) size_t __warpscope_device_allocate(size_t bytes);
extern "C" __attribute__((device)) void __warpscope_device_release(size_t address);
WARPSCOPE_DEVICE void *malloc(size_t bytes) {
  typedef __attribute__((address_space(1))) char Global;
  return (void *)(Global *)__warpscope_device_allocate(bytes);
}
WARPSCOPE_DEVICE void free(void *p) { __warpscope_device_release((size_t)p); }
// In memory that is there already; clang's own header has the same for the host's pass. May not be
// static: the language gives them their linkage.
#include <new>
#ifndef __CLANG_CUDA_WRAPPERS_NEW
#define WARPSCOPE_PLACED inline __attribute__((device, always_inline, nodebug))
WARPSCOPE_PLACED void *operator new(size_t, void *p) noexcept { return p; }
WARPSCOPE_PLACED void *operator new[](size_t, void *p) noexcept { return p; }
WARPSCOPE_PLACED void operator delete(void *, void *) noexcept {}
WARPSCOPE_PLACED void operator delete[](void *, void *) noexcept {}
#undef WARPSCOPE_PLACED
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete" // the host's are other functions
#define WARPSCOPE_NEW inline __attribute__((device, nodebug))
WARPSCOPE_NEW void *operator new(size_t bytes) { return malloc(bytes); }
WARPSCOPE_NEW void *operator new[](size_t bytes) { return malloc(bytes); }
WARPSCOPE_NEW void operator delete(void *p) noexcept { free(p); }
WARPSCOPE_NEW void operator delete[](void *p) noexcept { free(p); }
WARPSCOPE_NEW void operator delete(void *p, size_t) noexcept { free(p); }
WARPSCOPE_NEW void operator delete[](void *p, size_t) noexcept { free(p); }
#undef WARPSCOPE_NEW
#pragma clang diagnostic pop
#endif
extern "C" __device__ int printf(const char *format, ...);
// What <assert.h> calls. Not "noreturn": to the passes the failing branch comes back, so that it
// shapes the rest of the kernel no more than any other.
extern "C" __attribute__((device)) void
__warpscope_device_assertion(const char *text, const char *file, unsigned int line,
                             const char *function, unsigned int block_x, unsigned int block_y,
                             unsigned int block_z, unsigned int thread_x, unsigned int thread_y,
                             unsigned int thread_z);
extern "C" inline __attribute__((device, nodebug)) void
__assert_fail(const char *text, const char *file, unsigned int line,
              const char *function) noexcept {
  [[clang::nomerge]] __warpscope_device_assertion(text, file, line, function, blockIdx.x,
                                                  blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
                                                  threadIdx.z);
}
// The host's clock: it rises, so that loops which wait for a time end. What it measures here says
// nothing about a GPU.
WARPSCOPE_DEVICE long long clock64() { return (long long)__builtin_readcyclecounter(); }
WARPSCOPE_DEVICE long clock() { return (long)__builtin_readcyclecounter(); }
WARPSCOPE_DEVICE void __nanosleep(unsigned int) {}
WARPSCOPE_DEVICE void __prof_trigger(int) {}
WARPSCOPE_DEVICE void __trap() { __builtin_trap(); }
