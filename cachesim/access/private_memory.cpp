#include "cachesim/access/private_memory.h"

#include <algorithm>

namespace warpscope {
namespace {

constexpr std::uint64_t kObjectAlignment = 16;  // bytes; as the compilation pipeline aligns private arrays

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace

PrivateMemory::PrivateMemory(const std::vector<BufferInfo>& buffers, std::uint32_t warp_size,
                             std::uint64_t first)
    : warp_size_(warp_size), first_(first) {
  std::uint64_t frame = 0;
  for (const BufferInfo& buffer : buffers) {
    if (buffer.id.value() >= frame_offset_.size()) frame_offset_.resize(buffer.id.value() + 1);
    if (buffer.space != AddressSpace::Private) continue;
    frame_offset_[buffer.id.value()] = frame;
    frame += round_up(buffer.size, kObjectAlignment);
  }
  stretch_ = frame * warp_size_;
}

void PrivateMemory::begin_launch(std::uint64_t work_items_per_group) {
  warps_per_group_ = std::max<std::uint64_t>(1, (work_items_per_group + warp_size_ - 1) / warp_size_);
}

std::uint64_t PrivateMemory::end(const LaunchInfo& launch) const {
  const std::uint64_t warps = (launch.local.count() + warp_size_ - 1) / warp_size_;
  return first_ + launch.groups().count() * warps * stretch_;
}

}  // namespace warpscope
