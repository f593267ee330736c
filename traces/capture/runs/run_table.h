#pragma once
// Work-groups that repeat an earlier one, moved: the payload of a RUNS section (traces/FORMAT.md, "Runs of work-groups").
#include <cstdint>
#include <span>
#include <vector>

#include "traces/base/types.h"
#include "traces/files/section.h"

namespace warpscope {

constexpr std::uint32_t kRunsTag = section_tag("RUNS");

/// Launches with fewer or more work-groups have no runs: of few, little is saved; readers hold the numbers of all.
constexpr std::uint64_t kFewestGroupsForRuns = 64;
constexpr std::uint64_t kMostGroupsForRuns = 1u << 27;
constexpr bool may_have_runs(std::uint64_t groups) {
  return groups >= kFewestGroupsForRuns && groups <= kMostGroupsForRuns;
}

/// Work-groups `first`, `first` + `step`, …, `count` of them. All have the form of a work-group that is recorded.
struct GroupRun {
  std::uint32_t form = 0;  ///< index of its form
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t count = 0;
  [[nodiscard]] std::uint32_t last() const { return first + step * (count - 1); }
};

struct RunTable {
  static constexpr std::size_t kMostForms = 64;
  static constexpr std::size_t kMostBytes = 1u << 20;  ///< limit of a payload that readers accept

  struct Form {
    WorkGroupId record;         ///< the work-group that has this form, and is in the file
    std::uint32_t numbers = 0;  ///< how many it has
  };

  std::vector<Form> forms;
  std::vector<GroupRun> runs;
  std::vector<std::uint64_t>
      numbers;  ///< of each run: those of its first work-group, then what is added for each next one
  std::vector<std::size_t> numbers_from;  ///< where those of a run begin

  [[nodiscard]] std::span<const std::uint64_t> first_of(std::size_t run) const {
    return std::span(numbers).subspan(numbers_from[run], forms[runs[run].form].numbers);
  }
  [[nodiscard]] std::span<const std::uint64_t> deltas_of(std::size_t run) const {
    const std::uint32_t count = forms[runs[run].form].numbers;
    return std::span(numbers).subspan(numbers_from[run] + count, count);
  }
  void add(const GroupRun& run, std::span<const std::uint64_t> first, std::span<const std::uint64_t> deltas);
  /// The index of a form that is added unless it is there; kMostForms if there are too many.
  std::uint32_t form_of(WorkGroupId record, std::size_t numbers);
};

struct RunState;

/// Writes a payload run by run.
class RunEncoder {
 public:
  RunEncoder();
  ~RunEncoder();
  RunEncoder(const RunEncoder&) = delete;
  RunEncoder& operator=(const RunEncoder&) = delete;
  /// The run has form `run.form` of `forms`, which has as many numbers.
  void add(const GroupRun& run, std::span<const std::uint64_t> first, std::span<const std::uint64_t> deltas);
  [[nodiscard]] std::size_t bytes() const { return coded_.size(); }
  /// The payload of all runs that were added.
  [[nodiscard]] std::vector<std::uint8_t> payload(std::span<const RunTable::Form> forms) const;

 private:
  std::vector<std::uint8_t> coded_;
  std::vector<RunState> states_;  ///< indexed by form
  std::uint64_t next_ = 0;        ///< the work-group that follows the last run
};

std::vector<std::uint8_t> encode(const RunTable& table);
/// Throws InputError on any inconsistency: it is safe on arbitrary bytes.
RunTable decode_runs(std::span<const std::uint8_t> payload);
/// How many work-groups a payload has.
std::uint64_t groups_in_runs(std::span<const std::uint8_t> payload);

}  // namespace warpscope
