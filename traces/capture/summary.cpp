#include "traces/capture/summary.h"

#include "traces/base/progress.h"
#include "traces/capture/walk.h"

namespace warpscope {
namespace {

void count(ExecutionCounts& counts, AccessKind kind, std::uint64_t executions) {
  if (kind == AccessKind::Load) counts.loads += executions;
  if (kind == AccessKind::Store) counts.stores += executions;
  if (kind == AccessKind::Atomic) counts.atomics += executions;
}

void add_site(LaunchSummary& summary, const SiteInfo& site, std::uint64_t executions) {
  if (site.kind == AccessKind::Barrier) summary.barriers += executions;
  if (site.kind == AccessKind::Fence) summary.fences += executions;
  if (!has_address(site.kind)) return;
  count(summary.by_address_space[site.space], site.kind, executions);
  if (site.space == AddressSpace::Private) return;
  count(summary.total, site.kind, executions);
  if (site.kind != AccessKind::Store) summary.bytes_loaded += executions * site.width;
  if (site.kind != AccessKind::Load) summary.bytes_stored += executions * site.width;
}

nlohmann::json to_json(const ExecutionCounts& counts) {
  return {{"loads", counts.loads}, {"stores", counts.stores}, {"atomics", counts.atomics}};
}

}  // namespace

LaunchSummary summarize(const CaptureReader& capture, const LaunchInfo& launch, bool with_blocks) {
  LaunchSummary summary;
  if (with_blocks) summary.block_executions.assign(launch.kernel->blocks.size(), 0);
  summary.site_executions.assign(launch.kernel->sites.size(), 0);
  const auto& groups = capture.groups(launch.id);
  Progress progress("counting", groups.size(), "work-groups");
  std::vector<std::uint64_t> items_on_path;
  for (const WorkGroupId group : groups) {
    const WorkGroupTrace trace = capture.read(launch.id, group);
    items_on_path.assign(trace.paths.size(), 0);
    for (const std::uint32_t path : trace.path_of) ++items_on_path[path];
    for (std::size_t path = 0; path < trace.paths.size(); ++path) {
      for (std::size_t site = 0; site < summary.site_executions.size(); ++site) {
        summary.site_executions[site] += trace.paths[path].site_counts[site] * items_on_path[path];
      }
      if (!with_blocks) continue;
      for (PathWalker walk(*launch.kernel, trace.paths[path]); !walk.done(); walk.advance())
        summary.block_executions[walk.block().value()] += items_on_path[path];
    }
    summary.work_items += trace.work_items;
    progress.update(++summary.work_groups);
  }
  for (std::size_t site = 0; site < summary.site_executions.size(); ++site) {
    add_site(summary, launch.kernel->sites[site], summary.site_executions[site]);
  }
  return summary;
}

nlohmann::json to_json(const LaunchInfo& launch, const LaunchSummary& summary) {
  const ExecutionCounts& total = summary.total;
  nlohmann::json json{{"id", launch.id.value()},
                      {"kernel", launch.kernel->name},
                      {"global", {launch.global.x, launch.global.y, launch.global.z}},
                      {"local", {launch.local.x, launch.local.y, launch.local.z}},
                      {"work_groups", summary.work_groups},
                      {"work_items", summary.work_items},
                      {"accesses", total.loads + total.stores + total.atomics},
                      {"loads", total.loads},
                      {"stores", total.stores},
                      {"atomics", total.atomics},
                      {"barriers", summary.barriers},
                      {"fences", summary.fences},
                      {"bytes_loaded", summary.bytes_loaded},
                      {"bytes_stored", summary.bytes_stored},
                      {"sampling", *launch.sampling}};
  if (!launch.name->call_site.empty()) json["call_site"] = launch.name->call_site;
  if (!launch.name->range.empty()) json["range"] = launch.name->range;
  if (!launch.kernel->machine_code.empty()) json["machine_code"] = launch.kernel->machine_code;
  nlohmann::json& spaces = json["by_address_space"];
  for (const AddressSpace space :
       {AddressSpace::Global, AddressSpace::Local, AddressSpace::Constant, AddressSpace::Private}) {
    spaces[name_of(space)] = to_json(ExecutionCounts{});
  }
  for (const auto& [space, counts] : summary.by_address_space) spaces[name_of(space)] = to_json(counts);
  return json;
}

}  // namespace warpscope
