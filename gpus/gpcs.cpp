#include "gpus/gpcs.h"

#include <algorithm>

namespace warpscope {
namespace {

constexpr std::uint32_t kCoresOfTpc = 2;  // of all GPUs that have clusters

}  // namespace

std::vector<std::vector<std::uint32_t>> cores_of_gpcs(std::uint32_t cores, std::uint32_t gpcs) {
  const std::uint32_t tpcs = (cores + kCoresOfTpc - 1) / kCoresOfTpc;
  std::vector<std::vector<std::uint32_t>> found(std::min(gpcs, tpcs));
  std::uint32_t core = 0;
  for (std::uint32_t gpc = 0; gpc < found.size(); ++gpc) {
    const std::uint32_t own = tpcs / gpcs + (gpc < tpcs % gpcs ? 1 : 0);
    for (std::uint32_t k = 0; k < own * kCoresOfTpc && core < cores; ++k) found[gpc].push_back(core++);
  }
  return found;
}

}  // namespace warpscope
