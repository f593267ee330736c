#pragma once
// LRU with four ways as a row of tags in order of use: a look-up is a compare and a shift of one 16-byte
// register, without a branch that depends on the data. A tag is a 31-bit line number plus one; the top bit
// says that the line is dirty.
#include <cstdint>
#include <vector>

#include "cachesim/l1/l1_cache.h"
#include "cachesim/l1/write_rules.h"

namespace warpscope {

class RecencyCache final : public L1Cache {
 public:
  /// Whether the configuration has four ways and every tag fits.
  static bool fits(const L1CacheOptions& options);
  explicit RecencyCache(const L1CacheOptions& options);
  void process(const CacheBatch& batch) override;
  void invalidate() override;

 private:
  /// Of a batch: none, all with the same policy, private memory with its own policy.
  enum class Stores { None, Alike, Mixed };
  template <bool WithEvents>
  void choose(const CacheBatch& batch);
  template <bool WithEvents, bool WritesBack, Stores kStores>
  void run(const CacheBatch& batch);

  struct alignas(16) Row {
    std::uint32_t tag[4];  ///< most recently used first; 0 = empty, empty ones last
  };
  WriteRules write_;
  std::vector<Row> rows_;
};

}  // namespace warpscope
