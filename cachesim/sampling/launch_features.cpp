#include "cachesim/sampling/launch_features.h"

#include <algorithm>
#include <set>

#include "cachesim/sampling/estimate.h"
#include "traces/base/progress.h"

namespace warpscope {
namespace {

constexpr std::size_t kGroupsRead = 4;
constexpr std::size_t kWarp = 32;
constexpr int kLineShift = 7;

/// Lines that the warps touch when each work-item executes the site for the first time; a line that comes back after another counts
/// again.
std::uint64_t lines_of(const SiteColumn& column) {
  std::uint64_t lines = 0, last = 0;
  for (std::size_t item = 0; item < column.first.size(); ++item) {
    if (item % kWarp == 0) last = ~std::uint64_t{0};
    if (column.shape_of[item] == SiteColumn::kNone) continue;
    const std::uint64_t line = column.first[item] >> kLineShift;
    if (line != last) ++lines;
    last = line;
  }
  return lines;
}

LaunchFeatures features_of(const KernelInfo& kernel, const WorkGroupTrace& trace) {
  std::vector<std::uint64_t> items_on_path(trace.paths.size());
  for (const std::uint32_t path : trace.path_of) ++items_on_path[path];
  LaunchFeatures sum;
  for (std::size_t site = 0; site < kernel.sites.size(); ++site) {
    if (!has_address(kernel.sites[site].kind)) continue;
    std::uint64_t executions = 0, items = 0;
    for (std::size_t path = 0; path < trace.paths.size(); ++path) {
      const std::uint64_t count = trace.paths[path].site_counts[site];
      executions += count * items_on_path[path];
      if (count != 0) items += items_on_path[path];
    }
    if (items == 0) continue;
    const double requests = as_real(executions) / static_cast<double>(kWarp);
    const AddressSpace space = kernel.sites[site].space;
    const bool in_lines = space == AddressSpace::Global || space == AddressSpace::Generic;
    sum.requests += requests;
    sum.transactions +=
        in_lines ? as_real(executions) / as_real(items) * as_real(lines_of(trace.columns[site])) : requests;
  }
  return sum;
}

}  // namespace

LaunchFeatures features_of(const CaptureReader& capture, const LaunchInfo& launch) {
  const std::vector<WorkGroupId>& groups = capture.groups(launch.id);
  LaunchFeatures sum;
  if (!groups.empty()) {
    const std::vector<std::uint32_t>& bytes = capture.stored_bytes(launch.id);
    std::uint64_t all = 0, looked_at = 0;
    for (const std::uint32_t one : bytes) all += one;
    std::set<std::size_t> positions;
    for (std::size_t i = 0; i < kGroupsRead; ++i)
      positions.insert((groups.size() - 1) * i / (kGroupsRead - 1));
    for (const std::size_t position : positions) {
      const LaunchFeatures one = features_of(*launch.kernel, capture.read(launch.id, groups[position]));
      sum.requests += one.requests;
      sum.transactions += one.transactions;
      looked_at += bytes[position];
    }
    const double times = looked_at == 0 ? 1 : as_real(all) / as_real(looked_at);
    sum.requests *= times;
    sum.transactions *= times;
  }
  sum.transactions = std::max(1.0, sum.transactions);
  return sum;
}

std::vector<LaunchFeatures> features_of(const CaptureReader& capture,
                                        const std::vector<const LaunchInfo*>& launches) {
  std::vector<LaunchFeatures> features;
  features.reserve(launches.size());
  Progress progress("comparing", launches.size(), "launches");
  for (const LaunchInfo* launch : launches) {
    features.push_back(features_of(capture, *launch));
    progress.update(features.size());
  }
  return features;
}

}  // namespace warpscope
