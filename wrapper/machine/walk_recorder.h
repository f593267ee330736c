#pragma once
// Records which lanes of a warp of machine code go on together, block by block, in the order executed.
#include <cstdint>
#include <vector>

#include "machine/describe/flow.h"
#include "machine/execute/group.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {

/// Of one work-group.
class WalkRecorder {
 public:
  /// Lanes may part and meet so often in a work-group.
  static constexpr std::uint64_t kMostTurns = 1U << 23;

  /// `flow` outlives this.
  WalkRecorder(const machine::CodeFlow& flow, std::size_t warps) : flow_(flow), warps_(warps) {}

  /// As in machine::Observer. Both throw ExecutionFault beyond kMostTurns, and where no block is.
  void came(const machine::Warp& warp);
  /// `access`: its number among those of the instruction (machine::Observer::fetched()).
  void guarded(const machine::Warp& warp, machine::LaneSet lanes, unsigned access = 0);
  /// When the work-group has ended; what is recorded is gone afterwards.
  GroupWalks take(machine::Group& group);

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  struct WarpState {
    WarpWalk walk;
    WalkHash hash;
    std::uint32_t next = kNowhere;  ///< instruction behind the last guarded access, since the lanes went on
  };

  /// The active lanes have executed the instructions from where they were to `end`, exclusive.
  void pass(WarpState& state, const machine::Warp& warp, std::uint32_t end);
  /// Throws ExecutionFault for kNoBlock: lanes of damaged code may come to where nothing leads.
  static std::uint32_t known(std::uint32_t block);
  void enter(WarpState& state, std::uint32_t block, machine::LaneSet lanes, machine::LaneSet exited);

  const machine::CodeFlow& flow_;
  std::vector<WarpState> warps_;
  std::uint64_t turns_ = 0;
};

}  // namespace warpscope
