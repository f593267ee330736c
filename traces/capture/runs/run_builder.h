#pragma once
// Joins work-groups that follow each other into runs.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/base/types.h"
#include "traces/capture/runs/run_table.h"

namespace warpscope {

/// The run that grows. It is as long as possible: the same work-groups in the same order make the same runs, whether they come one
/// by one or in runs.
class RunBuilder {
 public:
  WorkGroupId record;
  GroupRun run;                       ///< count 0: none. `form` is not set
  std::vector<std::uint64_t> first;   ///< numbers of the first work-group
  std::vector<std::uint64_t> deltas;  ///< set if there are two or more

  /// Takes as many of `more` at the beginning as the run can; returns how many. `numbers`: of the first one; `by`: what is added
  /// for each next one.
  std::uint32_t take(WorkGroupId of, const GroupRun& more, std::span<const std::uint64_t> numbers,
                     std::span<const std::uint64_t> by) {
    if (run.count == 0 || record != of || more.first <= run.last()) return 0;
    if (run.count == 1) {
      run.step = more.first - run.first;
      for (std::size_t index = 0; index < first.size(); ++index)
        deltas[index] = numbers[index] - first[index];
    } else if (std::uint64_t{run.last()} + run.step != more.first || !continues(numbers)) {
      return 0;
    }
    const bool are_all =
        more.count > 1 && more.step == run.step && std::equal(by.begin(), by.end(), deltas.begin());
    const std::uint32_t taken = are_all ? more.count : 1;
    run.count += taken;
    for (std::size_t index = 0; index < first.size(); ++index)
      next_[index] = numbers[index] + taken * deltas[index];
    return taken;
  }

  void begin(WorkGroupId of, const GroupRun& other, std::span<const std::uint64_t> numbers,
             std::span<const std::uint64_t> by) {
    record = of;
    run = other;
    first.assign(numbers.begin(), numbers.end());
    deltas.assign(by.begin(), by.end());
    deltas.resize(first.size());
    if (run.count == 1) std::ranges::fill(deltas, 0);
    next_.resize(first.size());
    for (std::size_t index = 0; index < first.size(); ++index)
      next_[index] = first[index] + run.count * deltas[index];
  }

 private:
  [[nodiscard]] bool continues(std::span<const std::uint64_t> numbers) const {
    return std::equal(numbers.begin(), numbers.end(), next_.begin());
  }

  std::vector<std::uint64_t> next_;  ///< numbers that the next work-group has to have
};

}  // namespace warpscope
