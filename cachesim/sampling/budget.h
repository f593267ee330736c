#pragma once
// How much of a program can be simulated in a given time.
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "cachesim/sampling/launch_sample.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// Which part of the work fits a budget of seconds.
struct BudgetChoice {
  enum class Part : std::uint8_t { All, Launches, Cores, Waves };
  Part part = Part::All;
  std::uint32_t count = 0, of = 0;   ///< of launches or cores; `count` first waves of each launch
  std::uint64_t work_groups = 0;     ///< in these waves
  std::uint64_t of_work_groups = 0;  ///< in all launches
  double all_seconds = 0;            ///< estimate for everything
  double seconds = 0;                ///< estimate for this part
  /// "--budget 30: all would take about 400 s; --sample-launches 60, of 4000, about 20 s".
  [[nodiscard]] std::string text(double budget) const;
};

/// Begins when it is made.
class BudgetClock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// What can be measured, and what can be left out.
struct BudgetQuestion {
  double seconds = 0;              ///< above 0
  std::uint32_t threads = 1;       ///< that a simulation shares, and `pilot` does not
  std::uint32_t cores = 0;         ///< of the GPU; 0: no cores can be left out
  std::uint32_t pilot_groups = 1;  ///< work-groups of a pilot at least
  LookFor look = LookFor::Counts;  ///< what launches are drawn for
  /// How many work-groups of a launch all cores hold at once; empty: no work-groups of a launch can be left out.
  std::function<std::uint64_t(const LaunchInfo&)> wave_of = {};
  /// Simulates the first so many work-groups of a launch; its time is taken.
  std::function<void(const LaunchInfo&, std::uint64_t groups)> pilot;
};

/// The header of a stream of the first `groups` work-groups of a launch, for `pilot`.
StreamHeader pilot_header(const CaptureReader& capture, const ScheduleOptions& schedule,
                          const LaunchInfo& launch, std::uint64_t groups);

/// Simulates a few work-groups of three launches, and takes everything if it fits; else launches, if there are many; else cores, or the first
/// waves. The smallest part that there is where none fits; everything where nothing can be left out. `clock` began with the work that the budget is for.
BudgetChoice choose_for_budget(const LaunchPopulation& population, const BudgetQuestion& question,
                               const BudgetClock& clock);
/// The GPU's cores if some of them can stand for all; else 0.
std::uint32_t cores_to_draw(const CaptureReader& capture, const LaunchPopulation& population,
                            const ScheduleOptions& options);

/// Chooses for a request of either engine, and asks in it for what was chosen; BudgetChoice::text(). `question` without cores and
/// pilot; `draws_cores`: whether this request could take a sample of them; `simulate(capture, launch, groups)`: the pilot.
template <class Request, class Simulate>
std::string fit_request(Request& request, BudgetQuestion question, bool draws_cores,
                        const Simulate& simulate) {
  const BudgetClock clock;
  const CaptureReader capture(request.input, request.partial);
  const LaunchPopulation population(capture, request.schedule, question.look);
  if (draws_cores) question.cores = cores_to_draw(capture, population, request.schedule);
  question.pilot = [&](const LaunchInfo& launch, std::uint64_t groups) { simulate(capture, launch, groups); };
  const BudgetChoice choice = choose_for_budget(population, question, clock);
  if (choice.part == BudgetChoice::Part::Launches) request.sample_launches = LaunchCount{choice.count, 0};
  if (choice.part == BudgetChoice::Part::Cores) request.schedule.sample_count = choice.count;
  if constexpr (requires { request.waves; })
    if (choice.part == BudgetChoice::Part::Waves) request.waves = choice.count;
  return choice.text(question.seconds);
}

}  // namespace warpscope
