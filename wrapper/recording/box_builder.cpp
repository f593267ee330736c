#include "wrapper/recording/box_builder.h"

#include <algorithm>

#include "traces/capture/encode_box.h"

namespace warpscope {
namespace {

/// Bytes that some accesses reach below and above the first of them.
struct Reach {
  std::int64_t lowest = 0, highest = 0;
  bool fits = true;  ///< in 64 bits

  void add(std::int64_t step, std::uint64_t times) {
    std::int64_t way = 0;
    fits &= !__builtin_mul_overflow(step, times, &way);
    std::int64_t& end = way < 0 ? lowest : highest;
    fits &= !__builtin_add_overflow(end, way, &end);
  }
};

}  // namespace

BoxBuilder::BoxBuilder(const KernelInfo& kernel, Dim3 local)
    : kernel_(kernel), local_(local), origin_(kernel, 1, false), executions_(kernel.sites.size()) {}

bool BoxBuilder::is_in_one_object(const BoxRecording& boxes, ObjectMap& objects, std::uint32_t site,
                                  const SiteColumn& column) const {
  Reach reach;
  for (std::size_t d = 0; d < 3; ++d)
    if (boxes.box().reach[d] != 0) reach.add(boxes.strides()[site][d], boxes.box().reach[d]);
  std::int64_t at = 0;
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (const DeltaRun& run : column.shapes[0]) {
    Reach way;
    way.add(run.delta, run.repeat);
    if (!way.fits || __builtin_add_overflow(at, way.lowest + way.highest, &at)) return false;
    lowest = std::min(lowest, at);
    highest = std::max(highest, at);
  }
  reach.add(lowest, 1);
  reach.add(highest, 1);
  const SiteInfo& info = kernel_.sites[site];
  const std::uint64_t first = boxes.origin().slot(0, site).first;
  const std::uint64_t begin = first + static_cast<std::uint64_t>(reach.lowest);
  const std::uint64_t end = first + static_cast<std::uint64_t>(reach.highest) + info.width;
  return reach.fits && objects.find(info.object, begin, end, 0).id.value() != 0;
}

std::optional<std::vector<std::uint8_t>> BoxBuilder::build(const BoxRecording& boxes, ObjectMap& objects,
                                                           LaunchId launch, WorkGroupId group) {
  const WorkGroupTrace& origin = origin_.build(boxes.origin(), objects, launch, group);
  for (std::uint32_t site = 0; site < executions_.size(); ++site) {
    const SiteColumn& column = origin.columns[site];
    if (column.shapes.empty()) continue;
    if (!is_in_one_object(boxes, objects, site, column)) return {};
  }
  for (std::size_t site = 0; site < executions_.size(); ++site)
    executions_[site] += origin.paths[0].site_counts[site] * local_.count();
  return encode_box(origin, local_, boxes.strides());
}

}  // namespace warpscope
