#pragma once
// Why a reference missed, in a cache whose lines have sectors. Runs next to the cache of one core, on the
// events that the cache has found; miss_classifier.h does the same, faster, for whole lines.
#include <vector>

#include "cachesim/classes/line_table.h"
#include "cachesim/classes/shadow_times.h"
#include "cachesim/l1/absent_lines.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/l1/write_rules.h"

namespace warpscope {

/// Rule, for references that would allocate (with no-allocate writes: loads), sector by sector, in this
/// order:
///   cold      first such reference to the sector since reset()
///   capacity  the shadow cache misses the sector too
///   conflict  the shadow cache hits
/// A hit where the shadow misses becomes AntiConflictHit. The shadow is fully associative LRU, with as many
/// lines, the same sectors and the same write policy. Nothing is invalidated: stores do not remove sectors.
class SectorClassifier {
 public:
  SectorClassifier(const CacheConfig& config, const WriteRules& write);
  /// Counts what becomes of batch.events in batch.counts.
  void process(const CacheBatch& batch);
  /// Forgets everything: a launch begins.
  void reset();

 private:
  using Time = ShadowTimes::Time;
  static constexpr Time kOutside = 0;
  struct Line {
    Time last = kOutside;      ///< time of its last reference, or kOutside
    std::uint8_t present = 0;  ///< sectors in the shadow, if it holds the line
    std::uint8_t seen = 0;     ///< sectors that were referenced
    bool operator==(const Line&) const = default;
  };
  static bool look_up(ShadowTimes::Clock& shadow, Line& line, std::uint8_t sector, bool allocates);
  bool look_up_by_line(ShadowTimes::Clock& shadow, Line& line, std::uint64_t number, std::uint8_t sector);

  int sector_shift_;
  WriteRules write_;
  bool hits_line_;      ///< whether some stores hit by line
  AbsentLines absent_;  ///< lines that the request did not find in the shadow
  ShadowTimes shadow_;
  LineTable<Line> lines_;
  std::vector<std::uint32_t> places_;
};

}  // namespace warpscope
