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
      other_ways_(kernel.sites.size()),
      other_has_way_(kernel.sites.size()),
      executions_(kernel.sites.size()) {}

void GroupBoxes::begin() {
  taken_ = 0;
  const bool is_hopeless = misses_ > kPatience && misses_ % kPatience != 0;
  followed_ = kept_.empty() || is_hopeless ? nullptr : kept_.front().get();
  std::fill(has_way_.begin(), has_way_.end(), 0);
}

/// Whether the box is the next one of the kept work-group, with all accesses of a site moved by what its earlier boxes
/// were moved.
bool GroupBoxes::is_next(const Kept& kept, const BoxRecording& boxes) {
  if (taken_ == kept.parts.size()) return false;
  const Part& part = kept.parts[taken_];
  const ItemRecord here = boxes.origin().item();
  if (part.box != boxes.box() || !part.item.is_of(here)) return false;
  const ItemRecord there = part.item.item();
  const auto way = [&](std::uint32_t site) { return here.slots[site].first - there.slots[site].first; };
  for (std::uint32_t site = 0; site < ways_.size(); ++site) {
    if (here.slots[site].delta == Slot::kUnused) continue;
    if (has_way_[site] != 0 && ways_[site] != way(site)) return false;
    if (!are_equal(part.strides[site], boxes.strides()[site])) return false;
  }
  for (std::uint32_t site = 0; site < ways_.size(); ++site) {
    if (here.slots[site].delta == Slot::kUnused) continue;
    has_way_[site] = 1;
    ways_[site] = way(site);
  }
  return true;
}

/// Whether the boxes that were taken, which are those of the followed work-group, are this one's first ones, too.
/// Sets other_ways_.
bool GroupBoxes::begins_as_followed(const Kept& kept) {
  std::fill(other_has_way_.begin(), other_has_way_.end(), 0);
  if (kept.parts.size() < taken_) return false;
  for (std::size_t index = 0; index < taken_; ++index) {
    const Part& here = followed_->parts[index];
    const Part& there = kept.parts[index];
    if (here.box != there.box || !there.item.is_of(here.item.item())) return false;
    for (std::uint32_t site = 0; site < ways_.size(); ++site) {
      const Slot& slot = here.item.item().slots[site];
      if (slot.delta == Slot::kUnused) continue;
      const std::uint64_t way = slot.first + ways_[site] - there.item.item().slots[site].first;
      if (other_has_way_[site] != 0 && other_ways_[site] != way) return false;
      if (!are_equal(here.strides[site], there.strides[site])) return false;
      other_has_way_[site] = 1;
      other_ways_[site] = way;
    }
  }
  return true;
}

/// Whether the box, and all that were taken before it, are those of some kept work-group.
bool GroupBoxes::follow(const BoxRecording& boxes) {
  if (is_next(*followed_, boxes)) return true;
  for (const std::unique_ptr<Kept>& kept : kept_) {
    if (kept.get() == followed_ || !begins_as_followed(*kept)) continue;
    std::swap(ways_, other_ways_);
    std::swap(has_way_, other_has_way_);
    if (is_next(*kept, boxes)) {
      followed_ = kept.get();
      return true;
    }
    std::swap(ways_, other_ways_);
    std::swap(has_way_, other_has_way_);
  }
  return false;
}

/// From here on the work-group has boxes of its own.
void GroupBoxes::leave() {
  if (followed_ == nullptr) return;
  if (parts_.size() < taken_) parts_.resize(taken_);
  for (std::size_t index = 0; index < taken_; ++index) {
    parts_[index] = followed_->parts[index];
    parts_[index].item.move(ways_);
  }
  followed_ = nullptr;
}

bool GroupBoxes::take(const BoxRecording& boxes) {
  const bool is_in_memory = boxes.origin().file() == nullptr;
  if (is_in_memory && followed_ != nullptr && follow(boxes)) {
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
}

std::optional<RecordedAccess> GroupBoxes::find(std::uint64_t address) const {
  std::optional<RecordedAccess> found;
  for (std::size_t index = 0; index < taken_; ++index) {
    const Part& part = followed_ != nullptr ? followed_->parts[index] : parts_[index];
    const ItemRecord first = part.item.item();
    for_items(part.box, local_, [&](std::uint32_t item, const std::array<std::int64_t, 3>& distance) {
      if (found && found->item <= item) return;
      for (std::uint32_t site = 0; site < kernel_.sites.size(); ++site) {
        if (kernel_.sites[site].space == AddressSpace::Private)
          continue;  // not at their places in this process
        std::uint64_t way = followed_ != nullptr ? ways_[site] : 0;
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
std::optional<LocatedColumn> GroupBoxes::column_of(std::uint32_t site, const Recording& recording,
                                                   const SiteColumn& column) {
  std::vector<BoxExtent> extents;
  for (std::size_t shape = 0; shape < column.shapes.size(); ++shape) {
    const std::optional<BoxExtent> extent = extent_of(column.shapes[shape]);
    if (!extent) return {};
    extents.push_back(*extent);
  }
  const auto uses = [](std::uint32_t shape) { return shape != SiteColumn::kNone; };
  const auto first = std::ranges::find_if(column.shape_of, uses) - column.shape_of.begin();
  LocatedColumn result = {
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

bool GroupBoxes::look_at(Kept& kept, const Recording& recording, const WorkGroupTrace& trace) {
  for (std::uint32_t site = 0; site < trace.columns.size(); ++site) {
    if (trace.columns[site].shapes.empty()) continue;
    const std::optional<LocatedColumn> column = column_of(site, recording, trace.columns[site]);
    if (!column) return false;
    kept.columns.push_back(*column);
  }
  return true;
}

/// Where the sites of the work-group at hand begin, which is like `kept`; false if the accesses of one are not all in
/// one object.
bool GroupBoxes::locate(const Kept& kept, ObjectMap& objects) {
  first_.clear();
  for (const LocatedColumn& column : kept.columns) {
    const std::uint64_t address = column.address + (followed_ != nullptr ? ways_[column.site] : 0);
    const auto first = warpscope::locate(objects, kernel_.sites[column.site], address, column.reach);
    if (!first) return false;
    first_.push_back(*first);
  }
  return true;
}

std::span<const std::uint8_t> GroupBoxes::put(ObjectMap& objects) {
  if (followed_ == nullptr || taken_ != followed_->parts.size() || !locate(*followed_, objects)) return {};
  for (std::size_t site = 0; site < executions_.size(); ++site) executions_[site] += followed_->counts[site];
  misses_ = 0;
  const auto place = std::ranges::find(kept_, followed_, &std::unique_ptr<Kept>::get);
  std::rotate(kept_.begin(), place, place + 1);
  return followed_->encoding.put(first_);
}

EncodedGroup GroupBoxes::encoded() const {
  const Kept& kept = *kept_.front();
  EncodedGroup result = {kept.columns, kept.counts, kept.encoding};
  for (std::size_t index = 0; index < first_.size(); ++index) {
    LocatedColumn& column = result.columns[index];
    column.location = first_[index];
    if (followed_ != nullptr) column.address += ways_[column.site];
  }
  return result;
}

void GroupBoxes::count(Kept& kept, const WorkGroupTrace& trace) const {
  std::vector<std::uint64_t> items(trace.paths.size());
  for (const std::uint32_t path : trace.path_of) ++items[path];
  kept.counts.assign(kernel_.sites.size(), 0);
  for (std::size_t path = 0; path < items.size(); ++path)
    for (std::size_t site = 0; site < kept.counts.size(); ++site)
      kept.counts[site] += items[path] * trace.paths[path].site_counts[site];
}

bool GroupBoxes::keep(const Recording& recording, const WorkGroupTrace& trace, ObjectMap& objects) {
  if (taken_ == 0) return false;
  auto kept = std::make_unique<Kept>();
  if (!look_at(*kept, recording, trace) || !locate(*kept, objects) ||
      !std::ranges::equal(first_, kept->columns, {}, {}, &LocatedColumn::location))
    return false;
  kept->encoding.set(trace);
  count(*kept, trace);
  const auto end = parts_.begin() + static_cast<std::ptrdiff_t>(taken_);
  kept->parts.assign(std::make_move_iterator(parts_.begin()), std::make_move_iterator(end));
  add_kept(std::move(kept));
  return true;
}

/// The ones that were not followed for longest make room.
void GroupBoxes::add_kept(std::unique_ptr<Kept> kept) {
  std::size_t bytes = kept->memory_bytes();
  std::size_t fit = 0;
  while (fit < kept_.size() && fit + 1 < kMostKept) {
    bytes += kept_[fit]->memory_bytes();
    if (bytes > kMostKeptBytes) break;
    ++fit;
  }
  kept_.resize(fit);
  kept_.insert(kept_.begin(), std::move(kept));
}

std::size_t GroupBoxes::Kept::memory_bytes() const {
  std::size_t bytes = columns.capacity() * sizeof(LocatedColumn) + counts.capacity() * sizeof(std::uint64_t);
  for (const Part& part : parts)
    bytes += part.item.memory_bytes() + part.strides.capacity() * sizeof(BoxStrides);
  return bytes;
}

std::size_t GroupBoxes::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Part& part : parts_)
    bytes += part.item.memory_bytes() + part.strides.capacity() * sizeof(BoxStrides);
  for (const std::unique_ptr<Kept>& kept : kept_) bytes += kept->memory_bytes();
  return bytes;
}

}  // namespace warpscope
