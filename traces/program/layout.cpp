#include "traces/program/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kMaxBase = std::uint64_t{1} << 60;
constexpr std::uint64_t kMaxGranule = std::uint64_t{1} << BufferAddr::kOffsetBits;
constexpr std::uint64_t kMaxGap = 16;  ///< granules that --layout-seed leaves free before a buffer, exclusive

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, doi:10.1145/2660193.2660195): the same layout on every
/// machine.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void check(const LayoutOptions& options) {
  const auto refuse = [](const char* option, std::uint64_t value, const std::string& expected) {
    throw InputError(fmt::format("{} is {}, expected {}", option, value, expected));
  };
  if (!std::has_single_bit(options.granule) || options.granule > kMaxGranule) {
    refuse("buffer alignment", options.granule, "a power of two up to 2^40");
  }
  if (!std::has_single_bit(options.large_granule) || options.large_granule > kMaxGranule) {
    refuse("alignment of large buffers", options.large_granule, "a power of two up to 2^40");
  }
  if (options.base > kMaxBase) refuse("buffer base", options.base, "at most 2^60");
}

bool has_simulated_address(AddressSpace space) {
  return space != AddressSpace::Local && space != AddressSpace::Private;
}

}  // namespace

Layout::Layout(const std::vector<BufferInfo>& buffers, const LayoutOptions& options) {
  check(options);
  if (!buffers.empty()) offset_mask_ = BufferAddr::kOffsetMask;
  std::vector<const BufferInfo*> order;
  std::uint32_t last_id = 0;
  for (const BufferInfo& buffer : buffers) {
    last_id = std::max(last_id, buffer.id.value());
    if (has_simulated_address(buffer.space)) order.push_back(&buffer);
  }
  base_.assign(std::size_t{last_id} + 1, 0);
  std::uint64_t random = options.seed;
  for (std::size_t i = order.size(); options.seed != 0 && i > 1; --i) {
    std::swap(order[i - 1], order[next_random(random) % i]);
  }
  std::uint64_t cursor = options.base;
  for (const BufferInfo* buffer : order) {
    const std::uint64_t granule =
        buffer->size >= options.large_from ? options.large_granule : options.granule;
    if (options.seed != 0) cursor += next_random(random) % kMaxGap * options.granule;
    const std::uint64_t start = (cursor + granule - 1) & ~(granule - 1);
    base_[buffer->id.value()] = start;
    placed_.push_back({start, buffer->size, buffer->id});
    // Empty buffers still get an address of their own.
    cursor = start + std::max<std::uint64_t>(buffer->size, 1);
  }
}

BufferId Layout::buffer_at(ByteAddr address) const {
  const auto after =
      std::upper_bound(placed_.begin(), placed_.end(), address.value(),
                       [](std::uint64_t value, const Placed& placed) { return value < placed.start; });
  if (after == placed_.begin()) return {};
  const Placed& candidate = *(after - 1);
  return address.value() - candidate.start < candidate.size ? candidate.id : BufferId();
}

}  // namespace warpscope
