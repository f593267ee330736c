// Where the lanes of a warp wait for each other, and which of its paths is taken next.
#include <algorithm>

#include "machine/execute/code.h"
#include "machine/execute/group.h"
#include "machine/execute/read.h"

namespace warpscope::machine {

// A lane that is not among those that its barrier waits for goes on: it came by a way without the BSSY, or has left with BREAK.
bool Warp::synchronise(const Operation& operation, LaneSet chosen) {
  const auto barrier = static_cast<std::uint8_t>(operation.offset);
  const LanePath here = path_;
  LaneSet passes = here.lanes & ~chosen;
  while (chosen != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(chosen));
    const LaneSet mask = barriers_[barrier][first] & ~exited_;
    const LaneSet same =
        chosen & gather_set([&](unsigned i) { return (barriers_[barrier][i] & ~exited_) == mask; });
    chosen &= ~same;
    passes |= same & ~mask;
    if ((same & mask) == 0) continue;
    path_ = {here.next, same & mask};
    wait(LanePath::Wait::ConvergenceBarrier, barrier, 0);
  }
  path_ = {};
  release();
  if (passes != 0) others_.push_back({here.next, passes});
  return false;
}

// Lanes with the same mask wait for each other. Those whose masks are complete go on together, with EXCLUSIVE each mask's on their own: what follows (REDUX,
// VOTE) is of all active lanes.
bool Warp::warp_sync(const Operation& operation) {
  const LaneValues& masks = read(operation.a.is_constant, operation.a.low);
  const LanePath here = path_;
  LaneSet together = 0;
  for (LaneSet rest = here.lanes; rest != 0;) {
    const LaneSet mask = masks[static_cast<unsigned>(std::countr_zero(rest))];
    const LaneSet same = rest & gather_set([&](unsigned i) { return masks[i] == mask; });
    rest &= ~same;
    const bool is_complete = (mask & existing_ & ~exited_ & ~here.lanes) == 0;
    if (is_complete && (operation.bits == 0 || same == here.lanes)) {
      together |= same;
      continue;
    }
    path_ = {here.next, same};
    wait(LanePath::Wait::Lanes, 0, mask);
  }
  path_ = here;
  path_.lanes = together;
  if (together != here.lanes) release();
  return together != 0;
}

void Warp::begin_collective(const Operation& operation) {
  const LaneValues& masks = read(operation.a.is_constant, operation.a.low);
  const LanePath here = path_;
  blend(returns_, same_in_all(operation.target), here.lanes);
  for (LaneSet rest = here.lanes; rest != 0;) {
    const LaneSet mask = masks[static_cast<unsigned>(std::countr_zero(rest))];
    const LaneSet same = rest & gather_set([&](unsigned i) { return masks[i] == mask; });
    rest &= ~same;
    path_ = {here.next + 1, same};
    wait(LanePath::Wait::Collective, 0, mask);
  }
  release();
}

void Warp::end_collective(const Operation& operation) {
  LaneValues places = returns_;
  for_each_lane(path_.lanes, [&](unsigned i) {
    if (places[i] == kNoPlace) places[i] = operation.target;
  });
  blend(returns_, same_in_all(kNoPlace), path_.lanes);
  jump(operation, path_.lanes, places);
}

// ptxas has all lanes keep their operands in the same registers. Lanes that are at one place execute what is there; of lanes at several places all execute what
// is at the first one in the code: which one a GPU executes is not documented.
void Warp::enter_bodies(LaneSet mask) {
  const std::vector<LanePath> all = others_;
  const auto collective_of = [&](const LanePath& path) -> const Operation& {
    return code_.operations()[path.next - 1];
  };
  for (LanePath& path : others_) {
    if (path.wait != LanePath::Wait::Collective || path.needed != mask) continue;
    const Operation& operation = collective_of(path);
    const bool others_elsewhere = std::any_of(all.begin(), all.end(), [&](const LanePath& other) {
      return other.wait == path.wait && other.needed == mask && other.next != path.next &&
             collective_of(other).offset == operation.offset;
    });
    const LanePath current = path_;
    path_ = {path.next - 1, path.lanes};
    if (others_elsewhere) path.next = static_cast<std::uint32_t>(operation.offset);
    if (Observer* observer = group_.launch().observer())
      observer->jump(*this, operation, path.lanes, path.next);
    path_ = current;
    path.wait = LanePath::Wait::Lanes;
  }
}

void Warp::wait(LanePath::Wait what, std::uint8_t barrier, LaneSet needed) {
  path_.wait = what;
  path_.barrier = barrier;
  path_.needed = needed;
  // Those that wait for nothing go to the end, so that all others have their turn.
  others_.insert(what == LanePath::Wait::Nothing ? others_.begin() : others_.end(), path_);
  path_ = {};
}

void Warp::release() {
  std::size_t place = 0;
  while (place < others_.size()) {
    const LanePath::Wait what = others_[place].wait;
    const bool released =
        (what == LanePath::Wait::ConvergenceBarrier && release_barrier(place)) ||
        ((what == LanePath::Wait::Lanes || what == LanePath::Wait::Collective) && release_lanes(place));
    place = released ? 0 : place + 1;
  }
}

void Warp::take_out(std::uint8_t barrier, LaneSet mask, LaneSet out) {
  LaneValues& masks = barriers_[barrier];
  for (unsigned i = 0; i < kLanes; ++i)
    if ((masks[i] & ~exited_) == mask) masks[i] &= ~out;
  saved_.take_out(barrier, mask, out, exited_);
}

LaneValues Warp::take_barrier(std::uint8_t number, bool clears, bool saves, LaneSet lanes) {
  const LaneValues masks = barriers_[number];
  for (LaneSet rest = saves ? lanes : 0; rest != 0;) {
    const LaneSet mask = masks[static_cast<unsigned>(std::countr_zero(rest))];
    const LaneSet same = rest & gather_set([&](unsigned i) { return masks[i] == mask; });
    rest &= ~same;
    saved_.save(number, mask, same);
  }
  if (clears) blend(barriers_[number], same_in_all(0), lanes);
  return masks;
}

void Warp::put_barrier(std::uint8_t number, const LaneValues& masks, LaneSet lanes) {
  LaneValues now = masks;
  for_each_lane(lanes, [&](unsigned i) { now[i] = saved_.restore(number, masks[i], i, exited_); });
  blend(barriers_[number], now, lanes);
}

bool Warp::release_barrier(std::size_t first) {
  const std::uint8_t barrier = others_[first].barrier;
  const LaneSet needed = barrier_of(barrier, others_[first].lanes);
  const LaneSet released = release_all(needed, [&](const LanePath& path) {
    return path.wait == LanePath::Wait::ConvergenceBarrier && path.barrier == barrier &&
           barrier_of(barrier, path.lanes) == needed;
  });
  blend(barriers_[barrier], same_in_all(0), released);
  return released != 0;
}

bool Warp::release_lanes(std::size_t first) {
  const LaneSet mask = others_[first].needed;
  const LaneSet needed = mask & existing_ & ~exited_;
  const auto belongs = [mask](const LanePath& path) {
    return (path.wait == LanePath::Wait::Lanes || path.wait == LanePath::Wait::Collective) &&
           path.needed == mask;
  };
  LaneSet there = 0;
  for (const LanePath& path : others_)
    if (belongs(path)) there |= path.lanes;
  if ((needed & ~there) != 0) return false;
  enter_bodies(mask);
  return release_all(needed, belongs) != 0;
}

template <class Belongs>
LaneSet Warp::release_all(LaneSet needed, Belongs belongs) {
  LaneSet there = 0;
  for (const LanePath& path : others_)
    if (belongs(path)) there |= path.lanes;
  if ((needed & ~there) != 0) return 0;
  std::vector<LanePath> released;
  for (const LanePath& path : others_) {
    if (!belongs(path)) continue;
    const auto same = std::find_if(released.begin(), released.end(),
                                   [&](const LanePath& other) { return other.next == path.next; });
    if (same == released.end())
      released.push_back({path.next, path.lanes});
    else
      same->lanes |= path.lanes;
  }
  std::erase_if(others_, belongs);
  others_.insert(others_.end(), released.begin(), released.end());
  return there;
}

LaneSet Warp::at_group_barrier(std::uint8_t barrier) const {
  LaneSet lanes = 0;
  for (const LanePath& path : others_)
    if (path.wait == LanePath::Wait::GroupBarrier && path.barrier == barrier) lanes |= path.lanes;
  return lanes;
}

void Warp::release_group_barrier(std::uint8_t barrier) {
  for (LanePath& path : others_)
    if (path.wait == LanePath::Wait::GroupBarrier && path.barrier == barrier)
      path.wait = LanePath::Wait::Nothing;
}

void Warp::release_cluster_barrier() {
  for (LanePath& path : others_)
    if (path.wait == LanePath::Wait::ClusterBarrier) path.wait = LanePath::Wait::Nothing;
}

// A lane that waits at WARPSYNC or at a barrier of the group has left what it was in: ptxas (-O0) lets lanes leave a loop to a WARPSYNC of all
// lanes without a BREAK, while others come to the BSYNC of the loop's body.
bool Warp::release_from_others() {
  LaneSet elsewhere = 0;
  for (const LanePath& path : others_)
    if (path.wait != LanePath::Wait::Nothing && path.wait != LanePath::Wait::ConvergenceBarrier)
      elsewhere |= path.lanes;
  for (std::size_t place = 0; place < others_.size(); ++place) {
    const LanePath& path = others_[place];
    if (path.wait != LanePath::Wait::ConvergenceBarrier) continue;
    const LaneSet mask = barrier_of(path.barrier, path.lanes);
    if ((mask & elsewhere) == 0) continue;
    take_out(path.barrier, mask, elsewhere);
    if (release_barrier(place)) return true;
  }
  return false;
}

// Compilers have YIELD in loops that may wait for other lanes, and put the BSYNC before the code that ends the waiting (a spin lock): lanes that
// yield are no longer needed at a barrier (US patent application 2016/0019066, "Execution of divergent threads using a convergence barrier").
// Here only lanes that yield again and again are, since most such loops end soon, and lanes that part make more accesses.
void Warp::yield_to_others() {
  const LaneSet yielding = path_.lanes;
  std::size_t place = 0;
  while (place < others_.size()) {
    const LanePath path = others_[place++];
    if (path.wait != LanePath::Wait::ConvergenceBarrier) continue;
    const LaneSet mask = barrier_of(path.barrier, path.lanes);
    if ((mask & yielding) == 0) continue;
    const LaneSet among_themselves = mask & yielding & gather_set([&](unsigned i) {
                                       return (barriers_[path.barrier][i] & ~exited_) == mask;
                                     });
    take_out(path.barrier, mask, yielding);
    blend(barriers_[path.barrier], same_in_all(among_themselves), among_themselves);
    if (release_barrier(place - 1)) place = 0;
  }
}

bool Warp::take_next() {
  const auto find = [&] {
    return std::find_if(others_.rbegin(), others_.rend(),
                        [](const LanePath& path) { return path.wait == LanePath::Wait::Nothing; });
  };
  auto ready = find();
  if (ready == others_.rend() && release_from_others()) ready = find();
  if (ready == others_.rend()) return false;
  path_ = *ready;
  others_.erase(std::next(ready).base());
  since_switch_ = 0;
  begun_ = path_.next;
  return true;
}

}  // namespace warpscope::machine
