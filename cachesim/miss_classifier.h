#pragma once
// Why a reference missed. Runs beside the cache of one core, on the events that the cache has found.
#include <cstdint>
#include <vector>

#include "cachesim/l1_cache.h"
#include "cachesim/line_marks.h"
#include "cachesim/shadow_cache.h"

namespace warpscope {

/// Rule, for references that would allocate a line (with no-allocate writes: loads), in this order:
///   cold          first such reference to the line since reset()
///   invalidated   the line was there until a store removed it
///   capacity      the shadow cache misses too
///   conflict      the shadow cache hits
/// A hit where the shadow misses becomes AntiConflictHit. The shadow is fully associative LRU, of the same capacity and
/// with the same write policy: one that allocated on writes would move misses between the classes.
class MissClassifier {
 public:
  MissClassifier(std::uint32_t lines, const WritePolicy& write) : write_(write), shadow_(lines, write) {}
  /// Refines batch.events and counts them in batch.counts.
  void process(const CacheBatch& batch);
  /// Forgets everything: a launch begins.
  void reset();

 private:
  Event refine(Event event, LineAddr line, bool is_store, bool shadow_hit);
  Event miss_class(LineAddr line, bool shadow_hit);
  WritePolicy write_;
  ShadowCache shadow_;
  LineMarks marks_;
};

}  // namespace warpscope
