#include "traces/stream/pattern_interner.h"

#include <algorithm>
#include <atomic>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace warpscope {
namespace {

constexpr std::size_t kBuckets = 4 * PatternInterner::kCapacity;

std::uint64_t hash_of(const LanePattern& pattern) {
  return XXH3_64bits_withSeed(pattern.offset.data(), pattern.lanes * sizeof(pattern.offset[0]), pattern.mask);
}

bool equal(const LanePattern& a, const LanePattern& b) {
  return a.mask == b.mask && std::equal(a.offset.begin(), a.offset.begin() + a.lanes, b.offset.begin());
}

}  // namespace

std::uint32_t new_pattern_id() {
  static std::atomic<std::uint64_t> last{0};
  const std::uint64_t id = ++last;
  return id > std::numeric_limits<std::uint32_t>::max() ? 0 : static_cast<std::uint32_t>(id);
}

PatternInterner::PatternInterner() : buckets_(kBuckets, 0) {}

const PatternInterner::Known* PatternInterner::intern(const LanePattern& pattern) {
  std::size_t bucket = hash_of(pattern) % kBuckets;
  for (; buckets_[bucket] != 0; bucket = (bucket + 1) % kBuckets) {
    const Known& candidate = known_[buckets_[bucket] - 1];
    if (equal(candidate.pattern, pattern)) return &candidate;
  }
  if (known_.size() == kCapacity) return nullptr;
  known_.push_back({pattern, new_pattern_id()});
  buckets_[bucket] = static_cast<std::uint32_t>(known_.size());
  return &known_.back();
}

}  // namespace warpscope
