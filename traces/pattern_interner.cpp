#include "traces/pattern_interner.h"

#include <algorithm>
#include <atomic>

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

std::uint32_t next_id() {
  static std::atomic<std::uint32_t> last{0};
  return ++last;
}

}  // namespace

PatternInterner::PatternInterner() : buckets_(kBuckets, 0) {}

const PatternInterner::Known* PatternInterner::intern(const LanePattern& pattern) {
  std::size_t bucket = hash_of(pattern) % kBuckets;
  for (; buckets_[bucket] != 0; bucket = (bucket + 1) % kBuckets) {
    const Known& candidate = known_[buckets_[bucket] - 1];
    if (equal(candidate.pattern, pattern)) return &candidate;
  }
  if (known_.size() == kCapacity) return nullptr;
  known_.push_back({pattern, next_id()});
  buckets_[bucket] = static_cast<std::uint32_t>(known_.size());
  return &known_.back();
}

}  // namespace warpscope
