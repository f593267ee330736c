#pragma once
// What the warps of one core do in the first cycles of a launch: a bounded record, for pictures.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "timed/issue/issue_stage.h"

namespace warpscope::timed {

class Timeline {
 public:
  /// At most so many stretches and issues; beyond them the record ends early.
  static constexpr std::size_t kMost = 12'000;

  /// A warp's stay in one state. Cycles count from the beginning of the launch.
  struct Stretch {
    std::uint32_t warp = 0;   ///< place on the core
    std::uint32_t group = 0;  ///< work-group that it belongs to
    Cycle from = 0, to = 0;
    WarpState state = WarpState::Absent;
  };
  struct Issue {
    Cycle at = 0;
    std::uint32_t warp = 0;
    bool memory = false;
  };
  /// Transactions that the L1 looked up in a cycle.
  struct LookUps {
    Cycle at = 0;
    std::uint64_t hits = 0, others = 0;
  };

  /// Records cycles [began, began + cycles).
  Timeline(Cycle began, Cycle cycles) : began_(began), cycles_(cycles) {}

  [[nodiscard]] bool records(Cycle now) const { return now < began_ + cycles_; }
  void begin_warp(std::uint32_t warp, std::uint32_t group) {
    if (warps_.size() <= warp) warps_.resize(warp + 1);
    warps_[warp].group = group;
  }
  /// From `now` on the warp is in `state`.
  void become(std::uint32_t warp, WarpState state, Cycle now) {
    if (!records(now) || warp >= warps_.size()) return;
    Current& current = warps_[warp];
    if (current.state == state) return;
    end_stretch(warp, now - began_);
    current.state = state;
    current.since = now - began_;
  }
  void issue(std::uint32_t warp, bool memory, Cycle now) {
    if (!records(now)) return;
    issues_.push_back({now - began_, warp, memory});
    bound();
  }
  void look_ups(Cycle now, std::uint64_t hits, std::uint64_t others) {
    if (records(now) && hits + others != 0) look_ups_.push_back({now - began_, hits, others});
  }
  /// The launch ends at `last`: nothing is recorded after this.
  void end(Cycle last) {
    cycles_ = std::min(cycles_, last - began_);
    for (std::uint32_t warp = 0; warp < warps_.size(); ++warp) end_stretch(warp, cycles_);
  }

  [[nodiscard]] Cycle cycles() const { return cycles_; }
  [[nodiscard]] const std::vector<Stretch>& stretches() const { return stretches_; }
  [[nodiscard]] const std::vector<Issue>& issues() const { return issues_; }
  [[nodiscard]] const std::vector<LookUps>& looked_up() const { return look_ups_; }

 private:
  struct Current {
    WarpState state = WarpState::Absent;
    Cycle since = 0;
    std::uint32_t group = 0;
  };
  void end_stretch(std::uint32_t warp, Cycle at) {
    Current& current = warps_[warp];
    if (current.state != WarpState::Absent && at > current.since)
      stretches_.push_back({warp, current.group, current.since, at, current.state});
    current.state = WarpState::Absent;
    bound();
  }
  void bound() {
    if (stretches_.size() < kMost && issues_.size() < kMost) return;
    const Cycle last =
        std::max(stretches_.empty() ? 0 : stretches_.back().to, issues_.empty() ? 0 : issues_.back().at + 1);
    cycles_ = std::min(cycles_, last);
  }

  Cycle began_, cycles_;
  std::vector<Current> warps_;  ///< indexed by place
  std::vector<Stretch> stretches_;
  std::vector<Issue> issues_;
  std::vector<LookUps> look_ups_;
};

}  // namespace warpscope::timed
