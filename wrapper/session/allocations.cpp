#include "wrapper/session/allocations.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "traces/program/unwritten_pattern.h"

namespace warpscope::layer {
namespace {

constexpr std::uint64_t kLeast = 4;       ///< bytes in a row that nobody writes by accident
constexpr std::uint64_t kCertain = 8;     ///< the same among very many
constexpr std::size_t kFewAccidents = 3;  ///< so many shorter ones are none

std::uint8_t* pointer_to(std::uint64_t address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
  return reinterpret_cast<std::uint8_t*>(address);
}

void fill(std::uint64_t address, std::uint64_t bytes, std::uint64_t order) {
  const auto pattern = unwritten_pattern(order);
  for (std::uint64_t at = 0; at < bytes; at += pattern.size())
    std::memcpy(pointer_to(address) + at, pattern.data(),
                std::min<std::uint64_t>(pattern.size(), bytes - at));
}

/// Finds what of an allocation holds its pattern.
class Scan {
 public:
  Scan(std::uint64_t address, std::uint64_t bytes, std::uint64_t order)
      : memory_(pointer_to(address)), least_(std::min(kLeast, bytes)), pattern_(unwritten_pattern(order)) {}

  /// Calls found(first, end) for each place from `first` to `end`, ascending.
  template <class Found>
  void run(std::uint64_t first, std::uint64_t end, const Found& found) {
    while (first < end) {
      const std::uint64_t block = next_multiple(first, kPatternBytes, end);
      if (!take(first, block))
        for (std::uint64_t word = 0; first < block; first = word) {
          word = next_multiple(first, kWord, block);
          if (take(first, word)) continue;
          for (std::uint64_t at = first; at < word; ++at)
            if (!take(at, at + 1)) finish(at, found);
        }
      first = block;
    }
    finish(end, found);
  }

 private:
  static constexpr std::uint64_t kWord = 8;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  static std::uint64_t next_multiple(std::uint64_t at, std::uint64_t of, std::uint64_t most) {
    return std::min(at / of * of + of, most);
  }
  /// Whether this is as nobody has written it; within a period.
  bool take(std::uint64_t first, std::uint64_t end) {
    if (std::memcmp(memory_ + first, &pattern_[first % kPatternBytes], end - first) != 0) return false;
    begin_ = std::min(begin_, first);
    return true;
  }
  template <class Found>
  void finish(std::uint64_t end, const Found& found) {
    if (begin_ != kNone && end - begin_ >= least_) found(begin_, end);
    begin_ = kNone;
  }

  const std::uint8_t* memory_;
  std::uint64_t least_;
  std::array<std::uint8_t, kPatternBytes> pattern_;
  std::uint64_t begin_ = kNone;  ///< of a place that has not ended
};

/// Places of `parts` that follow each other at equal distances become one.
void add_parts(std::vector<UnwrittenBytes>& result, BufferId id, std::uint64_t first, std::uint64_t size) {
  if (!result.empty() && result.back().buffer == id && result.back().size == size) {
    UnwrittenBytes& last = result.back();
    const std::uint64_t distance = first - last.first;
    if (last.count == 1) last.stride = distance;
    if (distance == last.count * last.stride) {
      ++last.count;
      return;
    }
  }
  result.push_back({id, first, size, 0, 1});
}

}  // namespace

void Allocations::add(std::uint64_t address, std::uint64_t bytes, const std::string& name, bool is_fresh) {
  if (!is_on_ || bytes == 0) return;
  Allocation allocation;
  {
    const std::lock_guard lock(mutex_);
    allocation.bytes = bytes;
    allocation.order = ++orders_;
    allocation.name = name;
    allocation.is_too_large = is_fresh && (bytes > kMostOfOne || filled_ + bytes > kMostOfAll);
    allocation.is_filled = is_fresh && !allocation.is_too_large;
    if (allocation.is_filled) filled_ += bytes;
  }
  if (allocation.is_filled) {
    fill(address, bytes, allocation.order);
    allocation.unwritten.push_back({0, bytes});
  }
  const std::lock_guard lock(mutex_);
  by_address_[address] = std::move(allocation);
}

void Allocations::number(std::uint64_t address, BufferId id, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return;
  found->second.id = id;
  if (found->second.name.empty()) found->second.name = name;
  address_of_[id] = address;
}

void Allocations::remove(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return;
  const Allocation& one = found->second;
  if (host_writes_.is_on())
    host_writes_.leave({{address, one.order, {pointer_to(address), one.bytes}, one.is_filled}});
  if (found->second.is_filled) filled_ -= found->second.bytes;
  address_of_.erase(found->second.id);
  by_address_.erase(found);
}

/// The parts that still hold the pattern: they only become fewer.
void Allocations::look_at(std::uint64_t address, Allocation& allocation) {
  std::vector<Part> left;
  Scan scan(address, allocation.bytes, allocation.order);
  for (const Part& part : allocation.unwritten)
    scan.run(part.first, part.end, [&](std::uint64_t first, std::uint64_t end) {
      left.push_back({first, end});
    });
  drop_accidents(left, allocation.bytes);
  allocation.unwritten = std::move(left);
}

/// Of very many written places one may hold the pattern.
void Allocations::drop_accidents(std::vector<Part>& parts, std::uint64_t bytes) {
  const auto is_short = [&](const Part& part) {
    return part.end - part.first < kCertain && part.first != 0 && part.end != bytes;
  };
  if (std::ranges::count_if(parts, is_short) < static_cast<std::ptrdiff_t>(kFewAccidents))
    std::erase_if(parts, is_short);
}

UnwrittenOfLaunch Allocations::unwritten(std::vector<BufferId> buffers) {
  UnwrittenOfLaunch result;
  std::ranges::sort(buffers);
  buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
  const std::lock_guard lock(mutex_);
  for (const BufferId id : buffers) {
    const auto address = address_of_.find(id);
    if (address == address_of_.end()) continue;
    Allocation& allocation = by_address_.at(address->second);
    result.in_part = result.in_part || allocation.is_too_large;
    if (allocation.unwritten.empty()) continue;
    if (scanned_ > kMostScanned) {
      result.in_part = true;
      continue;
    }
    for (const Part& part : allocation.unwritten) scanned_ += part.end - part.first;
    look_at(address->second, allocation);
    for (const Part& part : allocation.unwritten) {
      if (result.parts.size() >= kMostParts) {
        result.in_part = true;
        break;
      }
      add_parts(result.parts, id, part.first, part.end - part.first);
    }
  }
  return result;
}

std::vector<AllocatedBytes> Allocations::all() const {
  std::vector<AllocatedBytes> all;
  all.reserve(by_address_.size());
  for (const auto& [address, one] : by_address_)
    all.push_back({address, one.order, {pointer_to(address), one.bytes}, one.is_filled});
  return all;
}

void Allocations::begin_launch(LaunchId launch) const {
  if (!host_writes_.is_on()) return;
  const std::lock_guard lock(mutex_);
  host_writes_.before(launch, all());
}

void Allocations::end_launch() const {
  if (!host_writes_.is_on()) return;
  const std::lock_guard lock(mutex_);
  host_writes_.after(all());
}

void Allocations::leave() const {
  if (!host_writes_.is_on()) return;
  const std::lock_guard lock(mutex_);
  host_writes_.leave(all());
}

std::vector<LeftAllocation> Allocations::left() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Allocation*> ordered;
  ordered.reserve(by_address_.size());
  for (const auto& [address, allocation] : by_address_) ordered.push_back(&allocation);
  std::ranges::sort(ordered, {}, [](const Allocation* one) { return one->order; });
  std::vector<LeftAllocation> result;
  result.reserve(ordered.size());
  for (const Allocation* one : ordered) result.push_back({one->id, one->name, one->bytes});
  return result;
}

}  // namespace warpscope::layer
