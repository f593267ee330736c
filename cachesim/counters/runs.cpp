#include "cachesim/counters/runs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "traces/base/random.h"

namespace warpscope {
namespace {

double miss_rate_percent(const KindCounts& kind) {
  const std::uint64_t looked_up = kind.transactions - kind.bypasses;
  return looked_up == 0 ? 0.0 : 100.0 * static_cast<double>(kind.misses) / static_cast<double>(looked_up);
}

std::vector<std::pair<std::string, double>> metrics_of(const Counts& counts, bool classes) {
  const KindCounts& load = counts.of(AccessKind::Load);
  const KindCounts& store = counts.of(AccessKind::Store);
  std::vector<std::pair<std::string, double>> metrics;
  const auto add = [&](const char* name, std::uint64_t value) {
    metrics.emplace_back(name, static_cast<double>(value));
  };
  add("load.transactions", load.transactions);
  add("load.misses", load.misses);
  metrics.emplace_back("load.miss_rate_percent", miss_rate_percent(load));
  add("store.transactions", store.transactions);
  add("store.misses", store.misses);
  if (classes) each_class_counter(add, counts.classes);
  each_line_counter(
      [&](const char* name, std::uint64_t value) {
        if (*heading_of(name) != '\0') add(name, value);
      },
      counts);
  return metrics;
}

}  // namespace

double RunMetric::median() const {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double RunMetric::relative_standard_deviation_percent() const {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2 || mean == 0) return 0;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return 100.0 * std::sqrt(squares / (count - 1)) / mean;
}

RunStatistics run_statistics(const std::vector<Counts>& totals, bool classes, std::uint64_t first_seed) {
  RunStatistics statistics;
  statistics.first_seed = first_seed;
  for (const Counts& counts : totals) {
    const auto metrics = metrics_of(counts, classes);
    if (statistics.metrics.empty())
      for (const auto& [name, value] : metrics) statistics.metrics.push_back({name, {}});
    for (std::size_t i = 0; i < metrics.size(); ++i)
      statistics.metrics[i].values.push_back(metrics[i].second);
  }
  std::vector<std::uint64_t> misses;
  misses.reserve(totals.size());
  for (const Counts& counts : totals) misses.push_back(counts.of(AccessKind::Load).misses);
  std::vector<std::uint64_t> sorted = misses;
  std::sort(sorted.begin(), sorted.end());
  const std::uint64_t lower_median = sorted[(sorted.size() - 1) / 2];
  statistics.shown =
      static_cast<std::size_t>(std::find(misses.begin(), misses.end(), lower_median) - misses.begin());
  return statistics;
}

WorkGroupFilter::WorkGroupFilter(std::uint64_t groups, std::uint64_t share, std::uint64_t seed)
    : chosen_(groups) {
  SplitMix64 random(seed);
  // Selection sampling: Knuth, The Art of Computer Programming 2, algorithm 3.4.2 S.
  std::uint64_t wanted = share;
  for (std::uint64_t group = 0; group < groups && wanted > 0; ++group) {
    if (random.below(groups - group) >= wanted) continue;
    chosen_[group] = true;
    --wanted;
  }
}

}  // namespace warpscope
