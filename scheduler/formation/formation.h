#pragma once
// Which lanes form a warp, if that is decided repeatedly while a work-group runs, and how full the warps are then.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scheduler/replay/path_cursor.h"
#include "scheduler/replay/replay_plan.h"

namespace warpscope {

enum class Formation : std::uint8_t {
  Static,   ///< neighbouring work-items for good, with a stack of their own; as the usual replay
  Dynamic,  ///< work-items of all warps that come to the same block, each in the lane it began in; the lowest block goes first
  Majority,  ///< the same, but the block with most work-items goes first
  Large,     ///< several warps share a stack; each instruction goes in as few warps as the lanes allow
};
struct FormationInfo {
  const char* name;
  const char* help;
  const char* source;
  Formation formation;
};
/// Throws InputError that lists the known names.
const FormationInfo& formation_named(const std::string& name);
std::span<const FormationInfo> formations();

/// Instructions of the blocks that were executed, as warps issue them and as work-items execute them.
struct FormationCounts {
  std::uint64_t warp_instructions = 0, lane_instructions = 0;
};

/// Work-items that issue together: the number of the work-item by lane, kNoItem where there is none.
using FormedWarp = std::vector<std::uint32_t>;
constexpr std::uint32_t kNoItem = ~std::uint32_t{0};
/// Warps of a large warp: 8 of 32 lanes, as Narasiman et al. took.
constexpr std::uint32_t kWarpsOfLarge = 8;

/// Warps at one place: from `step` of `block` on, to the block's end or its next barrier.
struct FormedIssue {
  std::uint32_t block = 0, step = 0;
  std::vector<FormedWarp> warps;
};

/// Control flow of work-items whose warps are formed together. Order of calls: next(), then leave() or wait() for what it gave.
class WarpFormer {
 public:
  virtual ~WarpFormer() = default;
  /// What is executed next; empty `warps`: nothing before release(), or never again.
  virtual FormedIssue next() = 0;
  /// The warps of `issue` are at the end of their block. Throws PathDamage.
  virtual void leave(const FormedIssue& issue) = 0;
  /// The warps of `issue` are at the barrier before `step`.
  virtual void wait(const FormedIssue& issue, std::uint32_t step) = 0;
  /// The barrier opens. True if anybody waited.
  virtual bool release() = 0;
};

/// What all formers of a work-group share; outlives them.
struct FormerContext {
  const ReplayPlan& plan;
  std::vector<PathCursor>& paths;  ///< indexed by work-item
  std::uint32_t warp_size = 32;
};

/// Work-items `first` … `end` - 1 with one SIMT stack: diverged ones meet again at the immediate post-dominator. Static: at most one
/// warp of them. Large (V. Narasiman, M. Shebanow, C. Lee, R. Miftakhutdinov, O. Mutlu, Y. Patt, "Improving GPU Performance via Large
/// Warps and Two-Level Warp Scheduling", MICRO 2011, doi 10.1145/2155620.2155656, section 3.1): a sub-warp takes at most one
/// work-item of each lane, so there are as many as the fullest lane has active work-items.
std::unique_ptr<WarpFormer> make_stack_former(const FormerContext& context, std::uint32_t first,
                                              std::uint32_t end);

/// Dynamic warp formation over all work-items of a work-group (W. Fung, I. Sham, G. Yuan, T. Aamodt, MICRO 2007, doi
/// 10.1109/MICRO.2007.30, section 4): a work-item keeps its lane. Those that come to a block join the warp under construction there; who
/// finds the lane taken begins the next one. Of the paper's heuristics two: the lowest block goes first, or, `by_majority`, the one where
/// most work-items are.
std::unique_ptr<WarpFormer> make_pool_former(const FormerContext& context, std::uint32_t items,
                                             bool by_majority);

}  // namespace warpscope
