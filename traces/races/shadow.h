#pragma once
// What the work-items of one work-group have done to local memory since their last barrier, and the pairs of accesses
// in it that nothing orders.
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "traces/races/race_plan.h"

namespace warpscope {

/// Which meetings of a warp its lanes know of: a vector clock for each lane.
class WarpClock {
 public:
  /// Another warp begins: nothing has happened in it.
  void begin(std::uint32_t lanes);
  /// The lanes of `set` have waited for each other, and know what each of them did or knew before.
  void meet(LaneMask set);
  [[nodiscard]] std::uint32_t now() const { return now_; }
  /// Those of `others` whose accesses at time `when` are not known to `lane`.
  [[nodiscard]] LaneMask unordered(std::uint32_t lane, LaneMask others, std::uint32_t when) const {
    if (when <= all_before_) return 0;
    return when == now_ ? others : unordered_slow(lane, others, when);
  }
  /// Whether all lanes know of everything up to `when`.
  [[nodiscard]] bool known_to_all(std::uint32_t when) const { return when <= all_before_; }

 private:
  [[nodiscard]] LaneMask unordered_slow(std::uint32_t lane, LaneMask others, std::uint32_t when) const;

  std::uint32_t lanes_ = 0;
  std::uint32_t now_ = 1;         ///< meetings so far, plus 1
  std::uint32_t all_before_ = 0;  ///< last time that all lanes know of
  std::array<std::array<std::uint32_t, kMaxWarpSize>, kMaxWarpSize> known_{};  ///< [lane][of which lane]
};

/// Which warps know of what others did before barriers of parts of the work-group. Nothing is counted where there are none.
class GroupClock {
 public:
  /// Everybody knows of everything.
  void restart();
  /// What a warp did is known to those who go on at the barrier.
  void arrive(std::uint32_t warp, std::uint32_t barrier);
  void meet(const std::vector<std::uint32_t>& warps, std::uint32_t barrier);
  [[nodiscard]] std::uint32_t now(std::uint32_t warp) const {
    return warp < known_.size() ? known_[warp][warp] + 1 : 1;
  }
  /// Whether `warp` knows what `other` did at `when`.
  [[nodiscard]] bool knows(std::uint32_t warp, std::uint32_t other, std::uint32_t when) const {
    return warp < known_.size() && other < known_[warp].size() && known_[warp][other] >= when;
  }

 private:
  using Known = std::vector<std::uint32_t>;  ///< by warp: up to when what it did is known
  static void learn(Known& known, const Known& other);
  Known& of(std::uint32_t warp);

  std::vector<Known> known_;
  std::array<Known, kNamedBarriers> at_;  ///< by barrier: of those who have come
};

/// Two accesses that race, by their index in the plan, the lower one first.
struct RacePair {
  std::uint32_t first = 0, second = 0;
  bool one_warp = false;  ///< the work-items are in one warp
  bool together = false;  ///< of one warp, which makes both by one execution of one instruction
  BufferId buffer;
  auto operator<=>(const RacePair&) const = default;
};

/// The first time that a pair was seen in a work-group.
struct RaceExample {
  WorkItemId first, second;  ///< the two work-items in the order of the pair
  std::uint64_t offset = 0;  ///< offset in the buffer of the first common bytes
};

class Shadow {
 public:
  Shadow(const RacePlan& plan, std::uint32_t warp_size)
      : plan_(plan), warp_size_(warp_size), turns_(plan.sites.size() * warp_size) {}

  /// A barrier of the work-group, or another work-group: what was before is ordered.
  void next_interval() {
    ++interval_;
    group_clock_.restart();
  }
  /// The accesses of another warp follow.
  void begin_warp(std::uint32_t warp, std::uint32_t lanes) {
    warp_ = warp;
    ++visit_;
    clock_.begin(lanes);
    turns_.assign(turns_.size(), 0);
  }
  [[nodiscard]] WarpClock& clock() { return clock_; }
  [[nodiscard]] GroupClock& group_clock() { return group_clock_; }
  void access(std::uint32_t site, std::uint32_t lane, BufferAddr where);

  [[nodiscard]] const std::map<RacePair, RaceExample>& found() const { return found_; }

 private:
  /// An access of the current warp: how often its lane has come to the site since it began.
  struct Lane {
    std::uint32_t site, lane, turn;
  };
  /// Accesses of the current warp to a cell by one site at one time.
  struct Own {
    std::uint32_t site, when;
    LaneMask lanes;
    std::uint32_t turn;
    bool several_turns = false;
  };
  /// Accesses to a cell by one site: two work-items of different warps say all; with barriers of parts of the work-group one of each warp.
  struct Any {
    std::uint32_t site, first, second;
    std::uint32_t when = 1;  ///< GroupClock::now() of the first one's warp
  };
  struct Cell {
    std::uint64_t interval = 0;
    std::uint64_t visit = 0;
    std::vector<Own> own;
    std::vector<Any> any;
  };

  Cell* cell_at(BufferAddr where);
  void access_cell(Cell& cell, const Lane& now, BufferAddr where);
  void against_own(Cell& cell, const Lane& now, BufferAddr where);
  void against_others(Cell& cell, std::uint32_t site, std::uint32_t item, BufferAddr where);
  void against_any(Cell& cell, std::uint32_t site, std::uint32_t item, BufferAddr where);
  void report(RacePair pair, std::uint32_t first, std::uint32_t second, BufferAddr where);
  [[nodiscard]] RaceKind kind_of(std::uint32_t site) const { return plan_.sites[site].kind; }

  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  /// Of a work-group; beyond all local memories. Of what else it accesses the first ones are checked.
  static constexpr std::uint64_t kMostCells = 1u << 20;

  const RacePlan& plan_;
  std::uint32_t warp_size_;
  std::uint64_t interval_ = 1;
  std::uint64_t visit_ = 0;  ///< of a warp by begin_warp(): in it nobody waits for another warp
  std::uint32_t warp_ = 0;
  WarpClock clock_;
  GroupClock group_clock_;
  std::vector<std::uint32_t> turns_;               ///< of the current warp, by site and lane
  std::unordered_map<std::uint64_t, Cell> cells_;  ///< by the key of their first byte
  std::map<RacePair, RaceExample> found_;
};

}  // namespace warpscope
