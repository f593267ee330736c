#include "cachesim/sampling/launch_features.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "cachesim/sampling/estimate.h"
#include "traces/base/progress.h"

namespace warpscope {
namespace {

constexpr std::size_t kGroupsRead = 4;
constexpr std::size_t kWarp = 32;
constexpr int kLineShift = 7;
/// Cycles, about, on a V100: a launch takes 270 at least, and a load that the next one waits for 60 to 100 in work-lists. A core looks up a
/// line in one.
constexpr double kCyclesOfLaunch = 300, kCyclesOfLoad = 60, kCyclesOfLine = 1;

bool is_in_lines(const SiteInfo& site) {
  return has_address(site.kind) &&
         (site.space == AddressSpace::Global || site.space == AddressSpace::Generic);
}

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
    sum.requests += requests;
    sum.transactions += is_in_lines(kernel.sites[site])
                            ? as_real(executions) / as_real(items) * as_real(lines_of(trace.columns[site]))
                            : requests;
  }
  return sum;
}

/// What of a launch says how long it takes, apart from its counts.
struct Timing {
  std::uint64_t loads = 0;          ///< most of a work-item
  std::set<std::uint32_t> buffers;  ///< the buffers that it reads
};

void add_timing(const KernelInfo& kernel, const WorkGroupTrace& trace, Timing& timing) {
  std::vector<std::uint64_t> loads(trace.paths.size());
  for (std::size_t site = 0; site < kernel.sites.size(); ++site) {
    if (!is_in_lines(kernel.sites[site]) || kernel.sites[site].kind == AccessKind::Store) continue;
    for (std::size_t path = 0; path < loads.size(); ++path)
      loads[path] += trace.paths[path].site_counts[site];
    const SiteColumn& column = trace.columns[site];
    std::uint32_t last = 0;  // no buffer
    for (std::size_t item = 0; item < column.first.size(); ++item) {
      if (column.shape_of[item] == SiteColumn::kNone) continue;
      const std::uint32_t buffer = BufferAddr(column.first[item]).buffer().value();
      if (buffer != last) timing.buffers.insert(buffer);
      last = buffer;
    }
  }
  for (const std::uint64_t one : loads) timing.loads = std::max(timing.loads, one);
}

/// Of `count` work-groups, evenly over all.
std::set<std::size_t> spread_over(std::size_t count) {
  std::set<std::size_t> positions;
  for (std::size_t i = 0; i < kGroupsRead; ++i) positions.insert((count - 1) * i / (kGroupsRead - 1));
  return positions;
}

std::vector<std::size_t> of_most_bytes(const std::vector<std::uint32_t>& bytes) {
  std::vector<std::size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(kGroupsRead, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](std::size_t a, std::size_t b) { return bytes[a] != bytes[b] ? bytes[a] > bytes[b] : a < b; });
  order.resize(count);
  return order;
}

LaunchFeatures features_of(const CaptureReader& capture, const LaunchInfo& launch, Timing* timing) {
  const std::vector<WorkGroupId>& groups = capture.groups(launch.id);
  LaunchFeatures sum;
  if (!groups.empty()) {
    const std::vector<std::uint32_t>& bytes = capture.stored_bytes(launch.id);
    std::uint64_t all = 0, looked_at = 0;
    for (const std::uint32_t one : bytes) all += one;
    const std::set<std::size_t> positions = spread_over(groups.size());
    for (const std::size_t position : positions) {
      const WorkGroupTrace trace = capture.read(launch.id, groups[position]);
      const LaunchFeatures one = features_of(*launch.kernel, trace);
      if (timing != nullptr) add_timing(*launch.kernel, trace, *timing);
      sum.requests += one.requests;
      sum.transactions += one.transactions;
      looked_at += bytes[position];
    }
    if (timing != nullptr)
      for (const std::size_t position : of_most_bytes(bytes))
        if (!positions.contains(position))
          add_timing(*launch.kernel, capture.read(launch.id, groups[position]), *timing);
    const double times = looked_at == 0 ? 1 : as_real(all) / as_real(looked_at);
    sum.requests *= times;
    sum.transactions *= times;
  }
  sum.transactions = std::max(1.0, sum.transactions);
  return sum;
}

}  // namespace

std::vector<LaunchFeatures> features_of(const CaptureReader& capture,
                                        const std::vector<const LaunchInfo*>& launches, LookFor look,
                                        std::uint32_t cores) {
  std::vector<LaunchFeatures> features;
  features.reserve(launches.size());
  std::set<std::uint32_t> read;  // buffers, by the launches so far
  Progress progress("comparing", launches.size(), "launches");
  for (const LaunchInfo* launch : launches) {
    Timing timing;
    LaunchFeatures& one = features.emplace_back(
        features_of(capture, *launch, look == LookFor::CountsAndCycles ? &timing : nullptr));
    if (look == LookFor::CountsAndCycles)
      one.steps = as_real(timing.loads) +
                  (kCyclesOfLaunch + kCyclesOfLine * one.transactions / std::max(1u, cores)) / kCyclesOfLoad;
    for (const std::uint32_t buffer : timing.buffers)
      if (read.insert(buffer).second) one.reads_new = true;
    progress.update(features.size());
  }
  return features;
}

}  // namespace warpscope
