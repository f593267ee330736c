#include "wrapper/machine/machine_recorder.h"

#include <fmt/format.h>

#include "machine/execute/base/fault.h"
#include "passes/RuntimeABI.h"
#include "wrapper/recording/runtime.h"

extern "C" WarpscopeAbiV2 WARPSCOPE_ABI_SYMBOL_ID;

namespace warpscope {
namespace {

using machine::Group;
using machine::LaneSet;
using machine::Operation;
using machine::Warp;

constexpr std::uint64_t kEventsPerCheck = 4096;  ///< blocks of warps; a work-group may take long

const WarpscopeAbiV2& table() {
  return WARPSCOPE_ABI_SYMBOL_ID;
}

}  // namespace

MachineRecorder::MachineRecorder(const MachineRun& run, const MachineKernel& kernel, GroupProgress& progress,
                                 unsigned threads)
    : run_(run), kernel_(kernel), places_(run, kernel), progress_(progress), finisher_(threads) {}

void MachineRecorder::begin(Group& group) {
  leave();
  finisher_.begin();
  const Dim3 position = group.position();
  table().begin(0, position.x, position.y, position.z);
  current_ = &group;
  current_walks_ = &walks_.try_emplace(&group, kernel_.flow, group.warps().size()).first->second;
  places_.each_object(static_cast<std::uint32_t>(run_.launch().settings().local.count()), table().object);
}

void MachineRecorder::end(Group& group) {
  enter(group);
  set_walks(current_walks_->take(group));
  walks_.erase(&group);
  finisher_.end();
  current_ = nullptr;
  progress_.add();
}

void MachineRecorder::access(const Warp& warp, const Operation& /*operation*/, LaneSet lanes,
                             const machine::LaneAddresses& addresses) {
  record(warp, kernel_.described.site_of[warp.place()], lanes, addresses);
}

void MachineRecorder::copied(const Warp& warp, const Operation& /*operation*/, LaneSet lanes,
                             const machine::LaneAddresses& addresses) {
  record(warp, kernel_.described.site_of[warp.place()] + 1, lanes, addresses);
}

void MachineRecorder::fetched(const Warp& warp, const Operation& /*operation*/, unsigned number,
                              LaneSet lanes, const machine::LaneAddresses& addresses) {
  enter(warp.group());
  current_walks_->guarded(warp, lanes, number);
  record_branches(~lanes, warp.active(), warp.number());
  if (lanes != 0) record(warp, kernel_.described.site_of[warp.place()] + number, lanes, addresses);
}

void MachineRecorder::came(const Warp& warp) {
  if (++events_ % kEventsPerCheck == 0) progress_.check_signal();
  enter(warp.group());
  current_walks_->came(warp);
}

void MachineRecorder::guarded(const Warp& warp, const Operation& /*operation*/, LaneSet active,
                              LaneSet lanes) {
  enter(warp.group());
  current_walks_->guarded(warp, lanes);
  record_branches(~lanes, active, warp.number());
}

void MachineRecorder::barrier(const Warp& warp, const Operation& /*operation*/, LaneSet lanes) {
  enter(warp.group());
  record_syncs(lanes, kernel_.described.site_of[warp.place()], warp.number());
}

void MachineRecorder::branch(const Warp& warp, const Operation& /*operation*/, LaneSet active,
                             LaneSet taken) {
  if (kernel_.flow.blocks()[kernel_.flow.block_of(warp.place())].successors.size() < 2) return;
  enter(warp.group());
  record_branches(taken, active, warp.number());
}

void MachineRecorder::jump(const Warp& warp, const Operation& /*operation*/, LaneSet lanes,
                           std::uint32_t target) {
  const std::uint32_t place = warp.place();
  const auto& successors = kernel_.flow.blocks()[kernel_.flow.block_of(place)].successors;
  const auto outcome = kernel_.flow.outcome_to(place, target);
  if (!outcome)
    throw machine::ExecutionFault(
        fmt::format("jumps to 0x{:x}, which is not among the places that the code names",
                    target * machine::kInstructionBytes));
  const std::uint32_t bits = outcome_bits(successors.size());
  if (bits == 0) return;
  enter(warp.group());
  machine::for_each_lane(
      lanes, [&](unsigned lane) { table().branch(*outcome, bits, warp.number() * machine::kLanes + lane); });
}

void MachineRecorder::record(const Warp& warp, std::uint32_t site, LaneSet lanes,
                             const machine::LaneAddresses& addresses) {
  if (site == machine::kNoSite) return;
  enter(warp.group());
  machine::LaneAddresses room;
  record_accesses(places_.of(warp, site, addresses, room), lanes, site, warp.number());
}

void MachineRecorder::leave() {
  if (current_ != nullptr) apart_[current_] = table().leave();
  current_ = nullptr;
}

void MachineRecorder::change_to(Group& group) {
  leave();
  const auto found = apart_.find(&group);
  table().enter(found->second);
  apart_.erase(found);
  current_ = &group;
  current_walks_ = &walks_.at(&group);
}

}  // namespace warpscope
