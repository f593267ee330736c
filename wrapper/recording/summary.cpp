#include "wrapper/recording/summary.h"

#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "traces/base/printable.h"

namespace warpscope {

std::string location_of(const SiteInfo& site) {
  if (site.locations.empty()) return "?";
  const SourceLocation& location = site.locations.front();
  return fmt::format("{}:{}:{}", location.file, location.line, location.column);
}

std::uint64_t access_count(const KernelInfo& kernel, const RecorderTotals& totals) {
  std::uint64_t count = 0;
  for (std::size_t site = 0; site < kernel.sites.size(); ++site)
    if (has_address(kernel.sites[site].kind)) count += totals.sites[site].executions;
  return count;
}

namespace {

using Counts = std::map<std::pair<AccessKind, AddressSpace>, std::uint64_t>;

Counts count(const KernelInfo& kernel, const RecorderTotals& totals) {
  Counts counts;
  for (std::size_t site = 0; site < kernel.sites.size(); ++site) {
    const SiteInfo& info = kernel.sites[site];
    // A barrier has no address space of its own; fences neither.
    const AddressSpace space = has_address(info.kind) ? info.space : AddressSpace::Private;
    counts[{info.kind, space}] += totals.sites[site].executions;
  }
  return counts;
}

std::string name_of_count(const Counts::key_type& key) {
  const auto& [kind, space] = key;
  return has_address(kind) ? fmt::format("{} {}s", name_of(space), name_of(kind))
                           : fmt::format("{}s", name_of(kind));
}

}  // namespace

void say(const std::string& text) {
  std::fputs(printable_lines(text).c_str(), stderr);
}

std::string access_table(const KernelInfo& kernel, const RecorderTotals& totals) {
  std::string text;
  for (const auto& [key, executions] : count(kernel, totals))
    text += fmt::format("  {:<18} {:>15}\n", name_of_count(key), executions);
  return text;
}

std::map<std::string, std::uint64_t> counts_by_kind(const KernelInfo& kernel, const RecorderTotals& totals) {
  std::map<std::string, std::uint64_t> result;
  for (const auto& [key, executions] : count(kernel, totals)) result[name_of_count(key)] += executions;
  return result;
}

std::string site_table(const KernelInfo& kernel, const RecorderTotals& totals) {
  std::string text = fmt::format("  {:>4}  {:<8} {:<9} {:>5}  {:>15}  {}\n", "site", "kind", "space", "bytes",
                                 "executions", "source");
  for (std::size_t site = 0; site < kernel.sites.size(); ++site) {
    const SiteInfo& info = kernel.sites[site];
    text += fmt::format("  {:>4}  {:<8} {:<9} {:>5}  {:>15}  {}\n", site, name_of(info.kind),
                        has_address(info.kind) ? name_of(info.space) : "-", info.width,
                        totals.sites[site].executions, location_of(info));
  }
  return text;
}

std::string out_of_bounds_report(const KernelInfo& kernel, const RecorderTotals& totals) {
  std::string text;
  for (std::size_t site = 0; site < kernel.sites.size(); ++site) {
    const SiteTotals& sums = totals.sites[site];
    if (sums.out_of_bounds == 0) continue;
    const SiteInfo& info = kernel.sites[site];
    std::string object = "of every known buffer";
    if (info.object.kind == StaticObject::Kind::Argument && info.object.index < kernel.arguments.size())
      object = fmt::format("of '{}'", kernel.arguments[info.object.index].name);
    else if (info.object.kind != StaticObject::Kind::Unknown && info.object.index < kernel.objects.size())
      object = fmt::format("of '{}'", kernel.objects[info.object.index].name);
    text += fmt::format(
        "{}: {} of {} {}s are outside {} (first: work-item {} of work-group {}); recorded as buffer 0\n",
        location_of(info), sums.out_of_bounds, sums.executions, name_of(info.kind), object,
        sums.first_out_of_bounds & 0xffffffffu, sums.first_out_of_bounds >> 32);
  }
  return text;
}

}  // namespace warpscope
