#include "scheduler/core.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "traces/base/error.h"

namespace warpscope {
namespace {

std::uint32_t index_space(const CoreSetup& setup, std::size_t slots, std::size_t warps_per_group,
                          bool along_rows) {
  const std::uint64_t size = along_rows ? setup.source.launch().global.count() : slots * warps_per_group;
  if (size < std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(size);
  throw InputError(
      fmt::format("launch {}: {} warps resident at once, expected less than 2^32; "
                  "--max-workgroups limits them",
                  setup.source.launch().id.value(), size));
}

/// Number of a work-item along the rows of the NDRange, dimension 0 fastest.
WarpIndex number_along_rows(const LaunchInfo& launch, WorkGroupId group, std::uint64_t item) {
  const Dim3 groups = launch.groups();
  const Dim3& local = launch.local;
  const std::uint64_t g = group.value();
  const std::uint64_t x = g % groups.x * local.x + item % local.x;
  const std::uint64_t y = g / groups.x % groups.y * local.y + item / local.x % local.y;
  const std::uint64_t z = g / (groups.x * groups.y) * local.z + item / (local.x * local.y);
  return static_cast<WarpIndex>(x + launch.global.x * (y + launch.global.y * z));
}

}  // namespace

Core::Core(const CoreSetup& setup, CoreId id, std::vector<WorkGroupId> groups, std::uint32_t slots,
           std::uint64_t seed)
    : setup_(setup),
      groups_(std::move(groups)),
      warps_per_group_(static_cast<std::uint32_t>(
          (setup.source.launch().local.count() + setup.replay.warp_size - 1) / setup.replay.warp_size)),
      slots_(slots),
      along_rows_(setup.policy.order == VisitOrder::WorkItems && slots >= groups_.size()),
      residents_(slots),
      ready_(index_space(setup, slots, warps_per_group_, along_rows_)),
      policy_(setup.policy.factory(seed)) {
  places_.resize(index_space(setup, slots, warps_per_group_, along_rows_));
  access_.core = id;
  for (std::uint32_t slot = 0; slot < slots; ++slot) fill(slot);
}

WarpIndex Core::index_of(std::uint32_t slot, std::uint32_t warp) const {
  if (setup_.policy.order == VisitOrder::WarpByWarp) return warp * slots_ + slot;
  if (!along_rows_) return slot * warps_per_group_ + warp;
  return number_along_rows(setup_.source.launch(), residents_[slot]->group(), warp);
}

bool Core::step(WarpAccessSink& sink) {
  if (ready_.size() == 0) return false;
  const WarpIndex index = policy_->pick(ready_);
  const Place place = places_[index];
  prefetch_behind(index);
  GroupReplay& group = *place.group;
  const bool barrier_opened = group.make_access(place.warp, access_);
  sink.access(access_);
  const Pending pending = group.pending(place.warp);
  if (pending == Pending::Access && !barrier_opened) return true;
  if (pending == Pending::End) policy_->finished(index);
  if (barrier_opened) {
    refresh(place.slot);
  } else {
    ready_.erase(index);
  }
  if (group.finished()) {
    leave(place.slot);
    fill(place.slot);
  }
  return true;
}

/// Between two visits of a warp all others of the core have had their turn, more than the host's nearest
/// cache holds. Most policies go on with the next warp in the order.
void Core::prefetch_behind(WarpIndex index) const {
  if (std::size_t{index} + 2 >= places_.size()) return;
  const Place next = places_[index + 1], after = places_[index + 2];
  if (after.group != nullptr) after.group->prefetch(after.warp);
  if (next.group != nullptr) next.group->prefetch_addresses(next.warp);
}

/// Starts the next work-group that makes an access; those that make none come and go.
void Core::fill(std::uint32_t slot) {
  while (next_group_ < groups_.size()) {
    load(slot, groups_[next_group_++]);
    if (!residents_[slot]->finished()) return;
    leave(slot);
  }
}

SharedGroup Core::read(WorkGroupId group) const {
  if (setup_.self_check == nullptr) return setup_.source.read(group, setup_.replay.memory.forms());
  WorkGroupTrace trace = setup_.source.read(group);
  setup_.self_check->begin(trace);
  return SharedGroup(std::move(trace));
}

void Core::load(std::uint32_t slot, WorkGroupId group) {
  SharedGroup shared = read(group);
  if (shared.work_items != setup_.source.launch().local.count()) {
    throw InputError(fmt::format("launch {}, work-group {}: {} work-items, expected {}; capture it again",
                                 shared.launch.value(), group.value(), shared.work_items,
                                 setup_.source.launch().local.count()));
  }
  residents_[slot] = std::make_unique<GroupReplay>(setup_.replay, std::move(shared));
  for (std::uint32_t w = 0; w < warps_per_group_; ++w)
    places_[index_of(slot, w)] = {residents_[slot].get(), slot, WarpId(w)};
  refresh(slot);
}

void Core::leave(std::uint32_t slot) {
  const WorkGroupId group = residents_[slot]->group();
  if (setup_.self_check != nullptr) setup_.self_check->end(*residents_[slot]);
  for (std::uint32_t w = 0; w < warps_per_group_; ++w) places_[index_of(slot, w)].group = nullptr;
  residents_[slot].reset();
  if (setup_.group_finished) setup_.group_finished(group);
}

/// Makes the ready set follow the warps of a slot.
void Core::refresh(std::uint32_t slot) {
  for (std::uint32_t w = 0; w < warps_per_group_; ++w) {
    const WarpIndex index = index_of(slot, w);
    const bool is_ready = residents_[slot]->pending(WarpId(w)) == Pending::Access;
    if (is_ready == ready_.contains(index)) continue;
    if (is_ready) {
      ready_.insert(index);
    } else {
      ready_.erase(index);
    }
  }
}

}  // namespace warpscope
