#pragma once
// The work-groups of a launch that are in runs, for a reader. They are made when they are asked for.
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "traces/base/types.h"
#include "traces/capture/runs/group_form.h"
#include "traces/capture/runs/run_table.h"

namespace warpscope {

/// A RUNS section that is in memory.
struct LoadedRuns {
  RunTable table;
  std::vector<GroupForm> forms;  ///< indexed as those of the table
  /// The payload of a work-group. Throws InputError if it is not there, or damaged.
  void put(WorkGroupId group, std::vector<std::uint8_t>& payload) const;
  /// The work-group that it repeats.
  [[nodiscard]] WorkGroupId record_of(WorkGroupId group) const {
    return table.forms[table.runs[run_of(group)].form].record;
  }

 private:
  [[nodiscard]] std::size_t run_of(WorkGroupId group) const;
};

class LaunchRuns {
 public:
  struct Section {
    std::uint64_t offset = 0;
    std::uint32_t stored_size = 0;
    std::uint32_t first = 0, last = 0;  ///< work-groups
  };

  /// The next section in ascending order. Throws InputError if its runs are not ascending, or beyond `groups` of the launch.
  void add(std::uint64_t offset, std::uint32_t stored_size, const RunTable& table, std::uint64_t groups);
  /// All work-groups of the launch: those in runs and `records`. Throws InputError if one is there twice. Afterwards nothing can
  /// be added.
  [[nodiscard]] std::vector<WorkGroupId> with(std::span<const WorkGroupId> records);
  /// The section in which a work-group may be; null if there is none.
  [[nodiscard]] const Section* section_of(WorkGroupId group) const;
  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }

 private:
  std::vector<Section> sections_;
  std::vector<GroupRun> runs_;  ///< until with() is called
};

/// The last sections that were used.
class RunCache {
 public:
  using Load = std::function<std::shared_ptr<const LoadedRuns>()>;
  /// Thread-safe.
  std::shared_ptr<const LoadedRuns> get(std::uint64_t offset, const Load& load);

 private:
  static constexpr std::size_t kMost = 8;
  std::mutex mutex_;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const LoadedRuns>>> loaded_;  ///< the latest first
};

}  // namespace warpscope
