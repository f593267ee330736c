#include "scheduler/replay/pattern_dictionary.h"

#include <xxhash.h>

#include <algorithm>

#include "traces/stream/pattern_interner.h"

namespace warpscope {
namespace {

constexpr std::size_t kBuckets = PatternDictionary::kCapacity * 4;  // power of two, at most a quarter full

std::size_t hash_of(const LanePattern& pattern) {
  return XXH3_64bits_withSeed(pattern.offset.data(), pattern.lanes * sizeof(std::int64_t), pattern.mask);
}

bool same(const LanePattern& a, const LanePattern& b) {
  return a.mask == b.mask && std::equal(a.offset.begin(), a.offset.begin() + a.lanes, b.offset.begin());
}

}  // namespace

PatternDictionary::PatternDictionary() : buckets_(kBuckets, 0) {
  for (unsigned lane = 0; lane < kMaxWarpSize; ++lane) {
    LanePattern pattern;
    pattern.mask = LaneMask{1} << lane;
    pattern.lanes = 1;
    intern(pattern);
  }
}

const KnownPattern* PatternDictionary::intern(const LanePattern& pattern) {
  std::size_t bucket = hash_of(pattern) & (kBuckets - 1);
  while (buckets_[bucket] != 0) {
    const KnownPattern& known = patterns_[buckets_[bucket] - 1];
    if (same(known.pattern, pattern)) return &known;
    bucket = (bucket + 1) & (kBuckets - 1);
  }
  if (patterns_.size() == kCapacity) return nullptr;
  patterns_.push_back({pattern, new_pattern_id()});
  buckets_[bucket] = static_cast<std::uint32_t>(patterns_.size());
  return &patterns_.back();
}

}  // namespace warpscope
