#pragma once
// Scans over the threads of a tile or a coalesced group (CUDA C++ Programming Guide,
// "inclusive_scan and exclusive_scan"), by shuffles over distances 1, 2, 4, …
#include "../cooperative_groups.h"
#ifdef __CUDA__
#include "../warpscope/letters_away.h"

namespace cooperative_groups {

template <class Group, class T, class F>
WARPSCOPE_DEVICE T inclusive_scan(const Group &group, T value, F combine) {
  const unsigned int rank = group.thread_rank();
  for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
    const T before = group.shfl_up(value, distance);
    if (rank >= distance)
      value = combine(before, value);
  }
  return value;
}
template <class Group, class T> WARPSCOPE_DEVICE T inclusive_scan(const Group &group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
/// The first thread gets T(), whatever `combine` is: that is what code of NVIDIA's headers does.
template <class Group, class T, class F>
WARPSCOPE_DEVICE T exclusive_scan(const Group &group, T value, F combine) {
  const T before = group.shfl_up(inclusive_scan(group, value, combine), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> WARPSCOPE_DEVICE T exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups
#include "../warpscope/letters_back.h"
#endif
