#include "scheduler/assignment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "traces/base/error.h"
#include "traces/base/parse_number.h"
#include "traces/base/printable.h"
#include "traces/base/random.h"
#include "traces/files/line_reader.h"

namespace warpscope {
namespace {

constexpr const char* kAssignments[] = {"round-robin", "random"};

using CoreOfGroup = std::vector<std::uint32_t>;

std::uint32_t core_in_line(const std::string& path, std::size_t line_number, std::string line,
                           std::uint32_t cores) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.pop_back();
  if (const auto core = parse_number(line, 0, cores - 1)) return static_cast<std::uint32_t>(*core);
  throw InputError(fmt::format("{}:{}: '{}', expected one core number 0 to {}", path, line_number,
                               quotable(line), cores - 1));
}

CoreOfGroup read_placement(const std::string& path, std::uint64_t total, std::uint32_t cores) {
  require_assignment(path, kAssignments);
  LineReader lines(path);
  CoreOfGroup core_of;
  std::string_view line;
  while (lines.next(line)) {
    if (core_of.size() == total) {
      throw InputError(
          fmt::format("{}:{}: more lines than the launch has work-groups, expected {}; --launch selects "
                      "one launch",
                      path, total + 1, total));
    }
    core_of.push_back(core_in_line(path, core_of.size() + 1, std::string(line), cores));
  }
  if (core_of.size() == total) return core_of;
  throw InputError(
      fmt::format("{}:{}: the file ends, expected {} lines, one core number per work-group; --launch "
                  "selects one launch",
                  path, core_of.size() + 1, total));
}

/// There may be many launches, and few are sampled.
std::optional<SampledCores> sampled_cores(const LaunchInfo& launch) {
  if (!launch.sampling->starts_with("every-core:") && !launch.sampling->starts_with("drawn-cores:"))
    return {};
  return GroupSelection::parse(launch.sampling).cores();
}

}  // namespace

void require_assignment(const std::string& how, std::span<const char* const> names) {
  std::string known;
  for (const char* name : names) {
    if (how == name) return;
    known.append(known.empty() ? "" : ", ").append(name);
  }
  std::error_code error;
  const int trouble = std::filesystem::is_directory(how, error) ? EISDIR
                      : ::access(how.c_str(), R_OK) != 0        ? errno
                                                                : 0;
  if (trouble == 0) return;
  throw InputError(
      fmt::format("--assign {}: cannot read: {}; expected {}, or a file with one core number per line",
                  quotable(how), std::strerror(trouble), known));
}

void require_assignment(const std::string& how) {
  require_assignment(how, kAssignments);
}

std::optional<SampledCores> sampled_cores_of(const LaunchList& launches) {
  for (const LaunchInfo& launch : launches)
    if (auto sampled = sampled_cores(launch)) return sampled;
  return {};
}

void require_sampled_cores(const LaunchInfo& launch, std::uint32_t cores, const std::string& how) {
  const auto sampled = sampled_cores(launch);
  if (!sampled || (sampled->of == cores && how == "round-robin")) return;
  throw InputError(fmt::format(
      "launch {}: the work-groups of {} of {} cores were recorded ({}), which {} cores with --assign {} do "
      "not get; "
      "expected {} cores and --assign round-robin",
      launch.id.value(), sampled->count(), sampled->of, *launch.sampling, cores, quotable(how), sampled->of));
}

std::vector<std::vector<WorkGroupId>> assign_groups(const std::vector<WorkGroupId>& present,
                                                    std::uint64_t total, std::uint32_t cores,
                                                    const std::string& how, std::uint64_t seed) {
  std::vector<std::vector<WorkGroupId>> groups_of(cores);
  if (how == "round-robin") {
    for (const WorkGroupId group : present) groups_of[group.value() % cores].push_back(group);
  } else if (how == "random") {
    std::vector<WorkGroupId> order = present;
    SplitMix64 random(seed);
    shuffle(order, random);
    for (std::size_t i = 0; i < order.size(); ++i) groups_of[i % cores].push_back(order[i]);
    for (auto& groups : groups_of) std::sort(groups.begin(), groups.end());
  } else {
    const CoreOfGroup core_of = read_placement(how, total, cores);
    for (const WorkGroupId group : present) groups_of[core_of[group.value()]].push_back(group);
  }
  return groups_of;
}

}  // namespace warpscope
