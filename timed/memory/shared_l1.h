#pragma once
// A cache between the L1s of neighbouring cores and the L2, such as the L1 of RDNA's shader arrays.
#include <cstdint>
#include <vector>

#include "timed/memory/l1.h"
#include "timed/memory/rate_limiter.h"

namespace warpscope::timed {

/// One for every SharedL1Config::cores cores. It holds what was loaded only: a store or an atomic goes past it to the L2
/// and removes the line from the cache that it passes (AMD, Introducing RDNA Architecture, white paper, 2019; recalled,
/// as gpus/README.md defines it). Lines are those of the L1s; the least recently used one leaves.
class SharedL1s {
 public:
  /// `config.size_kib` is above 0.
  SharedL1s(const SharedL1Config& config, std::uint32_t line_bytes, std::uint32_t sector_bytes);

  struct Found {
    SectorMask hit = 0, pending = 0, absent = 0;
    Cycle start = 0;    ///< cycle in which the cache takes the request
    Cycle arrives = 0;  ///< arrival of the pending sectors at the core, as MemorySystem::serve() gives it
  };
  /// A load of core `core` comes at `arrival`, in order of time. The absent sectors are to be fetched; `fetched` tells when they come.
  Found load(std::uint32_t core, std::uint64_t line, SectorMask sectors, Cycle arrival);
  void fetched(std::uint32_t core, std::uint64_t line, SectorMask sectors, Cycle arrives);
  void remove(std::uint32_t core, std::uint64_t line);
  /// A new launch: nothing of the one before is there.
  void clear();

 private:
  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};
    std::uint64_t last_use = 0;
    Cycle arrives = 0;
    SectorMask valid = 0, coming = 0;
  };
  struct Cache {
    std::vector<Line> lines;
    RateLimiter port;
  };
  Cache& cache_of(std::uint32_t core);
  /// Null where the line is not.
  Line* find(Cache& cache, std::uint64_t line) const;
  Line& oldest(Cache& cache, std::uint64_t line) const;

  SharedL1Config config_;
  std::uint32_t sector_bytes_;
  std::uint64_t sets_;
  std::vector<Cache> caches_;
  std::uint64_t clock_ = 0;
};

}  // namespace warpscope::timed
