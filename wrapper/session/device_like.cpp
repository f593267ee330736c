#include "wrapper/session/device_like.h"

#include <algorithm>

namespace warpscope::layer {

Dim3 open_local_size(const Dim3& global) {
  constexpr std::uint64_t kMost = 256;
  const std::uint64_t lowest_bit = global.x & (~global.x + 1);
  return {std::min(kMost, lowest_bit), 1, 1};
}

}  // namespace warpscope::layer
