#include "timed/spread/cycle_spread.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include "cachesim/sampling/estimate.h"
#include "traces/base/random.h"

namespace warpscope::timed {
namespace {

/// Of the cycles of a launch from draw to draw, standard deviation over mean, at least: smaller machines are not alike to the cycle. Chosen on the
/// V100 (validation/notes/sampling.md).
constexpr double kLeastSpread = 0.005;

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Of the values from their mean.
double squares_of(const std::vector<double>& values) {
  const double mean = sum_of(values) / as_real(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares;
}

/// Cores with as many work-groups as the one that ends last; if it is the only one, the spread is that of all cores with as many as each other.
void add_ends(const std::vector<CoreCounts>& cores, CycleSpread& spread) {
  std::map<std::uint64_t, std::vector<double>> ends;
  const CoreCounts* last = nullptr;
  for (const CoreCounts& core : cores) {
    ends[core.work_groups].push_back(as_real(core.active_cycles));
    if (last == nullptr || core.active_cycles > last->active_cycles) last = &core;
  }
  if (last == nullptr) return;
  const std::vector<double>& alike = ends[last->work_groups];
  double squares = squares_of(alike), freedom = as_real(alike.size()) - 1;
  if (alike.size() == 1)
    for (const auto& [groups, of_cores] : ends) {
      squares += squares_of(of_cores);
      freedom += as_real(of_cores.size()) - 1;
    }
  if (freedom < 1) return;
  spread.ends = std::sqrt(squares / freedom) * deviation_of_greatest(alike.size());
  spread.ends_freedom = freedom;
}

void add_memory(const std::vector<CoreCounts>& cores, const PartDemand& parts, CycleSpread& spread) {
  if (parts.bytes_per_cycle == 0 || parts.requests == 0) return;
  std::vector<double> work;
  work.reserve(cores.size());
  for (const CoreCounts& core : cores) work.push_back(as_real(core.work_groups));
  const double waits = as_real(parts.waited) / as_real(parts.requests);
  const double found = waits * deviation_of_busiest(parts.bytes, work) / parts.bytes_per_cycle;
  if (found <= spread.memory) return;
  spread.memory = found;
  spread.memory_freedom = as_real(cores.size()) - 1;
}

/// By part.
std::vector<double> sums_of(const std::vector<std::vector<std::uint64_t>>& bytes) {
  std::vector<double> sums;
  for (const auto& core : bytes) {
    sums.resize(std::max(sums.size(), core.size()));
    for (std::size_t part = 0; part < core.size(); ++part) sums[part] += as_real(core[part]);
  }
  return sums;
}

/// By how much the parts' sums, in proportion to the work, are off when as many cores are drawn from these, with repetition.
std::vector<std::vector<double>> errors_of(const std::vector<std::vector<std::uint64_t>>& bytes,
                                           const std::vector<double>& work, const std::vector<double>& sums) {
  constexpr int kDraws = 200;
  const std::size_t cores = work.size();
  const double scale =
      std::sqrt(as_real(cores) / as_real(cores - 1));  // n - 1 of n parts of the variance show
  SplitMix64 random(1);
  std::vector<std::vector<double>> errors;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<double> drawn(sums.size());
    double drawn_work = 0;
    for (std::size_t i = 0; i < cores; ++i) {
      const std::uint64_t core = random.below(cores);
      drawn_work += work[core];
      if (core >= bytes.size()) continue;
      for (std::size_t part = 0; part < bytes[core].size(); ++part) drawn[part] += as_real(bytes[core][part]);
    }
    if (drawn_work == 0) continue;
    for (std::size_t part = 0; part < sums.size(); ++part)
      drawn[part] = scale * (drawn[part] / drawn_work * sum_of(work) - sums[part]);
    errors.push_back(std::move(drawn));
  }
  return errors;
}

}  // namespace

double deviation_of_greatest(std::size_t count) {
  const boost::math::normal normal;
  constexpr double kEnd = 8, kStep = 1. / 128;
  const auto greatest = as_real(count);
  double mean = 0, square = 0;
  for (double x = -kEnd; x < kEnd; x += kStep) {
    const double at = x + kStep / 2;
    const double density = greatest * pdf(normal, at) * std::pow(cdf(normal, at), greatest - 1) * kStep;
    mean += at * density;
    square += at * at * density;
  }
  return std::sqrt(square - mean * mean);
}

double deviation_of_busiest(const std::vector<std::vector<std::uint64_t>>& bytes,
                            const std::vector<double>& work) {
  const std::size_t cores = work.size();
  const std::vector<double> sums = sums_of(bytes);
  if (cores < 2 || sums.empty()) return 0;
  const std::vector<std::vector<double>> errors = errors_of(bytes, work, sums);
  if (errors.size() < 2) return 0;
  // The parts differ by the draw already. What they differ by beyond it is their own, and stays; the draw is drawn again.
  double noise = 0;
  for (const auto& draw : errors)
    for (const double error : draw) noise += error * error;
  noise /= as_real(errors.size());
  const double squares = squares_of(sums);
  const double own = squares > noise ? std::sqrt(1 - noise / squares) : 0;
  const double mean = sum_of(sums) / as_real(sums.size());
  std::vector<double> busiest;
  for (const auto& draw : errors) {
    double most = 0;
    for (std::size_t part = 0; part < sums.size(); ++part)
      most = std::max(most, mean + own * (sums[part] - mean) + draw[part]);
    busiest.push_back(most);
  }
  return std::sqrt(squares_of(busiest) / as_real(busiest.size() - 1));
}

double CycleSpread::half() const {
  const double of_ends = rest * ends * ends, of_memory = rest * memory * memory;
  const double variance = of_ends + of_memory + rest * least * least;
  if (variance == 0) return 0;
  // Satterthwaite's degrees of freedom, as in estimate_ratio(); what is supposed is known.
  constexpr double kMostFreedom = 1e6;
  const double by_freedom = of_ends * of_ends / ends_freedom + of_memory * of_memory / memory_freedom;
  const double freedom =
      by_freedom == 0 ? kMostFreedom : std::min(kMostFreedom, variance * variance / by_freedom);
  return student_t(freedom) * std::sqrt(variance);
}

CycleSpread cycle_spread(Cycle cycles, const std::vector<CoreCounts>& cores, const MemoryDemand& demand,
                         const SampledCores& drawn) {
  CycleSpread spread;
  spread.rest = 1 - as_real(drawn.count()) / as_real(drawn.of);
  spread.least = kLeastSpread * as_real(cycles);
  add_ends(cores, spread);
  add_memory(cores, demand.slices, spread);
  add_memory(cores, demand.channels, spread);
  return spread;
}

std::string unseen_end(std::uint64_t groups, std::uint32_t slots, const SampledCores& drawn) {
  const std::uint64_t more = groups % drawn.of;
  if (more == 0 || groups / drawn.of >= slots || drawn.count_below(more) > 0) return {};
  return "no core that was drawn has as many work-groups as some others";
}

}  // namespace warpscope::timed
