#pragma once
// LRU for many ways, and for lines with sectors. Gives the same results as the other LRU caches.
#include "cachesim/l1/absent_lines.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/l1/lru_lists.h"
#include "cachesim/l1/write_rules.h"

namespace warpscope {

class ListCache final : public L1Cache {
 public:
  explicit ListCache(const L1CacheOptions& options);
  void process(const CacheBatch& batch) override;
  void invalidate() override { lists_.clear(); }

 private:
  template <bool WithEvents, bool Mixed>
  void run(const CacheBatch& batch);
  Victim fill(const CacheBatch& batch, std::size_t i, std::uint64_t line, std::uint8_t sector, bool dirty);

  int sector_shift_;
  WriteRules write_;
  bool hits_line_;  ///< whether some stores hit by line
  AbsentLines absent_;
  LruLists lists_;
};

}  // namespace warpscope
