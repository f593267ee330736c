#pragma once
// The same simulation with other layouts, placements and seeds, as on hardware from run to run.
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cachesim/counters/launch_entries.h"
#include "cachesim/simulate/request.h"

namespace warpscope {

/// What differs between repetitions of an input, and what cannot. Repetition 0 is the run as asked for.
struct RepeatPlan {
  std::uint32_t count = 1;
  std::uint64_t first_seed = 1;  ///< repetition r > 0 draws with first_seed + r
  bool layout = false, placement = false, replacement = false;
  std::vector<std::string> varied;                         ///< what differs between repetitions, in words
  std::vector<std::pair<std::string, std::string>> fixed;  ///< what does not differ, in words, and why
};

/// The result of repetition 0 with the ranges of all: `simulate(number)` gives that of a repetition.
template <class Simulate>
ResultJson repeated(const RepeatPlan& plan, const Simulate& simulate);

/// Throws InputError when nothing can differ, or the input cannot be read again.
RepeatPlan plan_repetitions(const SimulationRequest& request, FileKind kind);
/// The request of repetition `number`, below plan.count.
SimulationRequest repetition(const SimulationRequest& request, const RepeatPlan& plan, std::uint32_t number);

/// Collects the rates of all repetitions' results (cachesim/RESULT.md) and writes their ranges into one.
class RateRanges {
 public:
  void add(const nlohmann::ordered_json& result);
  /// Adds `spread` to `total` and to every element of launches, sites and buffers that is there, and
  /// `repeat`.
  void write(const RepeatPlan& plan, nlohmann::ordered_json& result) const;

 private:
  using Rates = std::map<std::string, std::vector<double>>;
  std::map<std::string, Rates> rates_;  ///< indexed by JSON pointer of the counters
};

/// The entries of the first with the ranges of all.
JsonEntries with_spread(std::vector<JsonEntries> repetitions);

template <class Simulate>
ResultJson repeated(const RepeatPlan& plan, const Simulate& simulate) {
  ResultJson result = simulate(0);
  RateRanges ranges;
  ranges.add(result.json);
  std::vector<JsonEntries> launches = {result.launches};
  for (std::uint32_t number = 1; number < plan.count; ++number) {
    const ResultJson other = simulate(number);
    ranges.add(other.json);
    launches.push_back(other.launches);
  }
  ranges.write(plan, result.json);
  result.launches = with_spread(std::move(launches));
  return result;
}

}  // namespace warpscope
