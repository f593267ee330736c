#pragma once
// Why a reference missed. Runs beside the cache of one core, on the events that the cache has found.
#include <array>
#include <cstdint>
#include <span>
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
/// A hit where the shadow misses becomes AntiConflictHit. The shadow is fully associative LRU, of the same
/// capacity and with the same write policy: one that allocated on writes would move misses between the
/// classes.
class MissClassifier {
 public:
  MissClassifier(std::uint32_t lines, const WritePolicy& write);
  /// Counts what becomes of batch.events in batch.counts.
  void process(const CacheBatch& batch);
  /// Forgets everything: a launch begins.
  void reset();

 private:
  /// What an event becomes where that does not depend on the line's marks; kAskMarks where it does.
  static constexpr std::uint8_t kAskMarks = 0xff;
  /// A transaction whose class depends on what is remembered of its line.
  struct Asking {
    Transaction transaction;
    std::uint32_t page;   ///< of the line's marks
    std::uint8_t packed;  ///< what the cache found
    bool shadow_hit;
  };
  std::span<Asking> ask_shadow(const CacheBatch& batch);
  Event by_marks(const Asking& asking);
  std::array<std::array<std::uint8_t, kEvents>, 4> refined_;  ///< by shadow hit * 2 + store
  ShadowCache shadow_;
  LineMarks marks_;
  std::vector<Asking> asking_;
};

}  // namespace warpscope
