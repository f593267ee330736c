#pragma once
// Tells the recorder what machine code does, as an instrumented kernel would: each access and the outcome of each branch, warp by warp.
#include <cstdint>
#include <map>

#include "machine/execute/group.h"
#include "wrapper/machine/access_places.h"
#include "wrapper/machine/group_finisher.h"
#include "wrapper/machine/group_progress.h"
#include "wrapper/machine/machine_kernel.h"
#include "wrapper/machine/walk_recorder.h"

namespace warpscope {

/// While a recorder is active.
class MachineRecorder : public machine::Observer {
 public:
  /// `threads`: that finish work-groups, besides the one that executes. The others outlive this.
  MachineRecorder(const MachineRun& run, const MachineKernel& kernel, GroupProgress& progress,
                  unsigned threads);

  void begin(machine::Group& group) override;
  void end(machine::Group& group) override;
  void access(const machine::Warp& warp, const machine::Operation& operation, machine::LaneSet lanes,
              const machine::LaneAddresses& addresses) override;
  void copied(const machine::Warp& warp, const machine::Operation& operation, machine::LaneSet lanes,
              const machine::LaneAddresses& addresses) override;
  void fetched(const machine::Warp& warp, const machine::Operation& operation, unsigned number,
               machine::LaneSet lanes, const machine::LaneAddresses& addresses) override;
  void came(const machine::Warp& warp) override;
  void guarded(const machine::Warp& warp, const machine::Operation& operation, machine::LaneSet active,
               machine::LaneSet lanes) override;
  void barrier(const machine::Warp& warp, const machine::Operation& operation,
               machine::LaneSet lanes) override;
  void branch(const machine::Warp& warp, const machine::Operation& operation, machine::LaneSet active,
              machine::LaneSet taken) override;
  void jump(const machine::Warp& warp, const machine::Operation& operation, machine::LaneSet lanes,
            std::uint32_t target) override;

 private:
  void record(const machine::Warp& warp, std::uint32_t site, machine::LaneSet lanes,
              const machine::LaneAddresses& addresses);
  /// The recorder has one work-group per thread of the host: the others wait apart.
  void leave();
  void enter(machine::Group& group) {
    if (current_ != &group) [[unlikely]]
      change_to(group);
  }
  void change_to(machine::Group& group);

  const MachineRun& run_;
  const MachineKernel& kernel_;
  AccessPlaces places_;
  machine::Group* current_ = nullptr;
  GroupProgress& progress_;
  std::uint64_t events_ = 0;
  std::map<const machine::Group*, void*> apart_;
  std::map<const machine::Group*, WalkRecorder> walks_;
  WalkRecorder* current_walks_ = nullptr;  ///< of the group that is executed
  GroupFinisher finisher_;
};

}  // namespace warpscope
