#include "traces/crawford/crawford_import.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "traces/capture/writer.h"
#include "traces/crawford/crawford_flow.h"
#include "traces/program/delta_runs.h"
#include "traces/program/launch_selection.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {
namespace {

constexpr BufferId kMemory{1};

/// Addresses of one work-item, by site.
using Locations = std::vector<std::vector<std::uint64_t>>;

/// One work-group: paths and shapes are numbered as they occur.
class GroupBuilder {
 public:
  GroupBuilder(const CrawfordFlow& flow, const LaunchInfo& launch, WorkGroupId group)
      : flow_(flow), kernel_(*launch.kernel), shapes_(kernel_.sites.size()) {
    trace_.launch = launch.id;
    trace_.group = group;
    trace_.work_items = static_cast<std::uint32_t>(launch.local.count());
    trace_.columns.resize(kernel_.sites.size());
  }

  /// Work-items come in ascending order; those that are left out have no line.
  void add(CrawfordItem item, std::uint32_t number) {
    skip_to(number);
    add_item(item);
  }

  std::vector<std::uint8_t> finish() {
    skip_to(trace_.work_items);
    return encode(trace_);
  }

 private:
  /// Work-items without a line take one path, whose sites are counted once for all of them.
  void skip_to(std::uint32_t number) {
    if (trace_.path_of.size() == number) return;
    if (!idle_) idle_ = path_index(flow_.outcomes({}), Locations(kernel_.sites.size()));
    trace_.path_of.resize(number, *idle_);
  }

  void add_item(CrawfordItem item) {
    Locations locations(kernel_.sites.size());
    for (const CrawfordEvent& event : item)
      locations[flow_.site_of(event).value()].push_back(
          BufferAddr(kMemory, event.record.address.value()).key());
    const auto index = static_cast<std::uint32_t>(trace_.path_of.size());
    trace_.path_of.push_back(path_index(flow_.outcomes(item), locations));
    for (std::size_t site = 0; site < locations.size(); ++site) {
      if (!has_address(kernel_.sites[site].kind) || locations[site].empty()) continue;
      SiteColumn& column = trace_.columns[site];
      column.shape_of.resize(trace_.work_items, SiteColumn::kNone);
      column.first.resize(trace_.work_items, 0);
      column.first[index] = locations[site][0];
      column.shape_of[index] = shape_index(site, runs_between(locations[site]));
    }
  }

  std::uint32_t shape_index(std::size_t site, const std::vector<DeltaRun>& shape) {
    std::vector<std::int64_t> key;
    for (const DeltaRun& run : shape)
      key.insert(key.end(), {run.delta, static_cast<std::int64_t>(run.repeat)});
    const auto next = static_cast<std::uint32_t>(shapes_[site].size());
    const auto [found, is_new] = shapes_[site].try_emplace(std::move(key), next);
    if (is_new) trace_.columns[site].shapes.add(shape);
    return found->second;
  }

  std::uint32_t path_index(std::vector<bool> outcomes, const Locations& locations) {
    Path path;
    path.bit_count = outcomes.size();
    path.bits.resize((outcomes.size() + 63) / 64);
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      path.bits[i / 64] |= std::uint64_t{outcomes[i]} << (i % 64);
    for (const auto& site : locations) path.site_counts.push_back(site.size());
    const auto next = static_cast<std::uint32_t>(trace_.paths.size());
    const auto [found, is_new] = paths_.try_emplace(std::move(outcomes), next);
    if (is_new) trace_.paths.push_back(std::move(path));
    return found->second;
  }

  const CrawfordFlow& flow_;
  const KernelInfo& kernel_;
  WorkGroupTrace trace_;
  std::map<std::vector<bool>, std::uint32_t> paths_;
  std::optional<std::uint32_t> idle_;  ///< the path of work-items without a line
  std::vector<std::map<std::vector<std::int64_t>, std::uint32_t>>
      shapes_;  ///< by site: runs, and their number
};

LaunchInfo launch_of(const CrawfordLines& lines, const KernelInfo& kernel, std::uint32_t number,
                     const std::string& file) {
  LaunchInfo launch;
  launch.id = LaunchId(number);
  launch.kernel = kernel;
  launch.global = lines.global;
  launch.local = lines.local;
  launch.dimensions = lines.global.z > 1 ? 3 : lines.global.y > 1 ? 2 : 1;
  launch.arguments = {{kMemory, 0, ""}};
  launch.source_name = file;
  NumberRanges groups;
  std::uint64_t count = 0;
  std::optional<std::uint32_t> last;
  for (const CrawfordEvent& event : lines.events) {
    if (event.launch != number || last == event.group) continue;
    groups.add(*(last = event.group));
    ++count;
  }
  if (count < launch.groups().count()) launch.sampling = groups.text();
  return launch;
}

/// The trace has addresses, not buffers: one that begins at 0, so that offsets are the addresses of the file.
BufferInfo memory_of(const CrawfordLines& lines) {
  std::uint64_t end = 0;
  for (const CrawfordEvent& event : lines.events)
    if (has_address(event.kind)) end = std::max(end, event.record.address.value());
  return {kMemory, "memory", AddressSpace::Global, end + 16, "read_write"};
}

void write_groups(CaptureWriter& writer, CrawfordLines& lines, const CrawfordFlow& flow,
                  const std::vector<LaunchInfo>& launches) {
  std::optional<GroupBuilder> builder;
  LaunchId launch;
  WorkGroupId group;
  const auto finish = [&] {
    if (builder) writer.add_work_group(launch, group, builder->finish());
  };
  lines.each_item([&](CrawfordItem item) {
    const CrawfordEvent& first = item.front();
    if (!builder || launch.value() != first.launch || group.value() != first.group) {
      finish();
      launch = LaunchId(first.launch);
      group = WorkGroupId(first.group);
      builder.emplace(flow, launches[first.launch], group);
    }
    builder->add(item, first.item);
  });
  finish();
}

}  // namespace

CrawfordImport import_crawford_trace(const std::string& from, const std::string& to,
                                     std::optional<std::uint32_t> element_bytes) {
  const std::string file = from == "-" ? "standard input" : std::filesystem::path(from).filename().string();
  CrawfordLines lines = read_crawford_lines(from);
  CrawfordFlow flow(lines, from == "-" ? file : from);
  const KernelInfo kernel = flow.kernel(file, element_bytes);
  CaptureWriter writer(to, {.options_text = "trace of loop counters", .keeps_part = false});
  writer.add_buffer(memory_of(lines));
  std::vector<LaunchInfo> launches;
  for (std::uint32_t number = 0; number < lines.launches; ++number) {
    launches.push_back(launch_of(lines, kernel, number, file));
    writer.add_launch(launches.back(), number == 0 ? std::nullopt : std::optional(LaunchId(0)));
  }
  write_groups(writer, lines, flow, launches);
  writer.finish();
  return {lines.global, lines.local};
}

}  // namespace warpscope
