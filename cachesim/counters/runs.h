#pragma once
// Repeated simulations with other random choices: which work-groups a core gets, which way Rand replaces.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cachesim/counters/counts.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// One number per run, and what they say together.
struct RunMetric {
  std::string name;
  std::vector<double> values;
  [[nodiscard]] double median() const;  ///< mean of the middle two for even counts
  /// Standard deviation of the sample (n - 1) in percent of the mean; 0 for one value or mean 0.
  [[nodiscard]] double relative_standard_deviation_percent() const;
};

struct RunStatistics {
  std::uint64_t first_seed = 1;              ///< run r uses first_seed + r
  std::size_t shown = 0;                     ///< run with the lower median of load misses (the first such)
  std::optional<std::uint64_t> work_groups;  ///< chosen per run
  std::vector<RunMetric> metrics;
};

/// `totals` has one entry per run, at least one.
RunStatistics run_statistics(const std::vector<Counts>& totals, bool classes, std::uint64_t first_seed);

/// Passes on the accesses of `share` work-groups of `groups`, chosen at random without repetition
/// (Crawford 2014, 6.4).
class WorkGroupFilter {
 public:
  WorkGroupFilter(std::uint64_t groups, std::uint64_t share, std::uint64_t seed);
  /// Work-groups beyond `groups` are never chosen.
  [[nodiscard]] bool chosen(WorkGroupId group) const {
    return group.value() < chosen_.size() && chosen_[group.value()];
  }

 private:
  std::vector<bool> chosen_;
};

}  // namespace warpscope
