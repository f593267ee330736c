#pragma once
// Asynchronous copies from global to shared memory (CUDA C++ Programming Guide, "Pipeline
// Primitives"). They are done at once, as a GPU may, too: a load and a store. Those of 16 bytes go
// past L1, as cp.async.cg does.
#include "cuda_runtime.h"
#ifdef __CUDA__
#include "warpscope/letters_away.h"

template <size_t Bytes, bool PastL1>
WARPSCOPE_DEVICE void __warpscope_copy_async(void *to, const void *from) {
  typedef typename __warpscope_raw<Bytes>::type Raw;
  if (PastL1)
    *(Raw *)to = *(const volatile Raw *)from;
  else
    *(Raw *)to = *(const Raw *)from;
}
// `zeros`: so many bytes at the end are not loaded and become 0.
WARPSCOPE_UNTIMED("cp.async")
WARPSCOPE_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                              size_t zeros = 0) {
  if (zeros != 0) {
    for (size_t i = 0; i < bytes / 4; ++i)
      ((unsigned int *)to)[i] = 4 * i + zeros < bytes ? ((const unsigned int *)from)[i] : 0;
  } else if (bytes == 16) {
    __warpscope_copy_async<16, true>(to, from);
  } else if (bytes == 8) {
    __warpscope_copy_async<8, false>(to, from);
  } else {
    __warpscope_copy_async<4, false>(to, from);
  }
}
WARPSCOPE_DEVICE void __pipeline_commit() {}
WARPSCOPE_DEVICE void __pipeline_wait_prior(size_t) {}

#include "warpscope/letters_back.h"
#endif
