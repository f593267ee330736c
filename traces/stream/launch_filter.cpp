#include "traces/stream/launch_filter.h"

#include <algorithm>

#include "traces/base/error.h"

namespace warpscope {

StreamHeader select_launches(const StreamHeader& header, const LaunchSelection& selection) {
  if (selection.is_all()) return header;
  if (header.launches.empty())
    throw InputError(
        "--launch, --kernel: a stream of text does not say what its launches are, expected a capture or a "
        "binary stream");
  StreamHeader chosen = header;
  chosen.launches.clear();
  for (const LaunchInfo* launch : selection.of(header.launches)) chosen.launches.push_back(*launch);
  if (!chosen.context.is_object()) return chosen;
  chosen.context["launch"] = selection.launch_json();
  if (!selection.kernel_text().empty()) chosen.context["kernel"] = selection.kernel_text();
  return chosen;
}

void LaunchFilter::begin(const StreamHeader& header) {
  const StreamHeader chosen = select_launches(header, selection_);
  for (const LaunchInfo& launch : chosen.launches) selected_.push_back(launch.id);
  sink_.begin(chosen);
}

void LaunchFilter::begin_launch(LaunchId launch) {
  passes_ = selection_.is_all() || std::binary_search(selected_.begin(), selected_.end(), launch);
  if (passes_) sink_.begin_launch(launch);
}

}  // namespace warpscope
