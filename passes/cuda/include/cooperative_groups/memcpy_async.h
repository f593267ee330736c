#pragma once
// Copies by all threads of a group (CUDA C++ Programming Guide, "memcpy_async"), done at once, as a
// GPU may, too: thread after thread, in words as wide as the places and the size are aligned to. So
// wide a GPU copies as well; those of 16 bytes go past L1.
#include "../cooperative_groups.h"
#include "../cuda_pipeline.h"
#ifdef __CUDA__
#include "../warpscope/letters_away.h"

template <class Group>
WARPSCOPE_DEVICE void __warpscope_copy_by(const Group &group, void *to, const void *from,
                                          size_t bytes) {
  const size_t all = (size_t)to | (size_t)from | bytes;
  const size_t word = all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1;
  for (size_t at = group.thread_rank() * word; at < bytes; at += group.size() * word) {
    if (word == 1)
      ((char *)to)[at] = ((const char *)from)[at];
    else
      __pipeline_memcpy_async((char *)to + at, (const char *)from + at, word);
  }
}

namespace cooperative_groups {

// `bytes`: also a cuda::aligned_size_t.
template <class Group, class T, class Bytes>
WARPSCOPE_DEVICE void memcpy_async(const Group &group, T *to, const T *from, const Bytes &bytes) {
  __warpscope_copy_by(group, to, from, (size_t)bytes);
}
// As many elements as both have.
template <class Group, class T, class ToCount, class FromCount>
WARPSCOPE_DEVICE void memcpy_async(const Group &group, T *to, const ToCount &room, const T *from,
                                   const FromCount &given) {
  const size_t most = (size_t)room, there = (size_t)given;
  __warpscope_copy_by(group, to, from, (most < there ? most : there) * sizeof(T));
}
template <class Group> WARPSCOPE_DEVICE void wait(const Group &group) { group.sync(); }
template <unsigned int Stages, class Group> WARPSCOPE_DEVICE void wait_prior(const Group &group) {
  group.sync();
}

} // namespace cooperative_groups
#include "../warpscope/letters_back.h"
#endif
