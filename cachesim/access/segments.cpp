// The memory segments of GPUs without an L1.
#include <algorithm>
#include <limits>

#include "cachesim/access/coalescer.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kSmallest = 32, kLargest = 128;

void add(std::uint64_t begin, std::uint32_t bytes, std::vector<CoalescedLine>& out) {
  out.push_back({LineAddr(begin), false, bytes});
}

}  // namespace

void gt200_segments(const RequestLanes& lanes, std::vector<CoalescedLine>& out) {
  const std::uint32_t widest = lanes.bytes == 1 ? kSmallest : lanes.bytes == 2 ? 2 * kSmallest : kLargest;
  std::uint64_t left =
      lanes.address.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes.address.size()) - 1;
  for (std::size_t first = 0; first < lanes.address.size(); ++first) {
    if ((left >> first & 1) == 0) continue;
    std::uint64_t begin = lanes.address[first] / widest * widest;
    std::uint32_t bytes = widest;
    std::uint64_t low = std::numeric_limits<std::uint64_t>::max(), high = 0;
    for (std::size_t i = first; i < lanes.address.size(); ++i) {
      if ((left >> i & 1) == 0 || lanes.address[i] < begin || lanes.address[i] >= begin + widest) continue;
      left &= ~(std::uint64_t{1} << i);
      low = std::min(low, lanes.address[i]);
      high = std::max(high, lanes.address[i] + lanes.bytes);
    }
    while (bytes > kSmallest && (high <= begin + bytes / 2 || low >= begin + bytes / 2)) {
      bytes /= 2;
      if (low >= begin + bytes) begin += bytes;
    }
    add(begin, bytes, out);
  }
}

void g80_segments(const RequestLanes& lanes, std::vector<CoalescedLine>& out) {
  constexpr std::uint32_t kLanes = 16;
  const bool width_fits = lanes.bytes == 4 || lanes.bytes == 8 || lanes.bytes == 16;
  const std::uint64_t whole = std::uint64_t{kLanes} * lanes.bytes;
  const std::uint64_t begin = lanes.address.front() / whole * whole;
  bool in_order = width_fits;
  for (std::size_t i = 0; i < lanes.address.size(); ++i)
    in_order = in_order && lanes.address[i] == begin + std::uint64_t{lanes.lane[i]} * lanes.bytes;
  if (!in_order) {
    for (const std::uint64_t address : lanes.address) add(address / kSmallest * kSmallest, kSmallest, out);
    return;
  }
  const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(whole, kLargest));
  for (std::uint64_t at = begin; at < begin + whole; at += bytes) add(at, bytes, out);
}

}  // namespace warpscope
