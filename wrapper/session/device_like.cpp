#include "wrapper/session/device_like.h"

#include <algorithm>

namespace warpscope::layer {
namespace {

/// The largest divisor of `size` up to `most`, of those that make `outer` times it a multiple of `warp` if there are any.
std::uint64_t divisor(std::uint64_t size, std::uint64_t most, std::uint64_t outer, std::uint64_t warp) {
  std::uint64_t largest = 1;
  for (std::uint64_t part = std::min(size, most); part > 0; --part) {
    if (size % part != 0) continue;
    if (outer * part % warp == 0) return part;
    largest = std::max(largest, part);
  }
  return largest;
}

}  // namespace

Dim3 open_local_size(const DeviceLike& like, const Dim3& global) {
  const std::uint64_t most = std::min<std::uint64_t>(256, like.work_items);
  const auto& limits = like.work_item_sizes;
  const std::uint64_t x = divisor(global.x, std::min(most, limits[0]), 1, like.warp_size);
  const std::uint64_t y = divisor(global.y, std::min(most / x, limits[1]), x, like.warp_size);
  const std::uint64_t z = divisor(global.z, std::min(most / (x * y), limits[2]), x * y, like.warp_size);
  return {x, y, z};
}

}  // namespace warpscope::layer
