#include "cachesim/transactions/access_memory.h"

#include <algorithm>

namespace warpscope {
namespace {

constexpr std::uint64_t kPrivateAlignment = 2u << 20;  // bytes

std::uint64_t end_of_buffers(const StreamHeader& header, const Layout& layout) {
  std::uint64_t end = header.layout.base;
  for (const BufferInfo& buffer : header.buffers)
    if (buffer.space == AddressSpace::Global || buffer.space == AddressSpace::Constant)
      end = std::max(end, layout.base(buffer.id).value() + buffer.size);
  return end;
}

}  // namespace

AccessMemory::AccessMemory(const StreamHeader& header)
    : layout_(header.buffers, header.layout),
      end_of_buffers_(end_of_buffers(header, layout_)),
      private_begin_((end_of_buffers_ + kPrivateAlignment - 1) / kPrivateAlignment * kPrivateAlignment) {
  for (const BufferInfo& buffer : header.buffers) {
    if (buffer.id.value() >= spaces_.size()) spaces_.resize(buffer.id.value() + 1);
    spaces_[buffer.id.value()] = buffer.space;
  }
  private_ = PrivateMemory(header.buffers, header.warp_size, private_begin_);
}

std::optional<std::uint64_t> AccessMemory::private_begin() const {
  return private_.empty() ? std::nullopt : std::optional(private_begin_);
}

std::uint64_t AccessMemory::end(const StreamHeader& header) const {
  std::uint64_t end = end_of_buffers_;
  for (const LaunchInfo& launch : header.launches) end = std::max(end, private_.end(launch));
  return end;
}

}  // namespace warpscope
