#pragma once
// What a warp walks through between two of its accesses: for consumers that count or time instructions.
#include <cstdint>
#include <vector>

#include "scheduler/replay/prefetch.h"
#include "traces/base/types.h"

namespace warpscope {

/// One step of a warp's walk, in the order executed.
class TrailStep {
 public:
  enum class Kind : std::uint8_t {
    Block,    ///< lanes enter a block
    Site,     ///< lanes come to a memory instruction, fence or barrier
    Barrier,  ///< the warp passes the barrier that all its lanes have come to
  };
  constexpr TrailStep() = default;
  constexpr TrailStep(Kind kind, std::uint32_t number)
      : bits_(static_cast<std::uint32_t>(kind) << kShift | number) {}
  [[nodiscard]] constexpr Kind kind() const { return static_cast<Kind>(bits_ >> kShift); }
  /// Block or site id.
  [[nodiscard]] constexpr std::uint32_t number() const { return bits_ & ((1u << kShift) - 1); }

 private:
  static constexpr int kShift = 30;
  std::uint32_t bits_ = 0;
};

/// The steps that a warp's replay has made and its consumer has not taken yet: it ends with the access,
/// barrier or end before which the replay is.
class WalkTrail {
 public:
  void push(TrailStep step) { steps_.push_back(step); }
  [[nodiscard]] bool empty() const { return next_ == steps_.size(); }
  void prefetch() const { prefetch_line(steps_.data() + next_); }
  /// Not while empty().
  [[nodiscard]] TrailStep front() const { return steps_[next_]; }
  void pop() {
    if (++next_ < steps_.size()) return;
    steps_.clear();
    next_ = 0;
  }

 private:
  std::vector<TrailStep> steps_;
  std::size_t next_ = 0;
};

}  // namespace warpscope
