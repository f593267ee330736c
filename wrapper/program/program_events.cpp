#include "wrapper/program/program_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "traces/base/json_fields.h"
#include "traces/program/unwritten.h"
#include "wrapper/session/settings.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostRows = 40;

Dim3 dim3_from(const nlohmann::json& sizes) {
  return {sizes.at(0), sizes.at(1), sizes.at(2)};
}

KernelFault fault_from(const nlohmann::json& event) {
  KernelFault fault;
  event.at("signal").get_to(fault.signal);
  fault.has_address = event.at("has_address") == 1;
  fault.is_stack_overflow = event.at("is_stack_overflow") == 1;
  fault.has_group = event.at("has_group") == 1;
  fault.has_site = event.at("has_site") == 1;
  fault.is_predicted = event.at("is_predicted") == 1;
  fault.launch = LaunchId(event.at("launch").get<std::uint32_t>());
  fault.group = WorkGroupId(event.at("group").get<std::uint32_t>());
  fault.site = SiteId(event.at("site").get<std::uint32_t>());
  fault.item = WorkItemId(event.at("item").get<std::uint32_t>());
  event.at("address").get_to(fault.address);
  event.at("access").get_to(fault.access);
  event.at("object").get_to(fault.object);
  event.at("object_size").get_to(fault.object_size);
  const std::string place = event.value("trap_place", "");
  std::copy_n(place.begin(), std::min(place.size(), fault.trap_place.size() - 1), fault.trap_place.begin());
  return fault;
}

/// Several threads of PoCL may fault in one launch before the process ends: the first says what happened.
/// A fault without a work-group is taken to be of the launch that began last.
void add_fault(const nlohmann::json& event, ProcessEvents& events) {
  KernelFault fault = fault_from(event);
  if (!fault.has_group && !events.launches.empty()) fault.launch = events.launches.back().launch;
  const auto is_same = [&](const KernelFault& other) { return other.launch == fault.launch; };
  if (std::ranges::none_of(events.faults, is_same)) events.faults.push_back(fault);
}

void take(const nlohmann::json& event, ProcessEvents& events, std::map<std::uint32_t, std::size_t>& rows) {
  const std::string kind = event.at("event");
  if (kind == "untraced") events.untraced.push_back(event.at("text"));
  if (kind == "fault") add_fault(event, events);
  if (kind == "capture") events.has_capture = true;
  if (kind == "passed over") events.passed_over.push_back(event.at("kernel"));
  if (kind == kUnwrittenList || kind == kLeftList) {
    nlohmann::json entry = event;
    entry.erase("event");
    events.notes[kind].push_back(std::move(entry));
  }
  if (kind == "warning") events.warnings.push_back(event.at("text"));
  if (kind == "begin") {
    LaunchRow row;
    row.launch = LaunchId(event.at("launch").get<std::uint32_t>());
    row.kernel = event.at("kernel");
    row.global = dim3_from(event.at("global"));
    row.local = dim3_from(event.at("local"));
    row.groups = event.at("groups");
    rows[row.launch.value()] = events.launches.size();
    events.launches.push_back(std::move(row));
  }
  if (kind != "end") return;
  const auto found = rows.find(event.at("launch").get<std::uint32_t>());
  if (found == rows.end()) return;
  LaunchRow& row = events.launches[found->second];
  row.has_ended = true;
  row.seconds = event.at("seconds");
  row.bytes = event.value("bytes", std::uint64_t{0});
  row.recorded = event.value("recorded", std::uint64_t{0});
  row.failure = event.value("failure", "");
  row.is_of_program = event.value("is_of_program", false);
  row.has_run = event.value("has_run", true);
  if (event.contains("counts")) event.at("counts").get_to(row.counts);
  if (!event.contains("outside")) return;
  std::istringstream lines(event.at("outside").get<std::string>());
  for (std::string text; std::getline(lines, text);) {
    // "mm.cl:3:7: 16 of 16 loads …": loads and stores of one place are told apart.
    OutsideNote& note = events.outside[text.substr(0, text.find(": ")) +
                                       (text.find(" loads ") != std::string::npos ? " load" : "")];
    if (note.launches++ == 0) note.text = text;
  }
}

std::string size_text(const Dim3& size) {
  if (size.z != 1) return fmt::format("{}x{}x{}", size.x, size.y, size.z);
  return size.y != 1 ? fmt::format("{}x{}", size.x, size.y) : std::to_string(size.x);
}

std::uint64_t count_of(const LaunchRow& row, const std::string& kind) {
  std::uint64_t sum = 0;
  for (const auto& [what, count] : row.counts)
    if (what.ends_with(kind)) sum += count;
  return sum;
}

/// The launches of one kernel as one row.
struct Folded {
  LaunchRow row;
  std::uint64_t launches = 0;
};

std::vector<Folded> fold(const std::vector<LaunchRow>& launches) {
  std::vector<Folded> result;
  std::map<std::string, std::size_t> position;
  for (const LaunchRow& launch : launches) {
    const auto [at, is_new] = position.emplace(launch.kernel, result.size());
    if (is_new) {
      result.emplace_back().row.kernel = launch.kernel;
      result.back().row.global = launch.global;
      result.back().row.local = launch.local;
    }
    Folded& sum = result[at->second];
    ++sum.launches;
    sum.row.has_ended |= launch.has_ended;
    for (const auto& [what, count] : launch.counts) sum.row.counts[what] += count;
    sum.row.seconds += launch.seconds;
    sum.row.untraced_seconds += launch.untraced_seconds;
    sum.row.bytes += launch.bytes;
  }
  return result;
}

std::string line(const std::string& first, const LaunchRow& row, bool with_slowdown) {
  std::string text = fmt::format("{:>8}  {:<24} {:>14} {:>10}", first, row.kernel, size_text(row.global),
                                 size_text(row.local));
  // A process that is killed says no more of a launch, whatever of it is in the capture.
  text += row.has_ended
              ? fmt::format(" {:>13} {:>13} {:>11} {:>9} {:>10.6f} {:>12}", count_of(row, "loads"),
                            count_of(row, "stores"), count_of(row, "atomics"), count_of(row, "barriers"),
                            row.seconds, row.bytes)
              : fmt::format(" {:>13} {:>13} {:>11} {:>9} {:>10} {:>12}", "-", "-", "-", "-", "-", "-");
  if (with_slowdown)
    text += row.untraced_seconds > 0 ? fmt::format(" {:>8.1f}x", row.seconds / row.untraced_seconds)
                                     : fmt::format(" {:>9}", "-");
  return text + "\n";
}

}  // namespace

ProcessEvents read_events(const std::string& path) {
  ProcessEvents events;
  std::map<std::uint32_t, std::size_t> rows;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    const nlohmann::json event = nlohmann::json::parse(text, nullptr, false);
    if (event.is_object()) take(event, events, rows);
  }
  return events;
}

LaunchCounts read_launch_counts(const std::string& path) {
  LaunchCounts counts;
  std::ifstream file(path, std::ios::binary);
  std::uint64_t numbers[3] = {};
  if (file.read(reinterpret_cast<char*>(numbers), sizeof(numbers)))
    counts = {numbers[0], numbers[1], numbers[2]};
  return counts;
}

std::uint64_t launch_count(const std::string& directory) {
  std::uint64_t launches = 0;
  for (unsigned process = 1; std::filesystem::exists(layer::process_folder(directory, process)); ++process)
    launches += read_launch_counts(layer::process_folder(directory, process) + layer::kCountsFile).launches;
  return launches;
}

std::string how_to_take_less(std::uint64_t launches, std::chrono::seconds since) {
  if (launches == 0) return "";
  std::uint64_t many = 10;
  while (many < 10 * launches) many *= 10;
  const double minutes =
      static_cast<double>(many) / static_cast<double>(launches) * static_cast<double>(since.count()) / 60;
  return fmt::format(
      "trace-kernel: {} launch{} in the first {} s, so {} of this size take about {:.0f} minutes; --launch, "
      "--kernel, --max-launches and --work-groups record a part of a program, and after Ctrl-C launches that "
      "are complete stay\n",
      launches, launches == 1 ? "" : "es", since.count(), many, minutes);
}

std::string launch_table(const std::vector<LaunchRow>& launches) {
  const bool with_slowdown = std::any_of(launches.begin(), launches.end(),
                                         [](const LaunchRow& row) { return row.untraced_seconds > 0; });
  const bool is_long = launches.size() > kMostRows;
  std::string text = fmt::format("{:>8}  {:<24} {:>14} {:>10} {:>13} {:>13} {:>11} {:>9} {:>10} {:>12}{}\n",
                                 is_long ? "launches" : "launch", "kernel",
                                 is_long ? "global (1st)" : "global", "local", "loads", "stores", "atomics",
                                 "barriers", "seconds", "bytes", with_slowdown ? "  slowdown" : "");
  if (is_long) {
    for (const Folded& sum : fold(launches))
      text += line(fmt::format("{} of", sum.launches), sum.row, with_slowdown);
    return text;
  }
  for (const LaunchRow& row : launches) text += line(std::to_string(row.launch.value()), row, with_slowdown);
  return text;
}

}  // namespace warpscope
