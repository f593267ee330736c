#pragma once
// A launch of machine code: what all of its work-groups share.
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "machine/execute/base/claims.h"
#include "machine/execute/base/device_memory.h"
#include "machine/execute/base/fault.h"
#include "machine/execute/base/observer.h"
#include "machine/execute/base/order.h"
#include "machine/execute/base/ordered_changes.h"
#include "machine/execute/cluster.h"
#include "machine/execute/code.h"
#include "machine/execute/texture_accesses.h"
#include "traces/base/random.h"
#include "traces/base/types.h"

namespace warpscope::machine {

class Group;
class Warp;

/// Executions of an instruction in a launch.
struct Executions {
  std::uint64_t warps = 0;    ///< warps that issued it
  std::uint64_t lanes = 0;    ///< lanes that were active
  std::uint64_t guarded = 0;  ///< of these, lanes whose guard held
  bool operator==(const Executions&) const = default;
};

struct LaunchSettings {
  Dim3 groups, local;     ///< work-groups; work-items of each
  Dim3 cluster{0, 0, 0};  ///< work-groups of a cluster; 0: as the kernel says, which may have none
  std::vector<std::uint8_t> parameters;  ///< as the kernel's parameters lie in constant bank 0
  std::uint64_t dynamic_shared_bytes = 0;
  std::vector<Texture> textures;        ///< and surfaces: that at place i has the handle i + 1
  std::vector<std::uint8_t> constants;  ///< bank 3, if not as the program has it
  std::uint32_t stack_bytes =
      1024;  ///< of local memory behind the kernel's own frame, for functions that it calls
  std::uint64_t instruction_limit = 0;  ///< of warps, in all; 0: none
  std::uint64_t resident_groups = 1;    ///< that may wait for each other
  bool is_cooperative = true;           ///< all work-groups can be synchronised (cudaLaunchCooperativeKernel)
};

/// The work-groups of a launch that are observed, and whose executions count.
struct LaunchPart {
  std::function<bool(std::uint64_t)> has;  ///< whether a work-group belongs to it; empty: all do
  bool runs_others =
      true;  ///< work-groups that do not belong to it run, too; those of a cluster with one of it always do
  GroupOrder order;  ///< in which they, or their clusters, begin
};

class Launch {
 public:
  /// `memory` and `code` have to outlive this. Throws InputError for parameters that are not the kernel's, and for clusters that the launch
  /// cannot be divided into.
  Launch(const Code& code, DeviceMemory& memory, const LaunchSettings& settings);

  /// For work-groups of `whole` that another thread executes (run_apart()); both outlive this.
  Launch(const Launch& whole, Claims& claims);

  /// Executes all work-groups, or those of a part. Throws ExecutionFault with the place and the work-items.
  void run(Observer* observer = nullptr, const LaunchPart& part = {});

  /// Of a part of a launch: executes a work-group at the same time as others. Throws InTurns if these matter to it, ExecutionFault.
  void run_alone(std::uint64_t group, Observer* observer, const LaunchPart& part);
  /// What work-groups of the parts have done, after all have run.
  void add(std::span<const std::unique_ptr<Launch>> parts);

  [[nodiscard]] const Code& code() const { return code_; }
  [[nodiscard]] DeviceMemory& memory() const { return memory_; }
  [[nodiscard]] const LaunchSettings& settings() const { return settings_; }
  [[nodiscard]] const ClusterGrid& clusters() const { return clusters_; }
  [[nodiscard]] const LaneValues* constants() const { return constants_.data(); }
  /// Bytes of a constant bank; empty: there is none.
  [[nodiscard]] std::span<const std::uint8_t> bank(std::uint32_t number) const;
  /// The generic address of the parameters, where code takes it; 0: it does not.
  [[nodiscard]] std::uint64_t parameters_address() const { return parameters_address_; }
  /// What the kernel synchronises all work-groups by, at kGridWorkspace; empty: it does not.
  [[nodiscard]] std::span<const std::uint8_t> grid_workspace() const { return workspace_; }
  [[nodiscard]] std::uint64_t local_bytes() const { return local_bytes_; }
  [[nodiscard]] std::uint64_t shared_bytes() const {
    return code_.kernel().shared_bytes + settings_.dynamic_shared_bytes;
  }
  /// Throws ExecutionFault, for this lane, if the launch has no texture or surface with the handle.
  [[nodiscard]] const Texture& texture(std::uint32_t handle, unsigned lane) const;
  [[nodiscard]] const TextureAccesses& texture_accesses() const { return texture_accesses_; }
  /// Of each instruction in the work-groups of the part, after run().
  [[nodiscard]] std::span<const Executions> executions() const {
    return std::span(executions_).first(code_.operations().size());
  }
  /// Lanes have executed the instructions from `first` to `last`.
  void count(std::uint32_t first, std::uint32_t last, LaneSet lanes) {
    const auto number = static_cast<unsigned>(std::popcount(lanes));
    ++counted_[first].warps;
    --counted_[last + 1].warps;
    counted_[first].lanes += number;
    counted_[last + 1].lanes -= number;
    instructions_ += last - first + 1;
  }
  /// Of an instruction with a guard: the lanes for which it held.
  void count_guarded(std::uint32_t place, LaneSet lanes) {
    counted_[place].guarded += static_cast<unsigned>(std::popcount(lanes));
  }
  /// Of the work-group that runs; nullptr: it is not observed.
  [[nodiscard]] Observer* observer() const { return observer_; }
  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }
  /// Stands in for the GPU's clocks: instructions of warps so far.
  [[nodiscard]] std::uint64_t clock() const { return instructions_; }
  /// "'0120: LDG.E R0, [R2.64]' (mm.cu:7)" of an instruction; without -lineinfo there is no line.
  [[nodiscard]] std::string name_of(std::uint32_t place) const;
  /// What depended on the order of warps, in all work-groups that ran.
  [[nodiscard]] OrderNotes& order() { return order_; }
  [[nodiscard]] const OrderNotes& order() const { return order_; }
  /// Words of global memory that work-groups of this launch wrote; of a launch of one work-group nothing.
  [[nodiscard]] Writers& writers() { return writers_; }
  [[nodiscard]] bool follows_writers() const { return follows_writers_; }
  /// Of a part of a launch: who touches which word of global memory; else nullptr.
  [[nodiscard]] Claims* claims() const { return claims_; }
  /// Of a part of a launch: what the work-group changes when all before it have.
  [[nodiscard]] std::vector<Change>& changes() { return changes_; }
  /// Something happens here whose result depends on the order of work-groups. Throws InTurns in a part of a launch.
  void needs_turns(const char* why) const {
    if (claims_ != nullptr) [[unlikely]]
      throw InTurns{why};
  }
  /// Of stores of several lanes to one place the first lane's stays, otherwise the last one's.
  [[nodiscard]] bool lanes_descend() const { return lanes_descend_; }
  /// Throws the fault with its place: instruction, work-group, work-item.
  [[noreturn]] void explain(const ExecutionFault& fault, const Group& group, const Warp& warp) const;
  /// The allocation that was found last: most accesses go where the one before went.
  const Allocation* last_allocation = nullptr;
  std::uint32_t* last_writers = nullptr;  ///< writers().of() it
  ClaimedMemory* last_claimed = nullptr;  ///< claims()->of() it

 private:
  void set_clusters();
  void place_variables();
  void fill_bank_0();
  void fill_clusters();
  void place_parameters();
  void place_grid_workspace();
  void fill_constants();
  void run_groups(Observer* observer, const LaunchPart& part);
  /// The work-groups of a cluster, which see each other, the last one first.
  [[nodiscard]] std::vector<std::unique_ptr<Group>> cluster_of(std::uint64_t number);
  /// Who sees a work-group that goes on now, and where its instructions count.
  void attend(std::uint64_t group, Observer* observer, const LaunchPart& part);
  /// How many groups may begin, of so many resident ones of which the last `waits` turns were vain.
  [[nodiscard]] std::uint64_t others_begin(std::uint64_t resident, std::uint64_t waits) const;
  /// No group has done anything but reading unchanged values for long, and no other can begin.
  [[noreturn]] void explain_waits(const std::deque<std::unique_ptr<Group>>& groups,
                                  std::uint64_t others) const;
  /// Instructions that a work-group may execute now.
  [[nodiscard]] std::uint64_t turn() const;
  void sum_executions();

  const Code& code_;
  DeviceMemory& memory_;
  LaunchSettings settings_;
  ClusterGrid clusters_;
  bool has_clusters_ = false;
  TextureAccesses texture_accesses_;
  std::map<std::uint32_t, std::vector<std::uint8_t>> banks_;
  std::vector<std::vector<std::uint8_t>> variables_;  ///< those that the caller has not placed
  std::vector<std::uint8_t> workspace_;
  std::vector<LaneValues> constants_;
  std::vector<Executions> executions_;  ///< while it runs: the differences to the instruction before
  std::vector<Executions> others_;      ///< of work-groups that are not of the part
  Executions* counted_ = nullptr;       ///< of these two where the work-group that runs counts
  std::uint64_t parameters_address_ = 0;
  std::uint64_t local_bytes_ = 0;
  std::uint64_t instructions_ = 0;
  Observer* observer_ = nullptr;
  OrderNotes order_;
  Writers writers_;
  bool follows_writers_ = false;
  Claims* claims_ = nullptr;
  std::vector<Change> changes_;
  bool lanes_descend_ = false;
};

}  // namespace warpscope::machine
