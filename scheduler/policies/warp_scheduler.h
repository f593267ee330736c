#pragma once
// The interface of a scheduling policy: from the warps that can issue, pick one. A policy is one file in
// policies/ and one line in registry.def; it owns no warp state.
#include <cstdint>
#include <memory>

namespace warpscope {

/// A resident warp of one core, numbered in the core's visiting order (see VisitOrder). A slot's numbers are
/// used again by the work-group that takes the slot next.
using WarpIndex = std::uint32_t;

/// The warps that are before an access, as a policy sees them. Never empty during pick().
class ReadyWarps {
 public:
  virtual ~ReadyWarps() = default;
  [[nodiscard]] virtual std::uint32_t size() const = 0;
  [[nodiscard]] virtual bool contains(WarpIndex index) const = 0;
  /// First ready warp at `from` or after it, then from the beginning again. Any `from` is allowed.
  [[nodiscard]] virtual WarpIndex next_from(WarpIndex from) const = 0;
  /// Ready warp by number, 0 .. size() - 1, in an order that means nothing but is the same in every run.
  [[nodiscard]] virtual WarpIndex at(std::uint32_t number) const = 0;
};

/// What a policy schedules, and how a core numbers it.
enum class VisitOrder : std::uint8_t {
  /// Warp 0 of every resident group, then warp 1 of every resident group, …
  WarpByWarp,
  /// Single work-items (warp width 1) along the rows of the NDRange, dimension 0 fastest. If not all
  /// work-groups of the core are resident at once: work-group after work-group.
  WorkItems,
};

/// One per core and launch.
class WarpScheduler {
 public:
  virtual ~WarpScheduler() = default;
  /// The warp that makes the core's next access; must be in `ready`. Called once per access.
  virtual WarpIndex pick(const ReadyWarps& ready) = 0;
  /// The picked warp made its last access. Comes before its slot can be taken.
  virtual void finished(WarpIndex /*index*/) {}
};

/// `seed` differs from core to core; policies without random choices ignore it.
using SchedulerFactory = std::unique_ptr<WarpScheduler> (*)(std::uint64_t seed);

}  // namespace warpscope
