#pragma once
// Sectored LRU caches of many associativities at once: one set index, one number of sets, one write policy,
// one core. As LruStack (lru_stack.h), with one number more per sector of a line.
//
// The tags of sectored caches are those of caches without sectors: a reference brings the line to level 1
// whether or not its sector is there. So one list per set has the tags of all caches, and a line at level l
// is in those of l ways and more. Each sector of a line has a level, too, from which on it is there. It is at
// least the line's: a cache that lost the line lost its sectors, and a line that comes back brings one
// sector. So when a line is used at level l, the levels of its sectors become at least l; the sector that is
// used hits in caches of its level and more, misses alone in those from l on below that, and is at level 1
// afterwards.
//
//   stores that allocate (WBWA, WTWA, WTWL) are as loads. Under WTWL one also hits where its request found
//     the line.
//   stores that do not (WTNA, WENA) touch the line only where their sector is. So a store may give the caches
//     different orders of their common lines, and there is no list any more. Then the caches of this set are
//     kept *apart*, each with its own list, until they agree again: each one's list is the beginning of the
//     largest one's, and what is in a smaller cache is in all larger ones. A store that is nowhere, or to the
//     newest line of the set under WTNA, changes no order.
#include <cstdint>
#include <memory>
#include <vector>

#include "cachesim/sweep/lru_stack.h"

namespace warpscope {

/// References of one core, in order; those that bypass the L1 are not among them. `references.tags` are of
/// lines.
struct SectoredBatch {
  StackBatch references;
  const std::uint8_t* sectors = nullptr;  ///< each reference's sector, by number in the line
  const std::uint8_t* firsts = nullptr;   ///< whether it begins a request; only if stores hit by line
};

/// What a stack has seen; sums over cores are taken of these.
struct SectoredCounts {
  SectoredCounts(std::uint32_t depth, std::size_t caches);
  SectoredCounts& operator+=(const SectoredCounts& other);
  /// Of the cache with `ways` ways, which is the `place`th.
  [[nodiscard]] Counts of_cache(std::size_t place, std::uint32_t ways, WritePolicy write) const;

  StackCounts lines;                                  ///< counts if every present line hit
  std::array<std::vector<std::uint64_t>, 3> sectors;  ///< [kind][n]: hits in caches of more than n ways
  std::vector<Counts> apart;                          ///< indexed by cache: counts of sets that were apart
  std::uint64_t apart_references = 0;
};

class SectoredStack {
 public:
  /// Whether caches of up to `ways` ways with these stores can be had: not stores that write back and do not
  /// allocate.
  static bool can(std::uint32_t ways, const WritePolicy& write) {
    return ways <= kMaxWays && (write.store_miss_allocates || !write.writes_back);
  }
  static constexpr std::uint32_t kMaxWays = 1u << 12;
  /// For caches with 2^sector_shift (2, 4 or 8) sectors per line and each of `ways` (ascending, can() holds).
  SectoredStack(std::uint32_t sets, std::vector<std::uint32_t> ways, int sector_shift,
                const WritePolicy& write);
  /// Bytes of the tables of one core's stack, at most.
  static std::uint64_t bytes(std::uint32_t sets, const std::vector<std::uint32_t>& ways, int sector_shift,
                             const WritePolicy& write);
  void process(const SectoredBatch& batch);
  /// The same with what every x86-64 has, or portable code.
  void process_without_avx2(const SectoredBatch& batch);
  /// The caches are emptied, without write-backs.
  void invalidate();
  /// After the last invalidate().
  [[nodiscard]] const SectoredCounts& counts() const { return counts_; }

 private:
  friend struct SectoredKernel;
  using Level = std::uint16_t;  ///< a place, counted from 0: caches of more ways have it
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  static constexpr std::uint32_t kTrialEvery = 64;  ///< references to a set apart

  /// One set of each cache, where they are apart. The newest lines are first.
  struct Apart {
    std::vector<std::uint32_t> tags;   ///< [cache][place]
    std::vector<std::uint8_t> masks;   ///< [cache][place]: sectors that are there
    std::vector<std::uint32_t> taken;  ///< indexed by cache
    std::uint32_t references = 0;
    bool active = false;
  };
  /// A line that a store's request did not find in the caches of up to `level` ways.
  struct Absent {
    std::uint32_t tag = 0;
    Level level = 0;
  };

  [[nodiscard]] Level* lanes(std::uint32_t set, std::uint32_t at) {
    return &lanes_[(lists_[set].front + at) * lane_count_];
  }
  void bring_in(std::uint32_t set, std::uint32_t tag, std::uint64_t reference, std::uint8_t sector,
                AccessKind kind);
  void use_lanes(std::uint32_t set, std::uint32_t at, std::uint32_t taken, std::uint8_t sector,
                 AccessKind kind);
  [[nodiscard]] Level new_dirty(std::uint32_t set, std::uint32_t at, std::uint32_t taken, bool store);
  Level hit_by_line(std::uint32_t tag, Level line, Level sector);
  bool store_passes(std::uint32_t set, std::uint32_t at, std::uint8_t sector);
  void part(std::uint32_t set);
  void rejoin(std::uint32_t set);
  [[nodiscard]] bool agree(const Apart& apart) const;

  WritePolicy write_;
  std::vector<std::uint32_t> ways_;
  std::vector<std::size_t> rows_;  ///< indexed by cache: begin and end of its places in Apart's lists
  std::uint32_t sectors_, lane_count_, depth_;
  SetLists lists_;            ///< tags
  std::vector<Level> lanes_;  ///< [place of the tag][sector], and with write-backs the dirty level behind
  std::vector<std::unique_ptr<Apart>> apart_;  ///< indexed by set
  std::vector<Absent> absent_;                 ///< absent sectors of the request
  SectoredCounts counts_;
};

}  // namespace warpscope
