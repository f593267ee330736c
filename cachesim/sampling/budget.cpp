#include "cachesim/sampling/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cachesim/sampling/estimate.h"
#include "scheduler/cluster_placement.h"
#include "traces/program/core_sample.h"

namespace warpscope {
namespace {

constexpr std::size_t kManyLaunches = 60;

/// 400 M
std::string counted(double work) {
  constexpr std::array kUnits = {"", " K", " M", " G", " T"};
  std::size_t unit = 0;
  for (; work >= 1000 && unit + 1 < kUnits.size(); ++unit) work /= 1000;
  return work < 10 && unit != 0 ? fmt::format("{:.1f}{}", work, kUnits[unit])
                                : fmt::format("{:.0f}{}", work, kUnits[unit]);
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
  double size = 0;  ///< sum of their launches' sizes
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

/// As many first waves as fit the budget, at least one; everything where one is everything.
void choose_waves(const LaunchPopulation& population, const BudgetQuestion& question, double rate,
                  BudgetChoice& choice) {
  std::uint32_t waves = 1;
  while (rate * FirstWaves(population, question, 2 * waves).size <= question.work) waves *= 2;
  for (std::uint32_t step = waves / 2; step != 0; step /= 2)
    if (rate * FirstWaves(population, question, waves + step).size <= question.work) waves += step;
  const FirstWaves first(population, question, waves);
  if (first.work_groups == first.of) return;
  choice.part = BudgetChoice::Part::Waves;
  choice.count = waves;
  choice.work_groups = first.work_groups;
  choice.of_work_groups = first.of;
  choice.used = rate * first.size;
}

}  // namespace

std::string BudgetChoice::text() const {
  std::string start =
      fmt::format("--budget {:.0f}: all would be {} look-ups and memory instructions", budget, counted(all));
  if (part == Part::All && all > budget) return start + "; nothing of it can be left out";
  if (part == Part::All) return start;
  if (part == Part::Waves)
    return fmt::format("{}; --waves {}, {} of {} work-groups, {}", start, count, work_groups, of_work_groups,
                       counted(used));
  return fmt::format("{}; --sample-{} {}, of {}, {}", start, part == Part::Launches ? "launches" : "cores",
                     count, of, counted(used));
}

nlohmann::ordered_json BudgetChoice::json() const {
  const auto whole = [](double work) { return static_cast<std::uint64_t>(std::llround(work)); };
  return {{"work", whole(budget)}, {"all", whole(all)}, {"used", whole(used)}};
}

std::uint32_t cores_to_draw(const CaptureReader& capture, const LaunchPopulation& population,
                            const ScheduleOptions& options) {
  const auto& launches = population.launches();
  const bool holds_all = std::all_of(launches.begin(), launches.end(), [&](const LaunchInfo* launch) {
    return *launch->sampling == "all" && !places_clusters(*launch, options.gpcs);
  });
  const bool is_dealt_out = options.assignment == "round-robin" || options.assignment == "random";
  return holds_all && is_dealt_out && !options.only_core && !capture.is_partial() ? options.cores : 0;
}

BudgetChoice choose_for_budget(const LaunchPopulation& population, const BudgetQuestion& question) {
  double requests = 0;
  for (const LaunchFeatures& launch : population.features()) requests += launch.requests;
  const double rate = 1 + requests / population.all_sizes();  // work per look-up
  BudgetChoice choice;
  choice.budget = question.work;
  choice.all = choice.used = requests + population.all_sizes();
  if (choice.all <= question.work) return choice;
  const auto launches = static_cast<std::uint32_t>(population.launches().size());
  double needs = 0;
  const std::uint32_t some =
      launches >= kManyLaunches ? launches_for(population, question.work / rate, needs) : 0;
  const double of_core = question.cores == 0 ? 0 : choice.all / question.cores;
  const auto cores = [&](double work) {
    return static_cast<std::uint32_t>(std::clamp(work / of_core, 0.0, static_cast<double>(question.cores)));
  };
  const double least_launches =
      launches < kManyLaunches ? choice.all : rate * population.expected_size(kLeastSampledLaunches);
  const bool cores_fit = question.cores > kLeastSampledCores && cores(question.work) >= kLeastSampledCores;
  const bool cores_are_least =
      question.cores > kLeastSampledCores && of_core * kLeastSampledCores < least_launches;
  const bool takes_cores = some < kManyLaunches / 2 && (cores_fit || (some == 0 && cores_are_least));
  if (takes_cores) {
    choice.part = BudgetChoice::Part::Cores;
    choice.of = question.cores;
    choice.count = std::max(kLeastSampledCores, cores(question.work));
    choice.used = of_core * choice.count;
    return choice;
  }
  if (launches < kManyLaunches) {
    if (question.wave_of) choose_waves(population, question, rate, choice);
    return choice;
  }
  choice.part = BudgetChoice::Part::Launches;
  choice.of = launches;
  choice.count = std::max(kLeastSampledLaunches, some);
  choice.used = some == 0 ? least_launches : rate * needs;
  return choice;
}

}  // namespace warpscope
