#include "tools/traces/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/base/printable.h"
#include "traces/capture/summary.h"
#include "traces/capture/walk.h"

namespace warpscope {
namespace {

/// One line; what the capture puts into it cannot make more of it.
template <class... Values>
void print_line(fmt::format_string<Values...> format, Values&&... values) {
  constexpr std::size_t kLongestLine = 4000;
  fmt::print("{}\n", quotable(fmt::format(format, std::forward<Values>(values)...), kLongestLine));
}

std::string size_text(Dim3 size) {
  return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

template <class Range, class Text>
std::string joined(const Range& range, const Text& text, const char* separator) {
  std::string result;
  for (const auto& element : range) result += (result.empty() ? "" : separator) + text(element);
  return result;
}

std::string location_text(const SourceLocation& at) {
  return fmt::format("{}:{}:{}", at.file, at.line, at.column);
}

std::string locations_text(const SiteInfo& site) {
  return joined(site.locations, location_text, ", ");
}

std::string object_text(const KernelInfo& kernel, const StaticObject& object) {
  if (object.kind == StaticObject::Kind::Unknown) return "?";
  if (object.kind == StaticObject::Kind::Argument) return kernel.arguments[object.index].name;
  return kernel.objects[object.index].name;
}

/// A value of the file's header, which may be anything.
std::string text_in(const nlohmann::json& header, const char* key) {
  const auto found = header.find(key);
  if (found == header.end()) return "?";
  return found->is_string() ? found->get<std::string>() : dump(*found);
}

void list_header(const CaptureReader& capture, const std::string& path) {
  print_line("{}: capture {}{}", path, capture.hash(), capture.is_partial() ? " (partial)" : "");
  const nlohmann::json& header = capture.file_header();
  if (const auto missing = capture.notes().find("not_traced"); missing != capture.notes().end())
    for (const nlohmann::json& part : *missing)
      print_line("  not traced: {} launches {}", text_in(part, "launches"), text_in(part, "why"));
  print_line("  made by {}, options: {}", text_in(header, "tool"), text_in(header, "options"));
  if (header.contains("device_like"))
    print_line("  the program saw a device like: {}", text_in(header, "device_like"));
  for (const BufferInfo& buffer : capture.buffers()) {
    print_line("  buffer {}: {}, {} bytes, {}{}{}", buffer.id.value(), buffer.name, buffer.size,
               name_of(buffer.space), buffer.flags.empty() ? "" : ", ", buffer.flags);
  }
}

void list_launch(const CaptureReader& capture, const LaunchInfo& launch) {
  const KernelInfo& kernel = launch.kernel;
  print_line("  global size {}, local size {}{}, offset {}", size_text(launch.global),
             size_text(launch.local), launch.has_open_local ? " (left open by the program)" : "",
             size_text(launch.offset));
  if (launch.cluster.count() > 1) print_line("  clusters of {} work-groups", size_text(launch.cluster));
  if (const auto& [call_site, range] = *launch.name; !call_site.empty() || !range.empty())
    print_line("  launched at {}{}{}", call_site.empty() ? "?" : call_site,
               range.empty() ? "" : ", in the range ", range);
  print_line("  {} of {} work-groups, sampling {}, optimize {}, {} sites, {} blocks, {} loops",
             capture.groups(launch.id).size(), launch.groups().count(), *launch.sampling, *launch.optimize,
             kernel.sites.size(), kernel.blocks.size(), kernel.loops.size());
  print_line("  local memory: {} bytes static, {} bytes dynamic; about {} registers per work-item ({})",
             kernel.static_local_bytes, launch.dynamic_local_bytes, kernel.registers_estimate,
             kernel.registers_estimate == 0 ? "unknown" : kernel.registers_from);
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const ArgumentValue& value = launch.arguments[i];
    const std::string text = value.buffer.value() != 0
                                 ? fmt::format("buffer {} + {}", value.buffer.value(), value.offset)
                                 : value.value;
    print_line("  argument {}: {} {} = {}", i, kernel.arguments[i].type, kernel.arguments[i].name, text);
  }
  for (std::size_t i = 0; i < kernel.objects.size(); ++i) {
    print_line("  array {}: {}, {} bytes, buffer {}", kernel.objects[i].name,
               name_of(kernel.objects[i].space), kernel.objects[i].size, launch.objects[i].value());
  }
  for (const LoopInfo& loop : kernel.loops) {
    if (loop.left_rolled == 0) continue;
    print_line(
        "  left rolled: a loop of {} iterations at {}; unrolled, it would exceed {} barriers or {} "
        "branches that decide about one",
        loop.left_rolled,
        loop.location
            ? fmt::format("{}:{}:{}", loop.location->file, loop.location->line, loop.location->column)
            : "an unknown line",
        kernel.barrier_bound, kernel.guard_bound);
  }
  for (const std::string& what : kernel.untraceable) print_line("  not traced: {}", what);
}

void list_summary(const LaunchSummary& summary) {
  print_line("  {} work-groups, {} work-items", summary.work_groups, summary.work_items);
  print_line("  {:<10} {:>16} {:>16} {:>16}", "space", "loads", "stores", "atomics");
  for (const auto& [space, counts] : summary.by_address_space) {
    print_line("  {:<10} {:>16} {:>16} {:>16}", name_of(space), counts.loads, counts.stores, counts.atomics);
  }
  print_line("  {} barriers, {} fences; {} bytes loaded, {} bytes stored (without private memory)",
             summary.barriers, summary.fences, summary.bytes_loaded, summary.bytes_stored);
}

void list_sites(const KernelInfo& kernel, const LaunchSummary& summary) {
  print_line("  {:>4} {:<8} {:<9} {:>5} {:>5} {:>5} {:>16}  {:<12} {}", "site", "kind", "space", "width",
             "align", "block", "executions", "object", "source lines");
  for (std::size_t i = 0; i < kernel.sites.size(); ++i) {
    const SiteInfo& site = kernel.sites[i];
    const std::string kind =
        std::string(name_of(site.kind)) + (site.operation.empty() ? "" : " " + site.operation);
    print_line("  {:>4} {:<8} {:<9} {:>5} {:>5} {:>5} {:>16}  {:<12} {} ({}){}{}{}", i, kind,
               name_of(site.space), site.width, site.alignment, site.point.block.value(),
               summary.site_executions[i], object_text(kernel, site.object), locations_text(site),
               site.function, site.is_volatile ? " volatile" : "", site.is_streaming ? " streaming" : "",
               site.is_bypass      ? " bypass"
               : site.is_read_only ? " read-only"
                                   : "");
  }
}

void list_blocks(const KernelInfo& kernel) {
  const auto number = [](auto id) { return std::to_string(id.value()); };
  for (std::size_t i = 0; i < kernel.blocks.size(); ++i) {
    const BlockInfo& block = kernel.blocks[i];
    print_line("  block {}: to {}; post-dominator {}; loop {}; {} instructions; sites {}", i,
               block.successors.empty() ? "return" : joined(block.successors, number, ", "),
               block.immediate_post_dominator ? number(*block.immediate_post_dominator) : "exit",
               block.loop ? std::to_string(*block.loop) : "none", block.instructions,
               block.sites.empty() ? "none" : joined(block.sites, number, ", "));
    const auto entry = [](const auto& pair) { return fmt::format("{} {}", pair.second, pair.first); };
    if (!block.mix.empty()) print_line("    {}", joined(block.mix, entry, ", "));
    if (block.parallelism) print_line("    {}", parallelism_text(block));
  }
  for (std::size_t i = 0; i < kernel.loops.size(); ++i) {
    print_line("  loop {}: header {}, in {}{}", i, kernel.loops[i].header.value(),
               kernel.loops[i].parent ? "loop " + std::to_string(*kernel.loops[i].parent) : "none",
               kernel.loops[i].is_counted ? "" : ", not counted");
  }
}

using Launches = std::vector<const LaunchInfo*>;

/// Those whose instructions are listed together: of one kernel, or each by itself.
std::vector<Launches> groups_of(const Launches& launches, const ListingParts& parts) {
  std::vector<Launches> groups;
  std::map<const void*, std::size_t> known;
  for (const LaunchInfo* launch : launches) {
    const auto [entry, is_new] = known.try_emplace(launch->kernel.identity(), groups.size());
    if (is_new || !parts.sums)
      groups.push_back({launch});
    else
      groups[entry->second].push_back(launch);
  }
  return groups;
}

/// Of launches of one kernel.
std::vector<InstructionTotals> totals_of(const CaptureReader& capture, const Launches& launches) {
  std::vector<InstructionTotals> sums;
  for (const LaunchInfo* launch : launches) {
    const std::vector<InstructionTotals> totals = capture.totals(launch->id);
    sums.resize(std::max(sums.size(), totals.size()));
    for (std::size_t place = 0; place < totals.size(); ++place) {
      sums[place].warps += totals[place].warps;
      sums[place].lanes += totals[place].lanes;
      sums[place].guarded += totals[place].guarded;
    }
  }
  return sums;
}

void list_instructions(const CaptureReader& capture, const Launches& launches) {
  const auto code = capture.machine_code(launches.front()->id);
  if (!code) return print_line("  no machine code: expected a capture made with trace-kernel --machine");
  if (const std::string text = order_dependence(*code); !text.empty())
    print_line("  order-dependent: {}", text);
  const std::vector<InstructionTotals> totals = totals_of(capture, launches);
  print_line("{:>8} {:>12} {:>14} {:>14}  {}", "address", "warps", "lanes", "guard holds", "instruction");
  for (std::size_t place = 0; place < code->instructions.size() && place < totals.size(); ++place) {
    const MachineInstruction& one = code->instructions[place];
    print_line("{:>8x} {:>12} {:>14} {:>14}  {}{}{}", 16 * place, totals[place].warps, totals[place].lanes,
               totals[place].guarded, one.text, one.location.empty() ? "" : "  // ", one.location);
  }
}

nlohmann::json instructions_json(const CaptureReader& capture, const Launches& launches) {
  const auto code = capture.machine_code(launches.front()->id);
  if (!code) return nullptr;
  const std::vector<InstructionTotals> totals = totals_of(capture, launches);
  nlohmann::json json = to_json(*code);
  for (std::size_t place = 0; place < code->instructions.size() && place < totals.size(); ++place)
    json["instructions"][place].update(
        {{"warps", totals[place].warps}, {"lanes", totals[place].lanes}, {"guarded", totals[place].guarded}});
  return json;
}

}  // namespace

void list_capture(const CaptureReader& capture, const std::string& path,
                  const std::vector<const LaunchInfo*>& launches, const ListingParts& parts) {
  list_header(capture, path);
  for (const Launches& group : groups_of(launches, parts)) {
    const LaunchInfo* launch = group.front();
    print_line("launch {}: kernel {} ({}){}", launch->id.value(), launch->kernel->name, *launch->source_name,
               group.size() > 1 ? fmt::format(", and {} more of this kernel", group.size() - 1) : "");
    if (parts.header() || parts.summary) list_launch(capture, *launch);
    LaunchSummary summary;
    if (parts.summary || parts.sites) summary = summarize(capture, *launch);
    if (parts.summary) list_summary(summary);
    if (parts.sites) list_sites(launch->kernel, summary);
    if (parts.cfg) list_blocks(launch->kernel);
    if (parts.instructions) list_instructions(capture, group);
    if (parts.source) fmt::print("{}", printable_lines(*launch->source));
  }
}

void list_work_item(const CaptureReader& capture, const LaunchInfo& launch, WorkGroupId group,
                    WorkItemId item, const LayoutOptions& options) {
  const WorkGroupTrace trace = capture.read(launch.id, group);
  if (item.value() >= trace.work_items) {
    throw InputError(
        fmt::format("work-item {} does not exist, expected less than {}", item.value(), trace.work_items));
  }
  const Layout layout(capture.buffers(), options);
  print_line("{:>8} {:>5} {:>5} {:<8} {:<9} {:>14}  {:<24} {}", "number", "block", "site", "kind", "space",
             "address", "object + offset", "source lines");
  std::uint64_t number = 0;
  walk_work_item(*launch.kernel, trace, item, [&](const WalkStep& step) {
    const SiteInfo& site = launch.kernel->sites[step.site.value()];
    std::string address;
    std::string where;
    if (has_address(site.kind)) {
      const std::uint32_t buffer = step.where.buffer().value();
      const bool known = buffer != 0 && buffer <= capture.buffers().size();
      address = fmt::format("{:#x}", layout.address(step.where).value());
      where =
          fmt::format("{} + {}", known ? capture.buffers()[buffer - 1].name : "outside", step.where.offset());
    }
    print_line("{:>8} {:>5} {:>5} {:<8} {:<9} {:>14}  {:<24} {}", number++, step.block.value(),
               step.site.value(), name_of(site.kind), name_of(site.space), address, where,
               locations_text(site));
  });
}

void list_races(const RaceReport& report) {
  std::map<std::pair<std::string, std::string>, std::uint64_t> in_step;  // (kernel, array) -> pairs
  for (const Race& race : report.races) {
    if (race.scope == RaceScope::InStep && ++in_step[{race.kernel, race.object}] > 1) continue;
    print_line("{}{}", race.scope == RaceScope::InStep ? "in step: " : "race: ", race_text(race));
    print_line("  {}", race_example(race));
  }
  for (const auto& [where, count] : in_step)
    if (count > 1)
      print_line("in step: kernel {}: {} more pairs of accesses to {}", where.first, count - 1, where.second);
  for (const Race& store : report.common_stores)
    print_line("common store: kernel {}: {} to {} by several work-items: no race if they store one value",
               store.kernel, location_text(store.first.at), store.object);
  for (const auto& [kernel, why] : report.not_checked) print_line("not checked: kernel {}: {}", kernel, why);
  const auto counted = [](std::uint64_t count, const char* what, const char* ending = "s") {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : ending);
  };
  print_line("{} in local memory; {} of {} checked{}", counted(report.count(), "race"),
             counted(report.groups, "work-group"), counted(report.launches, "launch", "es"),
             report.in_part ? fmt::format("; --race-groups all checks all of {}",
                                          counted(report.all_launches, "launch", "es"))
                            : "");
}

void list_faults(const FaultReport& report) {
  for (const Fault& fault : report.faults)
    print_line("{}: {}: kernel {}: {} [{}]", name_of(class_of(fault.code).level),
               location_text(fault.first.access.at), fault.kernel, fault_text(fault),
               class_of(fault.code).code);
  for (const auto& [kernel, why] : report.not_checked)
    print_line("races inside work-groups not checked: kernel {}: {}", kernel, why);
  print_line("{} launches, {} work-groups, {} accesses{}", report.launches, report.groups, report.accesses,
             report.in_part ? "; in part: not all fit into memory" : "");
}

namespace {

/// `group`: launches whose instructions are listed together; all else is of the first.
nlohmann::json launch_json(const CaptureReader& capture, const Launches& group, const ListingParts& parts) {
  const LaunchInfo& launch = *group.front();
  nlohmann::json entry = to_json(launch);
  if (!parts.source) entry.erase("source");
  nlohmann::json kernel = std::move(entry["kernel"]);
  // "kernel" is the name in every form; its tables are shown on request.
  entry["kernel"] = launch.kernel->name;
  if (parts.header() || parts.cfg) entry["blocks"] = std::move(kernel["blocks"]);
  if (parts.header() || parts.cfg) entry["loops"] = std::move(kernel["loops"]);
  if (parts.header() || parts.sites) entry["sites"] = std::move(kernel["sites"]);
  if (parts.summary || parts.sites) {
    const LaunchSummary summary = summarize(capture, launch, /*with_blocks=*/parts.cfg);
    for (std::size_t block = 0; block < summary.block_executions.size(); ++block)
      entry["blocks"][block]["executions"] = summary.block_executions[block];
    for (std::size_t site = 0; parts.sites && site < summary.site_executions.size(); ++site) {
      entry["sites"][site]["executions"] = summary.site_executions[site];
    }
    if (parts.summary) entry.update(to_json(launch, summary));
  }
  if (parts.instructions) entry["machine_code"] = instructions_json(capture, group);
  if (parts.sums) entry["launches"] = group.size();
  return entry;
}

/// As it looks inside of others.
std::string indented(const nlohmann::json& value, const std::string& indent) {
  const std::string text = value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '\n') result += indent;
  }
  return result;
}

}  // namespace

// Launch by launch: all of them together may be more than fits into memory.
void list_json(const CaptureReader& capture, const std::vector<const LaunchInfo*>& launches,
               const ListingParts& parts) {
  nlohmann::json buffers = nlohmann::json::array();
  for (const BufferInfo& buffer : capture.buffers()) buffers.push_back(to_json(buffer));
  fmt::print("{{\n  \"buffers\": {},\n  \"capture\": \"{}\",\n  \"file\": {},\n  \"launches\": [",
             indented(buffers, "  "), capture.hash(), indented(capture.file_header(), "  "));
  const char* before = "\n    ";
  for (const Launches& group : groups_of(launches, parts)) {
    fmt::print("{}{}", before, indented(launch_json(capture, group, parts), "    "));
    before = ",\n    ";
  }
  fmt::print("{}],\n  \"notes\": {},\n  \"partial\": {}\n}}\n", launches.empty() ? "" : "\n  ",
             indented(capture.notes(), "  "), capture.is_partial());
}

}  // namespace warpscope
