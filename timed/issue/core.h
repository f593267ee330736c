#pragma once
// One core, cycle by cycle: its warps go through warp schedulers, load-store units and L1. It advances by windows: what it
// sends to the memory in one window comes back in a later one.
//
// Order inside a cycle: data arrives and pauses end; every scheduler issues; the load-store units look up.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "scheduler/replay/warp_replay.h"
#include "scheduler/replay/work_group_source.h"
#include "timed/issue/core_counts.h"
#include "timed/issue/event_wheel.h"
#include "timed/issue/fetch.h"
#include "timed/issue/flights.h"
#include "timed/issue/issue_stage.h"
#include "timed/issue/load_store_unit.h"
#include "timed/issue/memory_port.h"
#include "timed/issue/resident_groups.h"
#include "timed/issue/timeline.h"
#include "timed/issue/warp_cycles.h"
#include "timed/memory/l1_watch.h"
#include "timed/program/machine_walk.h"
#include "timed/program/warp_walk.h"

namespace warpscope::timed {

/// What the cores of a launch share; all of it outlives them.
struct CoreSetup {
  const WorkGroupSource& source;
  ReplayContext replay;
  const Program& program;
  const MachineProgram* machine;  ///< in place of `program`: the capture has machine code; else null
  const TimedConfig& config;
  AccessLines& lines;
  std::vector<WarpStallCounts>& stalls;  ///< of machine code, by instruction: gets what the warps did
  std::uint32_t slots = 1;               ///< work-groups that a core holds at once
  WarpAccessSink* tap = nullptr;         ///< sees every access in order of issue; may be null
  Timeline* timeline = nullptr;          ///< records what the warps of this core do; may be null
};

/// From cycle `at` on a core has `more` warps than before.
struct WarpChange {
  Cycle at = 0;
  std::int64_t more = 0;
};

class Core {
 public:
  /// `watches_l1`: collect l1_events().
  Core(const CoreSetup& setup, std::uint32_t id, bool watches_l1);
  virtual ~Core() = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Simulates up to cycle `end`, not included.
  /// Cores with AccessLines and PatternMemory of their own may do so at the same time.
  void advance(Cycle end) {
    if (own_from_) start_own_groups(*own_from_);
    own_from_.reset();
    prefetch_replies();
    run(end);
    issue_.count_all(now_, counts_.schedulers.data());
  }

  /// The host fetches what the next advance() reads in any case, while another core advances.
  void prefetch() const;

  /// A work-group is to take a free slot in cycle `at`, which is not before the current one. Its first warp can issue then (not while warps
  /// of other work-groups are started), every other one warp_start_cycles after its predecessor.
  void give_group(WorkGroupId group, Cycle at);
  /// Work-groups that this core starts by itself, one per freed slot, in this order (static placement); the first
  /// ones from cycle `at` on.
  void set_own_groups(std::vector<WorkGroupId> groups, Cycle at);
  /// No work-group, and nothing in the load-store units.
  [[nodiscard]] bool idle() const;
  /// The cycle after the last one in which a warp ended.
  [[nodiscard]] Cycle finished_at() const { return groups_.finished_at(); }
  /// Of an idle() core: the first cycle in which it was.
  [[nodiscard]] Cycle idle_at() const;
  /// No work-group ends before this cycle, nor one that has yet to start; at most `limit`.
  [[nodiscard]] Cycle earliest_end(Cycle limit) const;
  /// Warps that came and left, with the first cycle in which they count; whoever looks empties it.
  std::vector<WarpChange>& warp_changes() { return warp_changes_; }
  std::vector<FreedSlot>& freed() { return groups_.freed(); }

  std::vector<MemoryRequest>& outbox() { return port_.outbox(); }
  void receive(const MemoryReply& reply) { port_.receive(reply); }

  void set_now(Cycle now) {
    now_ = now;
    issue_.begin(now);
  }
  [[nodiscard]] const CoreCounts& counts() const { return counts_; }

 protected:
  virtual void run(Cycle end) = 0;
  // What a policy's core needs in its cycle loop.
  void begin_cycle() {
    if (!given_.empty() && given_.front().at <= now_) start_due_groups();
    if (port_.next_reply() <= now_) take_replies();
    if (wheel_.has(now_)) take_events();
    issue_.end_pauses(now_, [this](std::uint32_t number) {
      issue_.make_ready(issue_.scheduler_of(number), issue_.place_of(number), warps_[number].at.unit);
      if (stalls_) note_ready(number, now_);
    });
  }
  void issue(std::uint32_t scheduler, WarpPlace place);
  void end_cycle() {
    if (next_look_up() > now_) return;
    setup_.timeline == nullptr ? look_up() : look_up_recorded();
  }
  /// Counts the cycles up to the next one in which something can happen, at most `end`, and goes there;
  /// `issued`: a bit per scheduler that issued in this one. If warps that can issue were held back, that is the next cycle.
  void skip(Cycle end, std::uint32_t issued);
  /// A scheduler issues in this cycle.
  void count_issue(std::uint32_t scheduler) {
    issue_.count_issue(scheduler, now_, counts_.schedulers[scheduler]);
  }
  /// The policy let none of the warps issue that could: this cycle, which is counted as one of issue, is not.
  void count_held_back(std::uint32_t scheduler) {
    SchedulerCounts& counts = counts_.schedulers[scheduler];
    --counts.issue_cycles;  // modulo 2^64, until count_issue() adds it again
    ++counts.stalls[static_cast<std::size_t>(StallReason::HeldBack)];
  }
  /// Warps of a scheduler, among those that can issue, whose next instruction is a load.
  [[nodiscard]] PlaceMask loading(std::uint32_t scheduler, PlaceMask ready) const;
  /// What the L1s did since the last call that emptied it; only of a core that was told to watch them.
  std::vector<L1Event>& l1_events() { return watch_->events(); }
  virtual void on_arrived(std::uint32_t scheduler, WarpPlace place) = 0;
  virtual void on_left(std::uint32_t scheduler, WarpPlace place) = 0;

  [[nodiscard]] Cycle now() const { return now_; }
  [[nodiscard]] const IssueConfig& config() const { return setup_.config.issue; }
  [[nodiscard]] const IssueStage& schedulers() const { return issue_; }

 private:
  /// What machine code needs for nearly every instruction is in the first line of the host's cache.
  struct alignas(64) Warp {
    WalkingWarp walking;
    Cycle earliest = 0;       ///< earliest cycle of its next instruction
    Token copies = kNoToken;  ///< of machine code: copies that no LDGDEPBAR has closed yet
    std::uint16_t slot = 0;
    std::uint8_t long_counters =
        0;  ///< of machine code: a bit per counter, which an access to global memory set last
    ProgramPosition at;
    Cycle drained = 0;                     ///< of machine code: when its stores so far have reached the L2
    std::uint32_t line = kNoLine;          ///< of machine code: the instructions that it has asked for
    std::uint16_t constant = kNoConstant;  ///< the line of constants that it has waited for
    std::uint32_t late = 0;  ///< part of a cycle that `earliest` leaves out, in 1 / Op::kGapsPerCycle
  };
  /// Of a scheduler's memory queue: from issue to a free entry if nothing is in the way, and from one address to the next (R. Huerta et al., MICRO 2025,
  /// table 1).
  static constexpr Cycle kEntryCycles = 11, kAddressCycles = 4;
  static constexpr std::size_t kHotOfWarp = 64;  ///< bytes
  static constexpr std::uint32_t kNoLine = ~0u;
  /// Mark events of the wheel: a load is complete; the pause of a warp ends that is before an instruction. Without a
  /// mark, one ends of a warp that has yet to walk.
  static constexpr std::uint32_t kDone = 1u << 31, kAtInstruction = 1u << 30;
  /// Also without a warp: an entry of a scheduler's memory queue is free; an access enters the load-store unit of the number times kEnters' step.
  static constexpr std::uint32_t kFreesEntry = 1u << 29, kEnters = 1u << 28, kUnitStep = 1u << 8;

  struct GivenGroup {
    WorkGroupId group;
    std::uint32_t slot = 0;
    Cycle at = 0;
  };

  void start_due_groups();
  void start_group(const GivenGroup& given);
  void start_own_groups(Cycle at);
  void load_warp(std::uint32_t number, std::uint32_t slot, WarpId in_group, Cycle at);
  void move(std::uint32_t warp, Cycle turn);
  void go_past_barrier(Cycle turn);
  bool walk(std::uint32_t warp, Cycle turn);
  void stop(std::uint32_t warp, WarpWalk::Next at, Cycle turn);
  /// For memory or at a barrier.
  void wait(std::uint32_t warp, WarpState state) {
    issue_.make_wait(warp, state);
    if (setup_.timeline != nullptr) setup_.timeline->become(warp, state, now_);
  }
  void prefetch_replies() const;
  void take_replies();
  void take_events();
  void look_up();
  void look_up_recorded();
  /// When some load-store unit next looks up lines.
  [[nodiscard]] Cycle next_look_up() const {
    Cycle next = kNever;
    for (const LoadStoreUnit& unit : units_) next = std::min(next, unit.next_look_up());
    return next;
  }
  /// `mark`: none or kAtInstruction.
  void pause(std::uint32_t warp, std::uint32_t mark) {
    if (setup_.timeline != nullptr) setup_.timeline->become(warp, WarpState::Pause, now_);
    wheel_.add_own(now_, warps_[warp].earliest, warp, warp | mark);
  }
  void become_ready(std::uint32_t warp, Cycle turn) {
    issue_.make_ready(issue_.scheduler_of(warp), issue_.place_of(warp), warps_[warp].at.unit);
    if (stalls_) note_ready(warp, turn);
    if (setup_.timeline != nullptr) setup_.timeline->become(warp, WarpState::Ready, turn);
  }
  /// A warp of machine code can issue from cycle `at` on.
  void note_ready(std::uint32_t warp, Cycle at) {
    stalls_->ready(warp, warps_[warp].at.op->number, at, busy(warp, at));
  }
  /// Of a warp before an instruction of machine code: how long its unit has been busy.
  [[nodiscard]] Cycle busy(std::uint32_t warp, Cycle at) const {
    return issue_.busy_until(issue_.scheduler_of(warp), warps_[warp].at.unit, at);
  }
  /// Of a warp that has walked on to an instruction: the host fetches what an access needs.
  void prefetch_access(const Warp& warp) const {
    if (warp.at.unit != Unit::Memory) return;
    if (!machine_)
      warp.walking.group->prefetch_access(warp.walking.number, SiteId(warp.at.site));
    else if (warp.at.op->accesses != 0)
      warp.walking.group->prefetch_access(warp.walking.number, SiteId(warp.at.op->site));
  }
  /// A warp that is before an instruction.
  void pause_or_become_ready(std::uint32_t warp, Cycle turn) {
    if (fetches_instructions_) fetch_instructions(warp);
    const Cycle until = warps_[warp].earliest;
    if (until <= turn) return become_ready(warp, turn);
    // A timeline records what a cycle does in the order of the wheel.
    if (IssueStage::takes_pause(now_, until) && setup_.timeline == nullptr)
      issue_.pause(warp, until);
    else
      pause(warp, kAtInstruction);
  }
  void open_barrier_if_full(std::uint32_t slot, Cycle turn);
  void finish_warp(std::uint32_t warp, Cycle turn);
  void issue_instruction(std::uint32_t scheduler, WarpPlace place, Warp& warp);
  void issue_access(std::uint32_t scheduler, WarpPlace place, Warp& warp);
  void issue_machine(std::uint32_t scheduler, WarpPlace place, Warp& warp);
  void fetch_instructions(std::uint32_t number);
  [[nodiscard]] bool waits_for_constant(std::uint32_t scheduler, WarpPlace place, Warp& warp);
  [[nodiscard]] WarpStall throttle_of(const MachineOp& op) const;
  void set_counters(std::uint32_t number, Warp& warp, const MachineOp& op);
  void make_accesses(std::uint32_t number, Warp& warp, const MachineOp& op);
  void push(std::uint32_t number, Token token, Cycle at, bool is_first);
  void free_entry(std::uint32_t scheduler);
  void close_copies(Warp& warp, std::uint8_t counter);
  [[nodiscard]] static std::uint32_t instruction_of(const Warp& warp);
  void count_wait(std::uint32_t number);
  void find_jump(std::uint32_t number, std::uint32_t branch, Warp& warp);
  [[nodiscard]] Cycle earliest_end_of(std::uint32_t number) const;
  bool drains(std::uint32_t number, Warp& warp, Cycle turn);
  void pass_barrier(std::uint32_t number, Warp& warp);
  static void set_long(Warp& warp, const MachineOp& op, bool is_long);
  void count_on(std::uint32_t number, std::uint8_t counter, Cycle until);
  [[nodiscard]] WarpWalk::Next advance(Warp& warp) {
    return machine_ ? machine_->advance(warp.at, warp.walking) : walk_.advance(warp.at, warp.walking);
  }
  [[nodiscard]] bool next_loads(const ProgramPosition& at) const;
  [[nodiscard]] bool waits_on(std::uint32_t number) const;
  void arrive(const MemoryReply& reply);
  void part_arrived(Token token);
  void complete(Token token);
  [[nodiscard]] Cycle next_cycle(Cycle end) const;
  void note_warps(std::uint32_t warps) {
    warp_changes_.push_back({now_, std::int64_t{warps} - warps_noted_});
    warps_noted_ = warps;
  }

  CoreSetup setup_;
  std::uint32_t id_;
  Cycle now_ = 0;
  Cycle started_until_ = 0;        ///< the core is busy with starting warps
  Cycle warp_ended_at_ = kNever;   ///< the last cycle in which one did
  std::uint32_t warps_noted_ = 0;  ///< the sum of all warp_changes_ so far
  std::vector<WarpChange> warp_changes_;
  CoreCounts counts_;
  std::deque<GivenGroup> given_;   ///< work-groups that have not started, sorted by `at`
  std::optional<Cycle> own_from_;  ///< cycle at which the core starts its own first work-groups
  ResidentGroups groups_;
  std::vector<Warp> warps_;
  WarpWalk walk_;
  std::optional<MachineWalk> machine_;
  std::optional<WarpCycles> stalls_;  ///< only of machine code
  std::optional<Fetch> fetch_;        ///< absent: instructions and constants are there
  struct MemoryQueue {
    std::uint32_t used = 0;
    Cycle next = 0;  ///< when it calculates the next address
  };
  std::vector<MemoryQueue> memory_queues_;  ///< by scheduler; empty: they have none
  bool fetches_instructions_ = false, fetches_operands_ = false;
  Flights flights_;
  MemoryPort port_;
  std::optional<L1Watch> watch_;
  std::vector<LoadStoreUnit> units_;
  IssueStage issue_;
  EventWheel wheel_;
  std::deque<std::uint32_t> past_barrier_;  ///< warps that a barrier let through and that have yet to walk on
  WarpAccess access_;
};

}  // namespace warpscope::timed
