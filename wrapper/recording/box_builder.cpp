#include "wrapper/recording/box_builder.h"

#include <algorithm>

namespace warpscope {

BoxBuilder::BoxBuilder(const KernelInfo& kernel, Dim3 local)
    : kernel_(kernel), local_(local), origin_(kernel, 1, false), executions_(kernel.sites.size()) {}

void BoxBuilder::forget() {
  shape_.clear();
  origin_.forget();
}

bool BoxBuilder::is_as_before(const BoxRecording& boxes) const {
  return boxes.origin().file() == nullptr && shape_.is_of(boxes.origin().item()) &&
         std::ranges::all_of(columns_, [&](const Column& column) {
           return are_equal(column.strides, boxes.strides()[column.site]);
         });
}

/// The columns of the work-group; false if one reaches too far for 64 bits.
bool BoxBuilder::look_at(const BoxRecording& boxes, const WorkGroupTrace& origin) {
  columns_.clear();
  for (std::uint32_t site = 0; site < executions_.size(); ++site) {
    if (origin.columns[site].shapes.empty()) continue;
    const BoxStrides& strides = boxes.strides()[site];
    std::optional<BoxExtent> reach = extent_of(origin.columns[site].shapes[0]);
    if (!reach) return false;
    for (std::size_t d = 0; d < strides.size(); ++d)
      if (boxes.box().reach[d] != 0) reach->add(strides[d], boxes.box().reach[d]);
    if (!reach->fits) return false;
    columns_.push_back({site, strides, *reach});
  }
  return true;
}

/// Where the columns begin; false if one is not all in one memory object.
bool BoxBuilder::locate(const BoxRecording& boxes, ObjectMap& objects) {
  first_.clear();
  for (const Column& column : columns_) {
    const auto first = warpscope::locate(objects, kernel_.sites[column.site],
                                         boxes.origin().slot(0, column.site).first, column.reach);
    if (!first) return false;
    first_.push_back(*first);
  }
  return true;
}

BoxBuilder::Outcome BoxBuilder::build(const BoxRecording& boxes, ObjectMap& objects, LaunchId launch,
                                      WorkGroupId group) {
  const bool as_before = is_as_before(boxes);
  if (!as_before) {
    shape_.clear();
    const WorkGroupTrace& origin = origin_.build(boxes.origin(), objects, launch, group);
    if (!look_at(boxes, origin)) return Outcome::NotInOneObject;
    encoding_.set(origin, local_, boxes.strides());
    counts_.clear();
    for (const std::uint64_t count : origin.paths[0].site_counts) counts_.push_back(count * local_.count());
  }
  if (!locate(boxes, objects)) return Outcome::NotInOneObject;
  // Of a work-item that leaves its object, the builder has translated every access on its own.
  if (!as_before) shape_.take(boxes.origin());
  payload_ = encoding_.put(first_);
  for (std::size_t site = 0; site < counts_.size(); ++site) executions_[site] += counts_[site];
  return as_before ? Outcome::EncodedAsBefore : Outcome::Encoded;
}

EncodedGroup BoxBuilder::encoded(const BoxRecording& boxes) const {
  EncodedGroup result = {{}, counts_, encoding_};
  for (std::size_t index = 0; index < columns_.size(); ++index) {
    const std::uint32_t site = columns_[index].site;
    result.columns.push_back(
        {site, boxes.origin().slot(0, site).first, first_[index], columns_[index].reach});
  }
  return result;
}

}  // namespace warpscope
