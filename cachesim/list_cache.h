#pragma once
// LRU for many ways, and for lines with sectors. Gives the same results as the other LRU caches.
#include "cachesim/l1_cache.h"
#include "cachesim/lru_lists.h"

namespace warpscope {

class ListCache final : public L1Cache {
 public:
  explicit ListCache(const L1CacheOptions& options);
  void process(const CacheBatch& batch) override;
  void invalidate() override { lists_.clear(); }

 private:
  template <bool WithEvents>
  void run(const CacheBatch& batch);
  Victim fill(std::uint64_t* victim_line, std::uint32_t set, std::uint64_t line, std::uint8_t sector,
              bool dirty);

  int sector_shift_;
  WritePolicy write_;
  LruLists lists_;
};

}  // namespace warpscope
