#pragma once
// Divergent control flow of one warp: which lanes execute what next. Lanes with equal paths always move
// together, so the flow works on classes of lanes with one path each.
#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/replay/path_cursor.h"
#include "scheduler/replay/replay_plan.h"
#include "scheduler/replay/walk_trail.h"
#include "traces/base/types.h"

namespace warpscope {

/// What a warp does next.
enum class Pending : std::uint8_t { Access, Barrier, End };

struct WarpPosition {
  Pending pending = Pending::End;
  SiteId site;         ///< site of the access or barrier; several barriers: the lowest lane's
  LaneMask lanes = 0;  ///< lanes that execute it
};

/// The lanes of a warp that follow one path.
struct PathClass {
  PathCursor path;
  LaneMask lanes = 0;
};

/// Hook into the replay: self-check, instruction counts. Called in the order executed.
class ReplayObserver {
 public:
  virtual ~ReplayObserver() = default;
  /// Lanes enter a block.
  virtual void block(WorkGroupId group, WarpId warp, BlockId block, LaneMask lanes) = 0;
  /// Lanes execute a memory instruction, barrier or fence.
  virtual void site(WorkGroupId group, WarpId warp, SiteId site, LaneMask lanes) = 0;
};

/// What a flow reads; all pointers outlive it. `observer` and `trail` may be null.
struct FlowContext {
  const ReplayPlan* plan = nullptr;
  ReplayObserver* observer = nullptr;
  WorkGroupId group;
  WarpId warp;
  WalkTrail* trail = nullptr;      ///< takes every step, in addition to the observer
  const WarpWalk* walk = nullptr;  ///< the warp's recorded walk, if there is one

  void report_block(std::uint32_t block, LaneMask lanes) const {
    if (observer != nullptr) observer->block(group, warp, BlockId(block), lanes);
    if (trail != nullptr) trail->push({TrailStep::Kind::Block, block});
  }
  void report_site(SiteId site, LaneMask lanes) const {
    if (observer != nullptr) observer->site(group, warp, site, lanes);
    if (trail != nullptr) trail->push({TrailStep::Kind::Site, site.value()});
  }
};

/// One reconvergence rule applied to one warp of several path classes (at most kMaxWarpSize).
class DivergentFlow {
 public:
  virtual ~DivergentFlow() = default;
  /// Moves to the next access, barrier or end. After a barrier was returned, the call passes it.
  /// A barrier is returned once every unfinished lane of the warp has arrived at one. Throws PathDamage.
  virtual WarpPosition advance() = 0;
  /// Outcome bits that class `index` has not used.
  [[nodiscard]] virtual std::uint64_t bits_left(std::size_t index) const = 0;
};

/// SIMT stack: diverged lanes meet again at the immediate post-dominator; of divergent paths the one that
/// starts at the lowest block runs first (W. Fung, I. Sham, G. Yuan, T. Aamodt, "Dynamic Warp Formation and
/// Scheduling for Efficient GPU Control Flow", MICRO 2007, doi 10.1109/MICRO.2007.30, section 2.2). Lanes
/// that wait at a barrier while others of the warp have not arrived step aside until they have.
std::unique_ptr<DivergentFlow> make_ipdom_flow(const FlowContext& context, std::vector<PathClass> classes);

/// The rule of Crawford 2014, section 5.3.2: of the lanes' next accesses the earliest in the order of loop
/// snapshots is made, by all lanes that are at it. See scheduler/README.md for how snapshots compare.
std::unique_ptr<DivergentFlow> make_loops_flow(const FlowContext& context, std::vector<PathClass> classes);

/// As the machine did: in the turns of `context.walk`, which is not null.
std::unique_ptr<DivergentFlow> make_executed_flow(const FlowContext& context, std::vector<PathClass> classes);

using FlowFactory = std::unique_ptr<DivergentFlow> (*)(const FlowContext&, std::vector<PathClass>);
/// By name ("ipdom", "loops"); throws InputError that lists the known names.
FlowFactory reconvergence_named(const std::string& name);

}  // namespace warpscope
