#include "traces/capture/invariants.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/base/error.h"
#include "traces/base/progress.h"
#include "traces/capture/walk.h"
#include "traces/program/group_selection.h"

namespace warpscope {
namespace {

constexpr std::size_t kShownViolations = 20;

void add_violation(CheckResult& result, const std::string& text) {
  ++result.violation_count;
  if (result.violations.size() < kShownViolations) result.violations.push_back(text);
}

class WorkGroupCheck {
 public:
  WorkGroupCheck(const KernelInfo& kernel, const std::vector<BufferInfo>& buffers,
                 const WorkGroupTrace& trace, CheckResult& result)
      : kernel_(kernel), buffers_(buffers), trace_(trace), result_(result) {}

  void run() {
    ++result_.work_groups;
    result_.work_items += trace_.work_items;
    const std::uint64_t violations = result_.violation_count;
    for (std::size_t path = 0; path < trace_.paths.size(); ++path) check_path(path);
    // With wrong counts the columns mean nothing, and could be endless.
    if (result_.violation_count != violations) return;
    for (std::uint32_t warp = 0; warp < trace_.walks.walk_of.size(); ++warp) check_walk(warp);
    for (std::size_t site = 0; site < trace_.columns.size(); ++site) {
      if (!trace_.columns[site].shapes.empty()) check_column(site);
    }
    for (std::uint32_t item = 0; item < trace_.recorded_order.size(); ++item) check_order(item);
  }

 private:
  void violation(const std::string& text) {
    add_violation(result_, fmt::format("launch {}, work-group {}: {}", trace_.launch.value(),
                                       trace_.group.value(), text));
  }

  void check_path(std::size_t index) {
    const Path& path = trace_.paths[index];
    std::vector<std::uint64_t> walked(kernel_.sites.size(), 0);
    try {
      for (PathWalker walk(kernel_, path); !walk.done(); walk.advance()) {
        for (const SiteId site : kernel_.blocks[walk.block().value()].sites) ++walked[site.value()];
      }
    } catch (const InputError& error) {
      return violation(fmt::format("path {}: {}", index, error.what()));
    }
    for (std::size_t site = 0; site < walked.size(); ++site) {
      if (walked[site] == path.site_counts[site]) continue;
      violation(fmt::format("path {}: site {} is walked {} times, but recorded {} times", index, site,
                            walked[site], path.site_counts[site]));
    }
  }

  /// Distances of the accesses of a shape from its first one, bytes.
  struct Reach {
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::uint64_t accesses = 1;
    bool representable = true;
  };

  static Reach reach_of(const ShapeView& shape) {
    Reach reach;
    std::int64_t at = 0;
    for (const DeltaRun& run : shape) {
      std::int64_t distance = 0;
      const bool overflow =
          run.repeat > static_cast<std::uint64_t>(INT64_MAX) ||
          __builtin_mul_overflow(run.delta, static_cast<std::int64_t>(run.repeat), &distance) ||
          __builtin_add_overflow(at, distance, &at);
      if (overflow) reach.representable = false;
      if (overflow) return reach;
      reach.least = std::min(reach.least, at);
      reach.most = std::max(reach.most, at);
      reach.accesses += run.repeat;
    }
    return reach;
  }

  void check_column(std::size_t site) {
    const SiteColumn& column = trace_.columns[site];
    std::vector<Reach> reaches;
    for (std::size_t shape = 0; shape < column.shapes.size(); ++shape) {
      reaches.push_back(reach_of(column.shapes[shape]));
      if (column.shapes.pages() != nullptr) column.shapes.pages()->release();
    }
    for (std::uint32_t item = 0; item < trace_.work_items; ++item) {
      if (column.shape_of[item] == SiteColumn::kNone) continue;
      const Reach& reach = reaches[column.shape_of[item]];
      if (!reach.representable) {
        violation(fmt::format("site {}, work-item {}: locations leave the address space", site, item));
        continue;
      }
      result_.accesses += reach.accesses;
      const BufferAddr least(column.first[item] + static_cast<std::uint64_t>(reach.least));
      const BufferAddr most(column.first[item] + static_cast<std::uint64_t>(reach.most));
      if (least.buffer() == most.buffer()) {
        check_range(site, item, least, most, reach.accesses);
      } else {
        check_one_by_one(site, item);  // the site reaches several buffers
      }
    }
  }

  void check_range(std::size_t site, std::uint32_t item, BufferAddr least, BufferAddr most,
                   std::uint64_t accesses) {
    const std::uint32_t buffer = least.buffer().value();
    if (buffer == 0) {
      result_.outside_every_object += accesses;
    } else if (buffer > buffers_.size()) {
      violation(fmt::format("site {}, work-item {}: buffer {} does not exist", site, item, buffer));
    } else if (most.offset() + kernel_.sites[site].width > buffers_[buffer - 1].size) {
      violation(fmt::format("site {}, work-item {}: offset {} of buffer '{}' is beyond its {} bytes", site,
                            item, most.offset(), buffers_[buffer - 1].name, buffers_[buffer - 1].size));
    }
  }

  void check_one_by_one(std::size_t site, std::uint32_t item) {
    const std::uint64_t violations = result_.violation_count;
    for (LocationCursor cursor(trace_.columns[site], WorkItemId(item)); cursor.has_next();) {
      const BufferAddr where = cursor.next();
      check_range(site, item, where, where, 1);
      if (result_.violation_count != violations) return;  // one per work-item and site is enough
    }
  }

  void check_walk(std::uint32_t warp) {
    try {
      if (hash_of_walk(kernel_, trace_, warp) == trace_.walks.walks[trace_.walks.walk_of[warp]].hash) return;
      violation(fmt::format("warp {}: its lanes do not enter the blocks together that were executed", warp));
    } catch (const InputError& error) {
      violation(fmt::format("warp {}: {}", warp, error.what()));
    }
  }

  void check_order(std::uint32_t item) {
    const std::vector<SiteId>& recorded = trace_.recorded_order[item];
    std::size_t position = 0;
    bool equal = true;
    try {
      walk_work_item(kernel_, trace_, WorkItemId(item), [&](const WalkStep& step) {
        equal = equal && position < recorded.size() && recorded[position] == step.site;
        if (equal) ++position;
      });
    } catch (const InputError& error) {
      return violation(fmt::format("work-item {}: {}", item, error.what()));
    }
    if (!equal || position != recorded.size()) {
      violation(fmt::format("work-item {}: recorded and walked order differ at access {}", item, position));
    }
  }

  const KernelInfo& kernel_;
  const std::vector<BufferInfo>& buffers_;
  const WorkGroupTrace& trace_;
  CheckResult& result_;
};

}  // namespace

void check_work_group(const KernelInfo& kernel, const std::vector<BufferInfo>& buffers,
                      const WorkGroupTrace& trace, CheckResult& result) {
  WorkGroupCheck(kernel, buffers, trace, result).run();
}

namespace {

/// Where a launch has machine code, every instruction has a number of executions.
void check_machine_code(const CaptureReader& capture, const LaunchInfo& launch, CheckResult& result) {
  try {
    const auto code = capture.machine_code(launch.id);
    const std::size_t totals = capture.totals(launch.id).size();
    // Captures of earlier releases have some of functions of the system behind them.
    if (code && totals < code->instructions.size())
      add_violation(result, fmt::format("launch {}: has executions of {} instructions, expected {}",
                                        launch.id.value(), totals, code->instructions.size()));
  } catch (const InputError& error) {
    add_violation(result, error.what());
  }
}

}  // namespace

CheckResult check_capture(const CaptureReader& capture) {
  CheckResult result;
  std::uint64_t total = 0;
  for (const LaunchInfo& launch : capture.launches()) total += capture.groups(launch.id).size();
  Progress progress("checking", total, "work-groups");
  for (const LaunchInfo& launch : capture.launches()) {
    check_machine_code(capture, launch, result);
    const auto& groups = capture.groups(launch.id);
    const std::uint64_t expected = launch.groups().count();
    const auto selection = GroupSelection::parse(launch.sampling);
    const std::uint64_t selected = selection.count(launch.id, expected);
    if (groups.size() > selected || (!capture.is_partial() && groups.size() != selected)) {
      add_violation(result,
                    fmt::format("launch {}: holds {} of its {} work-groups, expected {} of them ({})",
                                launch.id.value(), groups.size(), expected, selected, selection.text()));
    }
    // Groups ascend, so the last is the largest.
    if (!groups.empty() && groups.back().value() >= expected) {
      add_violation(result, fmt::format("launch {}: work-group {} is outside its {} work-groups",
                                        launch.id.value(), groups.back().value(), expected));
    }
    for (const WorkGroupId group : groups) {
      try {
        check_work_group(launch.kernel, capture.buffers(), capture.read(launch.id, group), result);
      } catch (const InputError& error) {
        add_violation(result, error.what());
      }
      progress.update(result.work_groups);
    }
  }
  return result;
}

}  // namespace warpscope
