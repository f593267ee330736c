#pragma once
// Asks the host early for memory that will be used some microseconds later. g++ 12 leaves out the calls of a function that does nothing but
// __builtin_prefetch, as if it had no effect; the empty statements here, which it must not remove, keep them.
#include <cstddef>
#include <vector>

namespace warpscope {

/// The host fetches the line of its caches in which `address` is, to be written.
inline void prefetch_line(const void* address) {
  __builtin_prefetch(address, 1);
  asm volatile("");
}

/// For its second-level cache.
inline void prefetch_lines(const void* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const char* const begin = static_cast<const char*>(from);
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(begin + at, 1, 2);
  asm volatile("");
}
template <class T>
void prefetch_lines(const std::vector<T>& all) {
  prefetch_lines(all.data(), all.size() * sizeof(T));
}

}  // namespace warpscope
