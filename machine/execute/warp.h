#pragma once
// A warp: its registers, and the paths on which its lanes are. Paths part at divergent branches and meet where the code says so (BSSY and
// BSYNC, WARPSYNC): lanes are never merged for being at the same place.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/execute/base/operation.h"
#include "machine/execute/base/saved_masks.h"

namespace warpscope::machine {

class Group;
class Code;
class Observer;

constexpr std::uint8_t kUniformPredicates = 8;  ///< places 0 to 7: P0 to PT; 8 to 15: UP0 to UPT
constexpr std::uint8_t kNoPredicate = 16;       ///< what is written to PT

/// Lanes that are at the same instruction, and what they wait for.
struct LanePath {
  enum class Wait : std::uint8_t {
    Nothing,
    ConvergenceBarrier,
    Lanes,
    Collective,
    GroupBarrier,
    ClusterBarrier
  };
  std::uint32_t next = 0;  ///< number of the instruction that they execute next
  LaneSet lanes = 0;
  Wait wait = Wait::Nothing;
  std::uint8_t barrier = 0;  ///< number of the barrier of either kind
  LaneSet needed = 0;        ///< Wait::Lanes, Collective: those that have to come
  std::uint32_t yields = 0;  ///< YIELDs that these lanes have executed without one of them going another way
};

class Warp {
 public:
  static constexpr std::size_t kConvergenceBarriers = 16;

  /// `number` in its group; `lanes`: its work-items that exist.
  Warp(Group& group, const Code& code, std::uint32_t number, LaneSet lanes);

  /// Waiting: it has read the same value of global memory in a loop, so others have to change it.
  enum class State : std::uint8_t { Ready, Waiting, Blocked, Done };
  /// Executes until it is done, waits for others, or `budget` instructions are over. Throws ExecutionFault.
  State run(std::uint64_t& budget);

  [[nodiscard]] const LaneValues& row(std::uint16_t number) const { return rows_[number]; }
  [[nodiscard]] LaneValues& row(std::uint16_t number) { return rows_[number]; }
  [[nodiscard]] const LaneValues& read(bool is_constant, std::uint16_t number) const {
    return (is_constant ? constants_ : rows_.data())[number];
  }
  [[nodiscard]] LaneSet predicate(PredicateSource source) const {
    return predicates_[source.place] ^ (source.negated ? kAllLanes : 0);
  }
  void write_predicate(std::uint8_t place, LaneSet values, LaneSet lanes) {
    predicates_[place] = (predicates_[place] & ~lanes) | (values & lanes);
  }
  [[nodiscard]] LaneSet predicate_at(std::uint8_t place) const { return predicates_[place]; }

  [[nodiscard]] Group& group() const { return group_; }
  [[nodiscard]] std::uint32_t number() const { return number_; }
  /// Lanes on the current path, guard or no guard.
  [[nodiscard]] LaneSet active() const { return path_.lanes; }
  [[nodiscard]] LaneSet existing() const { return existing_; }
  [[nodiscard]] LaneSet exited() const { return exited_; }
  /// Number of the instruction that is executed.
  [[nodiscard]] std::uint32_t place() const { return path_.next; }
  /// Number of the instruction with which the active lanes went on, after they jumped, parted, met or waited.
  [[nodiscard]] std::uint32_t begun() const { return begun_; }
  /// Of each lane the lanes that it waits for at the convergence barrier: lanes in another call of a function have other ones there. `clears`: they
  /// wait for none then; `saves`: put_barrier() may bring them back.
  LaneValues take_barrier(std::uint8_t number, bool clears, bool saves, LaneSet lanes);
  void put_barrier(std::uint8_t number, const LaneValues& masks, LaneSet lanes);
  [[nodiscard]] std::span<std::uint8_t> local_memory(unsigned lane);
  /// The lanes that wait at a barrier of the group.
  [[nodiscard]] LaneSet at_group_barrier(std::uint8_t barrier) const;
  /// A load that other work-groups' stores reach, or an atomic that left memory as it was: the first lane read `value`.
  void polled(std::uint64_t address, std::uint64_t value);
  /// The warp changed memory.
  void changed_memory() { ++changes_; }
  /// mbarrier.try_wait suspends lanes until a phase ends, or for a while. True: at the same instruction it did before, nothing was stored since, and the
  /// phase has ended, whatever the barrier is used for now (PTX ISA, "mbarrier.test_wait, mbarrier.try_wait").
  bool suspend(const std::uint8_t* barrier, bool phase, LaneSet lanes);
  void forget_suspension() { suspension_ = {}; }
  /// As of Cluster.
  void end_phase(const std::uint8_t* barrier, bool phase);
  /// Number of the instruction that reads the same value again and again; nothing after another kind of turn.
  [[nodiscard]] std::optional<std::uint32_t> waits_in_loop() const { return waits_in_loop_; }
  void release_group_barrier(std::uint8_t barrier);
  void release_cluster_barrier();
  /// "lanes 0x1 wait at BSYNC B0, …" for a message about a deadlock.
  [[nodiscard]] const std::vector<LanePath>& waiting() const { return others_; }

 private:
  /// Executes until an instruction decides where the lanes go on, which it returns.
  const Operation& run_plain();
  /// False: the current path has to wait, or is at its end.
  bool flow(const Operation& operation, LaneSet lanes);
  void branch(std::uint32_t target, LaneSet lanes);
  void branch_indirect(const Operation& operation, LaneSet lanes);
  /// Lanes jump to the places of their own, the others of the path go on behind the operation.
  void jump(const Operation& operation, LaneSet lanes, const LaneValues& places);
  /// A call of a function of the system. False: all lanes call others.
  bool call_system(const Operation& operation, LaneSet lanes);
  bool synchronise(const Operation& operation, LaneSet chosen);
  bool warp_sync(const Operation& operation);
  /// WARPSYNC.COLLECTIVE: what is between it and ENDCOLLECTIVE is executed once for all lanes of a mask, wherever in the code they are.
  void begin_collective(const Operation& operation);
  void end_collective(const Operation& operation);
  /// Lets lanes that wait at collectives go on in one body.
  void enter_bodies(LaneSet mask);
  bool group_barrier(const Operation& operation);
  /// Products are of four warps, and over for none of them before all have come to them: PTX ISA, "wgmma.wait_group", which all of them execute.
  bool warp_group_wait();
  void leave(LaneSet lanes);
  void wait(LanePath::Wait wait, std::uint8_t barrier, LaneSet needed);
  /// Makes paths ready whose lanes are all there, after others came or will not come.
  void release();
  bool release_barrier(std::size_t first);
  bool release_lanes(std::size_t first);
  /// Lets the waiting paths go on for which `belongs` holds, those at the same place as one, if all lanes of `needed` are on them. Returns
  /// their lanes.
  template <class Belongs>
  LaneSet release_all(LaneSet needed, Belongs belongs);
  /// Takes lanes out of a barrier, for all lanes whose mask it is.
  void take_out(std::uint8_t barrier, LaneSet mask, LaneSet out);
  [[nodiscard]] LaneSet barrier_of(std::uint8_t barrier, LaneSet lanes) const {
    return barriers_[barrier][static_cast<unsigned>(std::countr_zero(lanes)) & 31] & ~exited_;
  }
  /// Lets those go on that wait at a convergence barrier for lanes which wait elsewhere, and would for ever.
  bool release_from_others();
  /// Lets those go on that wait at a convergence barrier for the lanes of the current path, which wait for something themselves.
  void yield_to_others();
  /// Goes on with another path; false: all wait, or there is none.
  bool take_next();

  Group& group_;
  const Code& code_;
  const LaneValues* constants_;
  std::uint32_t number_;
  LaneSet existing_;
  LaneSet exited_ = 0;
  std::vector<LaneValues> rows_;
  std::array<LaneSet, 17> predicates_{};
  std::array<LaneValues, kConvergenceBarriers> barriers_{};
  SavedMasks saved_;
  LaneValues returns_;  ///< of each lane in a collective: number of the instruction with which it goes on
  LanePath path_;
  std::vector<LanePath> others_;
  std::uint32_t begun_ = 0;
  std::uint32_t since_switch_ = 0;  ///< instructions since another path was taken
  struct Poll {
    std::uint32_t place = 0;
    std::uint64_t changes = 0, address = 0, value = 0;
    bool operator==(const Poll&) const = default;
  };
  struct Suspension {
    const std::uint8_t* barrier = nullptr;
    std::uint64_t changes = 0;
    std::uint32_t place = 0;
    LaneSet lanes = 0;
    bool phase = false;
    bool is_over = false;
  };
  Suspension suspension_;
  std::array<Poll, 8> polls_;  ///< the last ones, by their places
  Poll waited_;                ///< the last one for which others had their turn
  std::uint32_t polled_ = 0;   ///< since one had something new
  std::uint64_t changes_ = 0;  ///< of memory, by this warp
  std::optional<std::uint32_t> waits_in_loop_;
};

}  // namespace warpscope::machine
