#pragma once
// How much of a program is simulated within a budget of work. Work is counted, not timed: look-ups of the L1 and memory instructions of
// warps, as they are estimated from the capture. So the same capture always gets the same part.
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "cachesim/sampling/launch_sample.h"

namespace warpscope {

/// Which part of the work fits a budget.
struct BudgetChoice {
  enum class Part : std::uint8_t { All, Launches, Cores, Waves };
  Part part = Part::All;
  std::uint32_t count = 0, of = 0;   ///< of launches or cores; `count` first waves of each launch
  std::uint64_t work_groups = 0;     ///< in these waves
  std::uint64_t of_work_groups = 0;  ///< in all launches
  double budget = 0;                 ///< what was asked for
  double all = 0;                    ///< work of everything
  double used = 0;                   ///< work of this part
  /// "--budget 30M: all would be 400 M look-ups and memory instructions; --sample-launches 60, of 4000, 29 M".
  [[nodiscard]] std::string text() const;
  /// `budget` of a result's context (RESULT.md).
  [[nodiscard]] nlohmann::ordered_json json() const;
};

/// What can be left out.
struct BudgetQuestion {
  double work = 0;                 ///< above 0
  std::uint32_t cores = 0;         ///< of the GPU; 0: no cores can be left out
  LookFor look = LookFor::Counts;  ///< what launches are drawn for
  /// How many work-groups of a launch all cores hold at once; empty: no work-groups of a launch can be left out.
  std::function<std::uint64_t(const LaunchInfo&)> wave_of = {};
};

/// Everything if it fits; else launches, if there are many; else cores, or the first waves. The smallest part that there is where none fits;
/// everything where nothing can be left out.
BudgetChoice choose_for_budget(const LaunchPopulation& population, const BudgetQuestion& question);
/// The GPU's cores if some of them can stand for all; else 0.
std::uint32_t cores_to_draw(const CaptureReader& capture, const LaunchPopulation& population,
                            const ScheduleOptions& options);

/// Chooses for a request of either engine, and asks in it for what was chosen. `question` without cores; `draws_cores`: whether this request
/// could take a sample of them.
template <class Request>
BudgetChoice fit_request(Request& request, BudgetQuestion question, bool draws_cores) {
  const CaptureReader capture(request.input, request.partial);
  const LaunchPopulation population(capture, request.schedule, question.look);
  if (draws_cores) question.cores = cores_to_draw(capture, population, request.schedule);
  BudgetChoice choice = choose_for_budget(population, question);
  if (choice.part == BudgetChoice::Part::Launches) request.sample_launches = LaunchCount{choice.count, 0};
  if (choice.part == BudgetChoice::Part::Cores) request.schedule.sample_count = choice.count;
  if constexpr (requires { request.waves; })
    if (choice.part == BudgetChoice::Part::Waves) request.waves = choice.count;
  return choice;
}

}  // namespace warpscope
