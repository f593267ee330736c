#include "cachesim/shadow_cache.h"

#include <algorithm>

namespace warpscope {

void ShadowCache::remove(std::uint32_t node) {
  unlink(node);
  unchain(node);
  node_[node].chain = free_;
  free_ = node;
}

void ShadowCache::invalidate() {
  std::fill(bucket_.begin(), bucket_.end(), kNone);
  node_[kNone] = Node{};
  free_ = kNone;
  for (auto node = static_cast<std::uint32_t>(node_.size() - 1); node > 0; --node) {
    node_[node] = Node{};
    node_[node].chain = free_;
    free_ = node;
  }
}

}  // namespace warpscope
