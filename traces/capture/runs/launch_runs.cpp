#include "traces/capture/runs/launch_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/base/error.h"

namespace warpscope {

std::size_t LoadedRuns::run_of(WorkGroupId group) const {
  const auto next = std::ranges::upper_bound(table.runs, group.value(), {}, &GroupRun::first);
  if (next != table.runs.begin()) {
    const GroupRun& run = *(next - 1);
    const std::uint32_t way = group.value() - run.first;
    if (way % run.step == 0 && way / run.step < run.count)
      return static_cast<std::size_t>(next - table.runs.begin()) - 1;
  }
  throw InputError("is in no run; capture it again");
}

void LoadedRuns::put(WorkGroupId group, std::vector<std::uint8_t>& payload) const {
  const std::size_t at = run_of(group);
  const GroupRun& run = table.runs[at];
  const std::uint32_t way = group.value() - run.first;
  const auto first = table.first_of(at);
  const auto deltas = table.deltas_of(at);
  std::vector<std::uint64_t> numbers(first.begin(), first.end());
  for (std::size_t index = 0; index < numbers.size(); ++index)
    numbers[index] += way / run.step * deltas[index];
  if (!forms[run.form].write(numbers, payload))
    throw InputError("begins at a location that its form cannot have; capture it again");
}

void LaunchRuns::add(std::uint64_t offset, std::uint32_t stored_size, const RunTable& table,
                     std::uint64_t groups) {
  if (table.runs.empty()) return;
  if (groups > kMostGroupsForRuns)
    throw InputError(
        fmt::format("a launch of {} work-groups has some, expected at most {}", groups, kMostGroupsForRuns));
  for (const GroupRun& run : table.runs) {
    if (!runs_.empty() && run.first <= runs_.back().last())
      throw InputError(fmt::format("work-group {} is not in ascending order; capture it again", run.first));
    if (run.last() >= groups)
      throw InputError(
          fmt::format("work-group {} is outside the {} of the launch; capture it again", run.last(), groups));
    runs_.push_back(run);
  }
  sections_.push_back({offset, stored_size, table.runs.front().first, table.runs.back().last()});
}

std::vector<WorkGroupId> LaunchRuns::with(std::span<const WorkGroupId> records) {
  std::vector<WorkGroupId> all;
  std::uint64_t count = records.size();
  for (const GroupRun& run : runs_) count += run.count;
  all.reserve(count);
  const auto add = [&](std::uint32_t group) {
    if (!all.empty() && all.back().value() >= group)
      throw InputError(fmt::format("work-group {} is there twice; capture it again", group));
    all.emplace_back(group);
  };
  for (const GroupRun& run : runs_) {
    for (; !records.empty() && records.front().value() < run.first; records = records.subspan(1))
      add(records.front().value());
    for (std::uint32_t index = 0; index < run.count; ++index) add(run.first + index * run.step);
  }
  for (const WorkGroupId record : records) add(record.value());
  runs_ = {};
  return all;
}

const LaunchRuns::Section* LaunchRuns::section_of(WorkGroupId group) const {
  const auto next = std::ranges::upper_bound(sections_, group.value(), {}, &Section::first);
  if (next == sections_.begin() || group.value() > (next - 1)->last) return nullptr;
  return &*(next - 1);
}

std::shared_ptr<const LoadedRuns> RunCache::get(std::uint64_t offset, const Load& load) {
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find(loaded_, offset, [](const auto& entry) { return entry.first; });
  if (found == loaded_.end()) {
    std::shared_ptr<const LoadedRuns> runs = load();
    if (loaded_.size() == kMost) loaded_.pop_back();
    found = loaded_.insert(loaded_.begin(), {offset, std::move(runs)});
  } else {
    std::rotate(loaded_.begin(), found, found + 1);
    found = loaded_.begin();
  }
  return found->second;
}

}  // namespace warpscope
