#pragma once
// Why a reference missed. Runs next to the cache of one core, on the events that the cache has found.
#include <cstdint>
#include <vector>

#include "cachesim/classes/line_table.h"
#include "cachesim/classes/shadow_times.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/l1/write_rules.h"

namespace warpscope {

/// Rule, for references that would allocate a line (with no-allocate writes: loads), in this order:
///   cold          first such reference to the line since reset()
///   invalidated   the line was there until a store removed it
///   capacity      the shadow cache misses too
///   conflict      the shadow cache hits
/// A hit where the shadow misses becomes AntiConflictHit. The shadow is fully associative LRU, of the same
/// capacity and with the same write policy: one that allocated on writes would move misses between the
/// classes.
class MissClassifier {
 public:
  MissClassifier(std::uint32_t lines, const WriteRules& write);
  /// Counts what becomes of batch.events in batch.counts.
  void process(const CacheBatch& batch);
  /// Forgets everything: a launch begins.
  void reset();

 private:
  using Time = ShadowTimes::Time;
  /// Numbers that are no times.
  static constexpr Time kNever = 0, kRemoved = 1, kOutside = 2;
  /// Of a batch: none, all with the same policy, private memory with its own policy.
  enum class Stores { None, Alike, Mixed };
  template <Stores kStores>
  void run(const CacheBatch& batch);

  WriteRules write_;
  ShadowTimes shadow_;
  LineTable<Time> last_;  ///< time of a line's last reference, or a number that is none
  std::vector<std::uint32_t> places_;
};

}  // namespace warpscope
