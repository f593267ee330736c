#include "wrapper/recording/group_boxes.h"

#include <algorithm>

namespace warpscope {
namespace {

/// After so many work-groups in a row that were like none before, only one in kPatience is compared and kept.
constexpr std::uint64_t kPatience = 16;

}  // namespace

GroupBoxes::GroupBoxes(const KernelInfo& kernel, Dim3 local)
    : kernel_(kernel),
      local_(local),
      ways_(kernel.sites.size()),
      has_way_(kernel.sites.size()),
      executions_(kernel.sites.size()) {}

void GroupBoxes::begin() {
  taken_ = 0;
  follows_ = kept_parts_ > 0;
  std::fill(has_way_.begin(), has_way_.end(), 0);
}

/// Whether the box is the next one that was kept, with all accesses of a site moved by what its earlier boxes were moved.
bool GroupBoxes::is_next(const BoxRecording& boxes) {
  if (taken_ == kept_parts_) return false;
  const Part& part = kept_[taken_];
  if (part.box != boxes.box() || !part.item.is_of(boxes.origin())) return false;
  const ItemRecord kept = part.item.item();
  for (std::uint32_t site = 0; site < ways_.size(); ++site) {
    const Slot& slot = boxes.origin().slot(0, site);
    if (slot.delta == Slot::kUnused) continue;
    const std::uint64_t way = slot.first - kept.slots[site].first;
    if (has_way_[site] == 0) {
      has_way_[site] = 1;
      ways_[site] = way;
    } else if (ways_[site] != way) {
      return false;
    }
    if (part.strides[site] != boxes.strides()[site]) return false;
  }
  return true;
}

/// From here on the work-group has boxes of its own.
void GroupBoxes::leave() {
  if (!follows_) return;
  follows_ = false;
  if (parts_.size() < taken_) parts_.resize(taken_);
  for (std::size_t index = 0; index < taken_; ++index) {
    parts_[index] = kept_[index];
    parts_[index].item.move(ways_);
  }
}

bool GroupBoxes::take(const BoxRecording& boxes) {
  if (follows_ && is_next(boxes)) {
    ++taken_;
    return true;
  }
  leave();
  if (taken_ == kMostBoxes || (misses_ > kPatience && misses_ % kPatience != 0)) return false;
  if (parts_.size() == taken_) parts_.emplace_back();
  Part& part = parts_[taken_];
  if (!part.item.take(boxes.origin())) return false;
  part.box = boxes.box();
  part.strides.assign(boxes.strides().begin(), boxes.strides().end());
  ++taken_;
  return true;
}

void GroupBoxes::record(Recording& recording) {
  leave();
  for (std::size_t index = 0; index < taken_; ++index)
    recording.add_box(parts_[index].item.item(), parts_[index].box, parts_[index].strides, local_);
  ++misses_;
  kept_parts_ = 0;
}

std::optional<RecordedAccess> GroupBoxes::find(std::uint64_t address) const {
  std::optional<RecordedAccess> found;
  for (std::size_t index = 0; index < taken_; ++index) {
    const Part& part = follows_ ? kept_[index] : parts_[index];
    const ItemRecord first = part.item.item();
    for_items(part.box, local_, [&](std::uint32_t item, const std::array<std::int64_t, 3>& distance) {
      if (found && found->item <= item) return;
      for (std::uint32_t site = 0; site < kernel_.sites.size(); ++site) {
        if (kernel_.sites[site].space == AddressSpace::Private)
          continue;  // not at their places in this process
        std::uint64_t way = follows_ ? ways_[site] : 0;
        for (std::size_t d = 0; d < distance.size(); ++d)
          way += static_cast<std::uint64_t>(part.strides[site][d] * distance[d]);
        if (const auto at = first.find(site, address, way, kernel_.sites[site])) {
          found = RecordedAccess{site, item, *at};
          return;
        }
      }
    });
  }
  return found;
}

/// Where a site's accesses begin and what all reach from there; nothing if they are not all in one object.
std::optional<GroupBoxes::Column> GroupBoxes::column_of(std::uint32_t site, const Recording& recording,
                                                        const SiteColumn& column) {
  std::vector<BoxExtent> extents;
  for (std::size_t shape = 0; shape < column.shapes.size(); ++shape) {
    const std::optional<BoxExtent> extent = extent_of(column.shapes[shape]);
    if (!extent) return {};
    extents.push_back(*extent);
  }
  const auto uses = [](std::uint32_t shape) { return shape != SiteColumn::kNone; };
  const auto first = std::ranges::find_if(column.shape_of, uses) - column.shape_of.begin();
  Column result = {
      site, recording.slot(static_cast<std::uint32_t>(first), site).first, column.first[first], {}};
  for (std::size_t item = static_cast<std::size_t>(first); item < column.shape_of.size(); ++item) {
    if (!uses(column.shape_of[item])) continue;
    const auto way = static_cast<std::int64_t>(column.first[item] - result.location);
    const BoxExtent& extent = extents[column.shape_of[item]];
    result.reach.lowest = std::min(result.reach.lowest, way + extent.lowest);
    result.reach.highest = std::max(result.reach.highest, way + extent.highest);
  }
  const auto buffer_at = [&](std::int64_t way) {
    return BufferAddr(result.location + static_cast<std::uint64_t>(way)).buffer();
  };
  if (buffer_at(result.reach.lowest) != buffer_at(0) || buffer_at(result.reach.highest) != buffer_at(0))
    return {};
  return result;
}

bool GroupBoxes::look_at(const Recording& recording, const WorkGroupTrace& trace) {
  columns_.clear();
  for (std::uint32_t site = 0; site < trace.columns.size(); ++site) {
    if (trace.columns[site].shapes.empty()) continue;
    const std::optional<Column> column = column_of(site, recording, trace.columns[site]);
    if (!column) return false;
    columns_.push_back(*column);
  }
  return true;
}

/// Where the sites of the work-group at hand begin; false if the accesses of one are not all in one object.
bool GroupBoxes::locate(ObjectMap& objects) {
  first_.clear();
  for (const Column& column : columns_) {
    const std::uint64_t address = column.address + (follows_ ? ways_[column.site] : 0);
    const auto first = warpscope::locate(objects, kernel_.sites[column.site], address, column.reach);
    if (!first) return false;
    first_.push_back(*first);
  }
  return true;
}

bool GroupBoxes::put(ObjectMap& objects, std::vector<std::uint8_t>& payload) {
  if (!follows_ || taken_ != kept_parts_ || !locate(objects)) return false;
  encoding_.put(first_, payload);
  for (std::size_t site = 0; site < counts_.size(); ++site) executions_[site] += counts_[site];
  misses_ = 0;
  return true;
}

void GroupBoxes::count(const WorkGroupTrace& trace) {
  std::vector<std::uint64_t> items(trace.paths.size());
  for (const std::uint32_t path : trace.path_of) ++items[path];
  counts_.assign(kernel_.sites.size(), 0);
  for (std::size_t path = 0; path < items.size(); ++path)
    for (std::size_t site = 0; site < counts_.size(); ++site)
      counts_[site] += items[path] * trace.paths[path].site_counts[site];
}

void GroupBoxes::keep(const Recording& recording, const WorkGroupTrace& trace, ObjectMap& objects) {
  if (taken_ == 0 || !look_at(recording, trace) || !locate(objects) ||
      !std::ranges::equal(first_, columns_, {}, {}, &Column::location))
    return;
  encoding_.set(trace);
  count(trace);
  std::swap(parts_, kept_);
  kept_parts_ = taken_;
}

std::size_t GroupBoxes::memory_bytes() const {
  std::size_t bytes = 0;
  for (const std::vector<Part>* parts : {&parts_, &kept_})
    for (const Part& part : *parts)
      bytes += part.item.memory_bytes() + part.strides.capacity() * sizeof(BoxStrides);
  return bytes;
}

}  // namespace warpscope
