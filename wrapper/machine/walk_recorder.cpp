#include "wrapper/machine/walk_recorder.h"

#include <fmt/format.h>

#include <utility>

#include "machine/execute/base/fault.h"
#include "machine/execute/warp.h"

namespace warpscope {

void WalkRecorder::came(const machine::Warp& warp) {
  WarpState& state = warps_[warp.number()];
  pass(state, warp, warp.place() + 1);
  state.next = kNowhere;
}

void WalkRecorder::guarded(const machine::Warp& warp, machine::LaneSet lanes, unsigned access) {
  WarpState& state = warps_[warp.number()];
  if (access == 0) pass(state, warp, warp.place());
  std::uint32_t gate = known(flow_.gate_of(warp.place()));
  for (unsigned before = 0; before < access; ++before) gate = flow_.blocks()[gate].successors[1];
  enter(state, gate, warp.active(), warp.exited());
  if (lanes != 0) state.hash.add(flow_.blocks()[gate].successors[0], lanes);
  state.next = warp.place() + 1;
}

void WalkRecorder::pass(WarpState& state, const machine::Warp& warp, std::uint32_t end) {
  for (std::uint32_t place = state.next != kNowhere ? state.next : warp.begun(); place < end;) {
    const std::uint32_t number = known(flow_.block_of(place));
    const machine::CodeBlock& block = flow_.blocks()[number];
    // Otherwise they entered it before an instruction that made nobody go elsewhere.
    if (block.first == place) enter(state, number, warp.active(), warp.exited());
    place = block.first + block.count;
  }
}

std::uint32_t WalkRecorder::known(std::uint32_t block) {
  if (block != machine::kNoBlock) return block;
  throw machine::ExecutionFault("is reached by a way that the code does not name, which is not recorded");
}

void WalkRecorder::enter(WarpState& state, std::uint32_t block, machine::LaneSet lanes,
                         machine::LaneSet exited) {
  state.hash.add(block, lanes);
  std::vector<WarpTurn>& turns = state.walk.turns;
  if (!turns.empty() && (turns.back().lanes & ~exited) == lanes) {
    ++turns.back().blocks;
    return;
  }
  if (++turns_ > kMostTurns)
    throw machine::ExecutionFault(fmt::format(
        "lanes of the work-group part and meet more than {} times, which is not recorded", kMostTurns));
  turns.push_back({lanes, 1});
}

GroupWalks WalkRecorder::take(machine::Group& group) {
  GroupWalks walks;
  for (const auto& warp : group.warps()) {
    WarpState& state = warps_[warp->number()];
    const std::vector<WarpTurn>& turns = state.walk.turns;
    if (turns.size() == 1 && turns.front().lanes == warp->existing()) state.walk.turns.clear();
    state.walk.hash = state.hash.value();
    walks.add(std::exchange(state.walk, {}));
  }
  return walks;
}

}  // namespace warpscope
