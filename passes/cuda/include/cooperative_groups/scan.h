#pragma once
// Scans over the threads of a tile or a coalesced group (CUDA C++ Programming Guide,
// "inclusive_scan and exclusive_scan"), by shuffles over distances 1, 2, 4, …
#include "../cooperative_groups.h"
#ifdef __CUDA__
#include <limits>

#include "../warpscope/letters_away.h"

// What a function leaves as it is when combined with it: what the first thread of an exclusive scan
// gets. Of other functions than these it is T().
template <class T, class F> struct __warpscope_identity {
  static constexpr T value() { return T(); }
};
template <class T> struct __warpscope_identity<T, cooperative_groups::less<T>> {
  static constexpr T value() { return std::numeric_limits<T>::max(); }
};
template <class T> struct __warpscope_identity<T, cooperative_groups::greater<T>> {
  static constexpr T value() { return std::numeric_limits<T>::lowest(); }
};
template <class T> struct __warpscope_identity<T, cooperative_groups::bit_and<T>> {
  static constexpr T value() { return static_cast<T>(~T()); }
};

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
template <class Group, class T, class F>
WARPSCOPE_DEVICE T exclusive_scan(const Group &group, T value, F combine) {
  const T before = group.shfl_up(inclusive_scan(group, value, combine), 1);
  return group.thread_rank() == 0 ? __warpscope_identity<T, F>::value() : before;
}
template <class Group, class T> WARPSCOPE_DEVICE T exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups
#include "../warpscope/letters_back.h"
#endif
