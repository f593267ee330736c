// Encodes a work-group whose records are in a file, as build() and encode() do one that is in memory.
#include <algorithm>

#include "traces/capture/encode_pieces.h"
#include "wrapper/recording/spill/shape_spool.h"
#include "wrapper/recording/work_group_builder.h"

namespace warpscope {
namespace {

class SpilledGroup {
 public:
  /// `recording`: with file(), which is complete.
  SpilledGroup(const KernelInfo& kernel, const Recording& recording, ObjectMap& objects, LaunchId launch,
               WorkGroupId group);
  /// Encodes and counts the work-group. Throws as WorkGroupBuilder::build() does, and InputError if a file cannot be
  /// written.
  void put(WorkGroupBuilder& builder, PayloadParts& out);

 private:
  [[nodiscard]] RecordFile::Reach reach_of(std::uint32_t item, std::uint32_t site) const;
  [[nodiscard]] std::vector<std::uint64_t> executions() const;
  void put_column(std::uint32_t site, PayloadParts& out);
  /// Puts the shape of a work-item; returns where it begins.
  std::uint64_t put_shape(std::uint32_t item, std::uint32_t site);
  template <class Visit>
  void visit_runs(std::uint32_t item, std::uint32_t site, Visit visit);
  std::uint64_t locate(std::uint64_t address, std::uint32_t item, std::uint32_t site);

  const KernelInfo& kernel_;
  const Recording& recording_;
  ObjectMap& objects_;
  LaunchId launch_;
  WorkGroupId group_;
  RecordFile::RunCursor runs_;
  ShapeSpool shapes_;
  std::vector<SiteTotals> outside_;
};

SpilledGroup::SpilledGroup(const KernelInfo& kernel, const Recording& recording, ObjectMap& objects,
                           LaunchId launch, WorkGroupId group)
    : kernel_(kernel),
      recording_(recording),
      objects_(objects),
      launch_(launch),
      group_(group),
      runs_(*recording.file()),
      outside_(kernel.sites.size()) {}

/// Also of the run that was still growing.
RecordFile::Reach SpilledGroup::reach_of(std::uint32_t item, std::uint32_t site) const {
  RecordFile::Reach reach = recording_.file()->reach(item, site);
  const Slot slot = recording_.slot(item, site);
  if (slot.repeat > 0) reach.add(slot.delta, slot.repeat);
  return reach;
}

std::vector<std::uint64_t> SpilledGroup::executions() const {
  std::vector<std::uint64_t> result;
  result.reserve(std::size_t{recording_.items()} * recording_.sites());
  for (std::uint32_t site = 0; site < recording_.sites(); ++site)
    for (std::uint32_t item = 0; item < recording_.items(); ++item) {
      const Slot slot = recording_.slot(item, site);
      if (!has_address(kernel_.sites[site].kind))
        result.push_back(slot.repeat);
      else
        result.push_back(slot.delta == Slot::kUnused ? 0 : 1 + reach_of(item, site).steps);
    }
  return result;
}

void SpilledGroup::put(WorkGroupBuilder& builder, PayloadParts& out) {
  const WorkGroupTrace& front = builder.build_front(recording_, executions(), launch_, group_);
  std::vector<std::uint8_t> bytes;
  put_front(bytes, front);
  out.add(bytes);
  for (std::uint32_t site = 0; site < recording_.sites(); ++site)
    if (has_address(kernel_.sites[site].kind)) put_column(site, out);
  bytes.clear();
  put_orders(bytes, front);
  out.add(bytes);
  builder.count(outside_);
}

void SpilledGroup::put_column(std::uint32_t site, PayloadParts& out) {
  SiteColumn column;
  column.shape_of.assign(recording_.items(), SiteColumn::kNone);
  column.first.assign(recording_.items(), 0);
  shapes_.clear();
  for (std::uint32_t item = 0; item < recording_.items(); ++item) {
    if (recording_.slot(item, site).delta == Slot::kUnused) continue;
    column.first[item] = put_shape(item, site);
    column.shape_of[item] = shapes_.end_shape();
  }
  if (shapes_.empty()) return;
  shapes_.put(out);
  std::vector<std::uint8_t> members;
  put_members(members, column);
  out.add(members);
}

std::uint64_t SpilledGroup::put_shape(std::uint32_t item, std::uint32_t site) {
  const SiteInfo& info = kernel_.sites[site];
  const std::uint64_t first = recording_.slot(item, site).first;
  const RecordFile::Reach reach = reach_of(item, site);
  const std::uint64_t lowest = first + static_cast<std::uint64_t>(reach.lowest);
  const std::uint64_t end = first + static_cast<std::uint64_t>(reach.highest) + info.width;
  const PlacedObject shared = objects_.shared(info.object);
  const PlacedObject object =
      shared.contains(lowest, end) ? shared : objects_.find(info.object, lowest, end, item);
  if (object.id.value() != 0) {
    visit_runs(item, site, [&](std::int64_t delta, std::uint64_t repeat) { shapes_.add(delta, repeat); });
    return object.key(first);
  }
  // It leaves an object on the way: location by location.
  std::uint64_t address = first;
  const std::uint64_t first_key = locate(address, item, site);
  std::uint64_t key = first_key;
  visit_runs(item, site, [&](std::int64_t delta, std::uint64_t repeat) {
    for (; repeat > 0; --repeat) {
      address += static_cast<std::uint64_t>(delta);
      const std::uint64_t next = locate(address, item, site);
      shapes_.add(static_cast<std::int64_t>(next - key), 1);
      key = next;
    }
  });
  return first_key;
}

template <class Visit>
void SpilledGroup::visit_runs(std::uint32_t item, std::uint32_t site, Visit visit) {
  runs_.visit(item, site, visit);
  const Slot slot = recording_.slot(item, site);
  if (slot.repeat > 0) visit(slot.delta, slot.repeat);
}

std::uint64_t SpilledGroup::locate(std::uint64_t address, std::uint32_t item, std::uint32_t site) {
  const SiteInfo& info = kernel_.sites[site];
  const PlacedObject object = objects_.find(info.object, address, address + info.width, item);
  if (object.id.value() != 0) return object.key(address);
  ++outside_[site].out_of_bounds;
  outside_[site].first_out_of_bounds =
      std::min(outside_[site].first_out_of_bounds, std::uint64_t{group_.value()} << 32 | item);
  return 0;
}

}  // namespace

void put_spilled_group(const KernelInfo& kernel, const Recording& recording, ObjectMap& objects,
                       LaunchId launch, WorkGroupId group, WorkGroupBuilder& builder, PayloadParts& out) {
  SpilledGroup(kernel, recording, objects, launch, group).put(builder, out);
}

}  // namespace warpscope
