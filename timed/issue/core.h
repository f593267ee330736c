#pragma once
// One core, cycle by cycle: warp schedulers, scoreboards, load-store unit, L1. It advances by windows: what
// it sends to the memory in one window comes back in a later one.
//
// Order inside a cycle: data arrives and pauses end; every scheduler issues; the load-store unit looks up.
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "scheduler/replay/warp_replay.h"
#include "scheduler/replay/work_group_source.h"
#include "timed/issue/core_counts.h"
#include "timed/issue/event_wheel.h"
#include "timed/issue/issue_policy.h"
#include "timed/issue/program.h"
#include "timed/memory/access_lines.h"
#include "timed/memory/l1.h"
#include "timed/memory/memory_system.h"

namespace warpscope::timed {

/// What the cores of a launch share; all of it outlives them.
struct CoreSetup {
  const WorkGroupSource& source;
  ReplayContext replay;
  const Program& program;
  const TimedConfig& config;
  AccessLines& lines;
  std::uint32_t slots = 1;        ///< work-groups that a core holds at once
  WarpAccessSink* tap = nullptr;  ///< sees every access in order of issue; may be null
};

/// Work-group slots that became free, for the dispatcher.
struct FreedSlot {
  Cycle time = 0;
  WorkGroupId finished;
};

class Core {
 public:
  /// Warps that a scheduler can hold.
  static constexpr std::uint32_t kPlaces = 64;

  Core(const CoreSetup& setup, std::uint32_t id);
  virtual ~Core() = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Simulates up to cycle `end`, not included.
  virtual void run(Cycle end) = 0;

  /// A work-group takes a free slot; its warps can issue from cycle `at` on (not before the current one).
  void start_group(WorkGroupId group, Cycle at);
  [[nodiscard]] std::uint32_t free_slots() const { return free_slots_; }
  /// No work-group, and nothing in the load-store units.
  [[nodiscard]] bool idle() const;
  /// The cycle after the last one in which a warp ended.
  [[nodiscard]] Cycle finished_at() const { return finished_at_; }
  /// Work-groups that this core starts by itself, one per freed slot, in this order (static placement).
  void set_own_groups(std::vector<WorkGroupId> groups) { own_groups_ = std::move(groups); }
  void start_own_groups(Cycle at);

  std::vector<MemoryRequest>& outbox() { return outbox_; }
  void receive(const MemoryReply& reply);
  std::vector<FreedSlot>& freed() { return freed_; }

  [[nodiscard]] Cycle now() const { return now_; }
  void set_now(Cycle now) { now_ = now; }
  [[nodiscard]] const CoreCounts& counts() const { return counts_; }
  [[nodiscard]] std::uint32_t resident_warps() const { return resident_warps_; }

 protected:
  enum class State : std::uint8_t { Absent, Ready, Pause, Memory, Barrier };
  struct Segments {
    const Op* op = nullptr;
    const Op* end = nullptr;
  };
  struct Warp {
    Segments now, then;                       ///< what it executes, and what comes behind
    std::uint32_t left = 0;                   ///< instructions of the current op
    std::uint32_t times = 1, then_times = 1;  ///< iterations of an unrolled loop that `now`, `then` stand for
    std::uint32_t site = kNoSite;             ///< before which it will stand at the end of `now`
    std::uint32_t bodies = 0;                 ///< iterations of an unrolled loop so far
    Cycle earliest = 0;                       ///< of its next instruction
    LoadIndex waits_for = kNoLoad;
    State state = State::Absent;
    std::uint8_t unit = 0;  ///< that the next instruction needs
    std::uint32_t slot = 0;
    WarpId in_group;
    std::uint32_t outstanding = 0;  ///< loads
  };
  struct Scheduler {
    std::array<PlaceMask, kUnits> ready{};
    PlaceMask present = 0, pause = 0, memory = 0, barrier = 0;
    std::array<Cycle, kUnits> unit_free{};
    std::array<PlaceMask, kMostLoadStoreUnits> served_by{};  ///< warps by load-store unit
    std::array<std::uint64_t, kPlaces> age{};
  };
  struct Slot {
    std::unique_ptr<GroupReplay> group;
    std::uint32_t unfinished = 0, at_barrier = 0;
  };
  static constexpr std::uint32_t kNoSite = ~0u;
  static constexpr LoadIndex kAllLoads = kNoLoad - 1;

  [[nodiscard]] std::uint32_t warp_index(std::uint32_t slot, std::uint32_t warp) const {
    return setup_.config.issue.interleave_groups ? warp * setup_.slots + slot
                                                 : slot * warps_per_group_ + warp;
  }
  [[nodiscard]] Scheduler& scheduler_of(std::uint32_t warp) { return schedulers_[warp % schedulers_.size()]; }
  [[nodiscard]] PlaceMask place_bit(std::uint32_t warp) const {
    return PlaceMask{1} << (warp / static_cast<std::uint32_t>(schedulers_.size()));
  }

  // What a policy's core needs in its cycle loop.
  void begin_cycle();
  void end_cycle();
  [[nodiscard]] PlaceMask candidates(const Scheduler& scheduler) const;
  void issue(std::uint32_t warp);
  void skip_to(Cycle next, const bool* issued);
  [[nodiscard]] Cycle next_cycle(Cycle end) const;
  virtual void on_arrived(std::uint32_t scheduler, WarpPlace place) = 0;
  virtual void on_left(std::uint32_t scheduler, WarpPlace place) = 0;

  CoreSetup setup_;
  std::uint32_t id_;
  Cycle now_ = 0;
  std::vector<Scheduler> schedulers_;
  CoreCounts counts_;

 private:
  enum class Next : std::uint8_t { Issue, Memory, Barrier, End };
  /// A load on its way.
  struct Flight {
    std::uint32_t warp = 0;
    std::uint32_t missing = 0;  ///< lines, and 1 while it is in the load-store unit
    Cycle issued = 0, not_before = 0;
    LoadIndex load = kNoLoad;
  };
  struct QueuedAccess {
    PreparedAccess access;
    Token token = kNoToken;
    std::uint32_t next = 0;  ///< line to look up
    Cycle began = kNever;    ///< first look-up
    Cycle failing_since = kNever;
  };
  static constexpr Token kNoToken = ~0u;
  /// Marks an event of the wheel: a load is complete. Without it, a warp's pause ends.
  static constexpr std::uint32_t kDone = 1u << 31;
  struct LoadStoreUnit {
    LoadStoreUnit(const L1Config& config, std::uint64_t seed, std::uint64_t private_from)
        : l1(config, seed, private_from) {}
    TimedL1 l1;
    std::vector<QueuedAccess> queue;  ///< a ring
    std::size_t head = 0, queued = 0;
    Cycle lookup_at = 0;   ///< when it takes the next look-ups
    bool blocked = false;  ///< until something arrives
    std::uint8_t number = 0;
  };

  void load_group(std::uint32_t slot, WorkGroupId group, Cycle at);
  void free_slot(std::uint32_t slot);
  Next advance(Warp& warp);
  [[nodiscard]] bool stands_at_barrier(const Warp& warp) const;
  void enter(Warp& warp, Segment segment, std::uint32_t times);
  void leave_site(Warp& warp, const SiteOps& ops);
  void settle(std::uint32_t index, Next next);
  void set_state(std::uint32_t index, State state);
  void arrive_at_barrier(std::uint32_t index);
  void open_barrier_if_full(std::uint32_t slot);
  void go_past_barrier();
  void finish_warp(std::uint32_t index);
  void issue_compute(std::uint32_t index, Warp& warp);
  void issue_access(std::uint32_t index, Warp& warp);
  [[nodiscard]] bool has_room(const LoadStoreUnit& unit) const {
    return queue_limit_ == 0 || unit.queued < queue_limit_;
  }
  /// Warps of a scheduler whose load-store unit takes an access now.
  [[nodiscard]] PlaceMask can_access(const Scheduler& scheduler) const;

  void look_up(LoadStoreUnit& unit);
  bool process(LoadStoreUnit& unit, QueuedAccess& queued);
  bool look_up_line(LoadStoreUnit& unit, QueuedAccess& queued, const LineLookup& lookup);
  bool look_up_load(LoadStoreUnit& unit, QueuedAccess& queued, const LineLookup& lookup,
                    OriginCounts& counts);
  bool look_up_store(LoadStoreUnit& unit, const LineLookup& lookup, OriginCounts& counts);
  void pass_by(LoadStoreUnit& unit, QueuedAccess& queued, const LineLookup& lookup, OriginCounts& counts);
  void send(const LoadStoreUnit& unit, const LineLookup& lookup, MemoryRequest::Kind kind, Token token,
            bool wants_reply);
  void send_write_back(const LoadStoreUnit& unit, const L1Outcome& outcome);
  void finish_access(LoadStoreUnit& unit, QueuedAccess& queued);
  void part_arrived(Token token);
  void complete(Token token);
  QueuedAccess& push_access(LoadStoreUnit& unit);
  Token open_flight(std::uint32_t warp, LoadIndex load);
  void take_replies();
  void arrive(const MemoryReply& reply);
  OriginCounts& origin_counts(OriginId origin);
  [[nodiscard]] StallReason reason_of(const Scheduler& scheduler) const;

  std::uint32_t warps_per_group_;
  std::array<std::uint32_t, kInstructionClasses> gap_{};
  std::vector<Warp> warps_;
  std::vector<std::uint16_t> scoreboard_;  ///< [warp][load]: loads on their way
  std::vector<Slot> slots_;
  std::uint32_t free_slots_, resident_warps_ = 0;
  Cycle finished_at_ = 0;
  bool in_cycle_ = false;                   ///< between begin_cycle() and skip_to()
  bool loading_ = false;                    ///< in load_group()
  bool issuing_ = false;                    ///< the warp that is settled has just issued
  bool passing_barrier_ = false;            ///< in go_past_barrier()
  std::deque<std::uint32_t> past_barrier_;  ///< warps that a barrier let through, not yet settled
  std::vector<WorkGroupId> own_groups_;
  std::size_t next_own_group_ = 0;
  std::uint64_t arrivals_ = 0;
  std::vector<FreedSlot> freed_;

  EventWheel wheel_;
  std::vector<Flight> flights_;
  std::vector<Token> free_flights_;
  std::uint32_t queue_limit_;
  std::vector<LoadStoreUnit> units_;
  RateLimiter request_port_, reply_port_;
  std::vector<MemoryReply> replies_;  ///< a heap by time
  std::vector<MemoryRequest> outbox_;
  std::vector<Token> done_;
  bool memory_is_ideal_;
  WarpAccess access_;
};

}  // namespace warpscope::timed
