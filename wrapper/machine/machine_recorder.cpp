#include "wrapper/machine/machine_recorder.h"

#include <fmt/format.h>

#include "machine/execute/base/device_memory.h"
#include "machine/execute/base/fault.h"
#include "passes/RuntimeABI.h"
#include "wrapper/recording/runtime.h"
#include "wrapper/run/signal_guard.h"

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

MachineRecorder::MachineRecorder(const MachineRun& run, const MachineKernel& kernel, std::uint64_t groups,
                                 unsigned threads)
    : run_(run),
      kernel_(kernel),
      groups_(groups),
      progress_(kernel.described.info.name, groups, "work-groups", ""),
      finisher_(threads) {}

void MachineRecorder::begin(Group& group) {
  leave();
  finisher_.begin();
  const Dim3 position = group.position();
  table().begin(0, position.x, position.y, position.z);
  current_ = &group;
  current_walks_ = &walks_.try_emplace(&group, kernel_.flow, group.warps().size()).first->second;
  place_objects(static_cast<std::uint32_t>(run_.launch().settings().local.count()));
}

void MachineRecorder::end(Group& group) {
  enter(group);
  set_walks(current_walks_->take(group));
  walks_.erase(&group);
  finisher_.end();
  current_ = nullptr;
  progress_.update(++done_);
  check_signal();
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
  if (++events_ % kEventsPerCheck == 0) check_signal();
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

void MachineRecorder::check_signal() const {
  if (SignalGuard::received() != 0)
    throw machine::ExecutionFault(fmt::format("interrupted after {} of {} work-groups", done_, groups_));
}

void MachineRecorder::record(const Warp& warp, std::uint32_t site, LaneSet lanes,
                             const machine::LaneAddresses& addresses) {
  if (site == machine::kNoSite) return;
  enter(warp.group());
  const AddressSpace space = kernel_.described.info.sites[site].space;
  if (space == AddressSpace::Global) return record_accesses(addresses.lane, lanes, site, warp.number());
  const std::uint64_t base = space == AddressSpace::Local     ? machine::kSharedWindow
                             : space == AddressSpace::Private ? machine::kLocalWindow
                                                              : 0;
  machine::LaneAddresses places;
  for (unsigned lane = 0; lane < machine::kLanes; ++lane) places.lane[lane] = base + addresses.lane[lane];
  if (space == AddressSpace::Private || space == AddressSpace::Generic)
    for (unsigned lane = 0; lane < machine::kLanes; ++lane)
      if (places.lane[lane] - machine::kLocalWindow < machine::kWindowBytes)
        places.lane[lane] +=
            std::uint64_t{warp.number() * machine::kLanes + lane} * run_.launch().local_bytes();
  if (space != AddressSpace::Private)
    for (std::uint64_t& place : places.lane)
      if (place - machine::kSharedWindow < machine::kSharedWindowBytes)
        place = place_in_cluster(place - machine::kSharedWindow, warp.group().rank());
  record_accesses(places.lane, lanes, site, warp.number());
}

std::uint64_t MachineRecorder::place_in_cluster(std::uint64_t address, std::uint32_t own_rank) const {
  const std::uint64_t rank = address >> machine::kRankShift, offset = address & (machine::kWindowBytes - 1);
  if (rank == own_rank) return machine::kSharedWindow + offset;
  return machine::kSharedWindow + kSharedOfCluster + rank * stride_in_cluster(run_) + offset;
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

void MachineRecorder::place_objects(std::uint32_t items) const {
  for (std::uint32_t index = 0; index < run_.addresses().size(); ++index)
    if (run_.addresses()[index] != 0) table().object(0, index, run_.addresses()[index], WARPSCOPE_ALL_ITEMS);
  for (std::uint32_t index = 0; index < run_.dynamic_shared().size(); ++index)
    if (run_.dynamic_shared()[index] != 0)
      table().object(0, index, machine::kSharedWindow + run_.dynamic_places()[index], WARPSCOPE_ALL_ITEMS);
  const std::vector<ObjectInfo>& objects = kernel_.described.info.objects;
  for (std::uint32_t index = 0; index < objects.size(); ++index) {
    if (objects[index].space == AddressSpace::Local) {
      table().object(1, index, machine::kSharedWindow + kernel_.places[index], WARPSCOPE_ALL_ITEMS);
      continue;
    }
    if (objects[index].space == AddressSpace::Global) {
      table().object(1, index, kernel_.places[index], WARPSCOPE_ALL_ITEMS);
      continue;
    }
    for (std::uint32_t item = 0; item < items; ++item)
      table().object(1, index, machine::kLocalWindow + std::uint64_t{item} * run_.launch().local_bytes(),
                     item);
  }
}

}  // namespace warpscope
