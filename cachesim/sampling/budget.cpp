#include "cachesim/sampling/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "cachesim/sampling/estimate.h"
#include "traces/program/core_sample.h"

namespace warpscope {
namespace {

constexpr double kMargin = 0.7;        ///< of the budget is planned: a pilot is short
constexpr double kPilotPart = 0.03;    ///< of the budget that a pilot may take on one launch, …
constexpr double kPilotSeconds = 0.2;  ///< … and what is enough
constexpr double kParallel = 0.8;      ///< of the threads that come on top of one
constexpr std::size_t kManyLaunches = 60;
constexpr std::size_t kPilots = 3;

std::string rounded(double seconds) {
  return seconds < 10 ? fmt::format("{:.1f}", seconds) : fmt::format("{:.0f}", seconds);
}

/// Launches at which a sixth, a half and five sixths of all work are reached, in order of their sizes.
std::vector<std::size_t> pilots_of(const LaunchPopulation& population) {
  std::vector<std::size_t> order(population.launches().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return population.size_of(a) < population.size_of(b);
  });
  std::vector<std::size_t> pilots;
  double reached = 0;
  for (const std::size_t launch : order) {
    reached += population.size_of(launch);
    while (pilots.size() < kPilots &&
           reached * 2 * kPilots >= population.all_sizes() * (2.0 * as_real(pilots.size()) + 1))
      pilots.push_back(launch);
  }
  return pilots;
}

/// Seconds per size of a launch.
double measured(const LaunchPopulation& population, std::size_t position, const BudgetQuestion& question) {
  const LaunchInfo& launch = *population.launches()[position];
  const std::uint64_t all = population.groups_of(position);
  std::uint64_t groups = std::min<std::uint64_t>(all, std::max(question.pilot_groups, question.cores));
  if (groups == 0) return 0;
  for (;;) {
    const BudgetClock clock;
    question.pilot(launch, groups);
    const double took = clock.seconds();
    if (groups == all || took >= std::min(kPilotSeconds, kPilotPart * question.seconds))
      return took / (population.size_of(position) * as_real(groups) / as_real(all));
    groups = std::min(all, 2 * groups);
  }
}

/// The most launches that take at most `work`, in the unit of sizes; 0 if kLeastSampledLaunches take more.
std::uint32_t launches_for(const LaunchPopulation& population, double work, double& needs) {
  std::uint32_t low = 0, high = static_cast<std::uint32_t>(population.launches().size());
  while (high - low > 1 && (low == 0 || high - low > low / 50)) {
    const std::uint32_t middle = std::max(kLeastSampledLaunches, low + (high - low) / 2);
    if (middle >= high) break;
    const double sizes = population.expected_size(middle);
    if (sizes <= work) {
      low = middle;
      needs = sizes;
    } else {
      high = middle;
    }
  }
  return low;
}

/// What the first `waves` of every launch are.
struct FirstWaves {
  double size = 0;  ///< of their launches' sizes
  std::uint64_t work_groups = 0, of = 0;

  FirstWaves(const LaunchPopulation& population, const BudgetQuestion& question, std::uint64_t waves) {
    for (std::size_t position = 0; position < population.launches().size(); ++position) {
      const std::uint64_t all = population.groups_of(position);
      const std::uint64_t first = std::min(all, waves * question.wave_of(*population.launches()[position]));
      if (all != 0) size += population.size_of(position) * as_real(first) / as_real(all);
      work_groups += first;
      of += all;
    }
  }
};

/// As many first waves as fit `left` seconds, at least one; everything where one is everything.
void choose_waves(const LaunchPopulation& population, const BudgetQuestion& question, double rate,
                  double left, BudgetChoice& choice) {
  std::uint32_t waves = 1;
  while (rate * FirstWaves(population, question, 2 * waves).size <= left) waves *= 2;
  for (std::uint32_t step = waves / 2; step != 0; step /= 2)
    if (rate * FirstWaves(population, question, waves + step).size <= left) waves += step;
  const FirstWaves first(population, question, waves);
  if (first.work_groups == first.of) return;
  choice.part = BudgetChoice::Part::Waves;
  choice.count = waves;
  choice.work_groups = first.work_groups;
  choice.of_work_groups = first.of;
  choice.seconds = rate * first.size;
}

}  // namespace

std::string BudgetChoice::text(double budget) const {
  std::string start = fmt::format("--budget {:g}: all would take about {} s", budget, rounded(all_seconds));
  if (part == Part::All && seconds > budget) return start + "; nothing of it can be left out";
  if (part == Part::All) return start;
  if (part == Part::Waves)
    return fmt::format("{}; --waves {}, {} of {} work-groups, about {} s", start, count, work_groups,
                       of_work_groups, rounded(seconds));
  return fmt::format("{}; --sample-{} {}, of {}, about {} s", start,
                     part == Part::Launches ? "launches" : "cores", count, of, rounded(seconds));
}

StreamHeader pilot_header(const CaptureReader& capture, const ScheduleOptions& schedule,
                          const LaunchInfo& launch, std::uint64_t groups) {
  StreamHeader header;
  header.warp_size = schedule.warp_size;
  header.cores = schedule.cores;
  header.work_groups = groups;
  header.buffers = capture.buffers();
  header.layout = schedule.layout;
  header.launches.push_back(launch);
  return header;
}

std::uint32_t cores_to_draw(const CaptureReader& capture, const LaunchPopulation& population,
                            const ScheduleOptions& options) {
  const auto& launches = population.launches();
  const bool holds_all = std::all_of(launches.begin(), launches.end(),
                                     [](const LaunchInfo* launch) { return *launch->sampling == "all"; });
  const bool is_dealt_out = options.assignment == "round-robin" || options.assignment == "random";
  return holds_all && is_dealt_out && !options.only_core && !capture.is_partial() ? options.cores : 0;
}

BudgetChoice choose_for_budget(const LaunchPopulation& population, const BudgetQuestion& question,
                               const BudgetClock& clock) {
  const std::vector<std::size_t> pilots = pilots_of(population);
  double rate = 0;
  for (const std::size_t pilot : pilots)
    rate += measured(population, pilot, question) / as_real(pilots.size());
  rate /= 1 + kParallel * (question.threads - 1);
  BudgetChoice choice;
  choice.all_seconds = choice.seconds = rate * population.all_sizes();
  const double left = std::max(0.0, kMargin * question.seconds - clock.seconds());
  if (choice.all_seconds <= left || rate == 0) return choice;
  const auto launches = static_cast<std::uint32_t>(population.launches().size());
  double needs = 0;
  const std::uint32_t some = launches >= kManyLaunches ? launches_for(population, left / rate, needs) : 0;
  const double of_core = question.cores == 0 ? 0 : choice.all_seconds / question.cores;
  const auto cores = [&](double seconds) {
    return static_cast<std::uint32_t>(
        std::clamp(seconds / of_core, 0.0, static_cast<double>(question.cores)));
  };
  const double least_launches =
      launches < kManyLaunches ? choice.all_seconds : rate * population.expected_size(kLeastSampledLaunches);
  const bool cores_fit = question.cores > kLeastSampledCores && cores(left) >= kLeastSampledCores;
  const bool cores_are_least =
      question.cores > kLeastSampledCores && of_core * kLeastSampledCores < least_launches;
  const bool takes_cores = some < kManyLaunches / 2 && (cores_fit || (some == 0 && cores_are_least));
  if (takes_cores) {
    choice.part = BudgetChoice::Part::Cores;
    choice.of = question.cores;
    choice.count = std::max(kLeastSampledCores, cores(left));
    choice.seconds = of_core * choice.count;
    return choice;
  }
  if (launches < kManyLaunches) {
    if (question.wave_of) choose_waves(population, question, rate, left, choice);
    return choice;
  }
  choice.part = BudgetChoice::Part::Launches;
  choice.of = launches;
  choice.count = std::max(kLeastSampledLaunches, some);
  choice.seconds = some == 0 ? least_launches : rate * needs;
  return choice;
}

}  // namespace warpscope
