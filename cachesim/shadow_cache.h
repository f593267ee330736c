#pragma once
// A fully associative LRU cache with O(1) references: a chained hash table over nodes in a list by recency.
#include <bit>
#include <cstdint>
#include <vector>

#include "cachesim/cache_config.h"

namespace warpscope {

class ShadowCache {
 public:
  ShadowCache(std::uint32_t lines, const WritePolicy& write)
      : write_(write),
        shift_(64 - std::bit_width(std::bit_ceil(lines) * kBucketsPerLine - 1)),
        bucket_(std::size_t{std::bit_ceil(lines)} * kBucketsPerLine),
        node_(std::size_t{lines} + 1) {
    invalidate();
  }

  /// Whether the line is there; then does what a load or store does to a cache with this write policy.
  bool reference(LineAddr line, bool is_store) {
    const std::size_t bucket = bucket_of(line.value());
    std::uint32_t found = bucket_[bucket];
    while (found != kNone && node_[found].line != line.value()) found = node_[found].chain;
    if (found != kNone) {
      if (is_store && write_.store_hit_removes)
        remove(found);
      else if (node_[kNone].next != found)
        make_newest(found);
      return true;
    }
    if (!is_store || write_.store_miss_allocates) insert(line.value(), bucket);
    return false;
  }

  void invalidate();

 private:
  static constexpr std::uint32_t kBucketsPerLine =
      16;                                    // so many that nearly every chain is empty or has one node
  static constexpr std::uint32_t kNone = 0;  // node 0 is the list's head: next = newest, previous = oldest
  struct Node {
    std::uint64_t line = 0;
    std::uint32_t next = kNone, previous = kNone;  ///< by recency
    std::uint32_t chain = kNone;                   ///< in the bucket, or in the list of free nodes
  };

  [[nodiscard]] std::size_t bucket_of(std::uint64_t line) const {
    return (line * 0x9E3779B97F4A7C15ull) >> shift_;
  }
  void unlink(std::uint32_t node) {
    node_[node_[node].previous].next = node_[node].next;
    node_[node_[node].next].previous = node_[node].previous;
  }
  void link_newest(std::uint32_t node) {
    const std::uint32_t second = node_[kNone].next;
    node_[node].previous = kNone;
    node_[node].next = second;
    node_[second].previous = node;
    node_[kNone].next = node;
  }
  void make_newest(std::uint32_t node) {
    unlink(node);
    link_newest(node);
  }
  void unchain(std::uint32_t node) {
    std::uint32_t* link = &bucket_[bucket_of(node_[node].line)];
    while (*link != node) link = &node_[*link].chain;
    *link = node_[node].chain;
  }
  void remove(std::uint32_t node);
  void insert(std::uint64_t line, std::size_t bucket);

  WritePolicy write_;
  int shift_;
  std::vector<std::uint32_t> bucket_;
  std::vector<Node> node_;
  std::uint32_t free_ = kNone;
};

inline void ShadowCache::insert(std::uint64_t line, std::size_t bucket) {
  std::uint32_t node = free_;
  if (node != kNone) {
    free_ = node_[node].chain;
  } else {
    node = node_[kNone].previous;
    unlink(node);
    unchain(node);
  }
  node_[node].line = line;
  node_[node].chain = bucket_[bucket];
  bucket_[bucket] = node;
  link_newest(node);
}

}  // namespace warpscope
