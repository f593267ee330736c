#pragma once
// Why a reference missed. Runs beside the cache of one core, on the events that the cache has found.
#include <cstdint>
#include <vector>

#include "cachesim/l1_cache.h"
#include "cachesim/line_history.h"

namespace warpscope {

/// Rule, for references that would allocate a line (with no-allocate writes: loads), in this order:
///   cold          first such reference to the line since reset()
///   invalidated   the line was there until a store removed it
///   capacity      the shadow cache misses too
///   conflict      the shadow cache hits
/// A hit where the shadow misses becomes AntiConflictHit. The shadow is fully associative LRU, of the same
/// capacity and with the same write policy: one that allocated on writes would move misses between the
/// classes.
///
/// The shadow is a time line: every reference that makes a line the newest takes the next time, and the
/// line's last time is remembered. The shadow holds exactly the lines whose time is not before the horizon. A
/// time is *live* while it is some line's last one; a line that comes into the full shadow moves the horizon
/// beyond the oldest live time.
class MissClassifier {
 public:
  MissClassifier(std::uint32_t lines, const WritePolicy& write);
  /// Counts what becomes of batch.events in batch.counts.
  void process(const CacheBatch& batch);
  /// Forgets everything: a launch begins.
  void reset();

 private:
  using Time = LineHistory::Time;
  /// Numbers that are no times.
  static constexpr Time kNever = 0, kRemoved = 1, kOutside = 2, kFirstTime = 3;
  template <bool StoresRemove>
  void run(const CacheBatch& batch);
  static Time beyond_oldest(const std::uint8_t* live, Time horizon);
  void make_room(std::size_t references);

  std::uint32_t lines_;
  WritePolicy write_;
  LineHistory history_;
  std::vector<std::uint8_t> live_;  ///< by time: 0 = dead. Times that are not yet taken are live
  Time horizon_ = kFirstTime, next_ = kFirstTime;
  std::uint32_t present_ = 0;  ///< lines in the shadow
  std::vector<std::uint32_t> places_;
};

}  // namespace warpscope
