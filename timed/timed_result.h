#pragma once
// The result of a timed simulation: result.json with a block "timing" in total, launches and cores.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cachesim/l1_simulator.h"
#include "cachesim/result_json.h"
#include "timed/engine.h"
#include "timed/preset_config.h"

namespace warpscope::timed {

/// Counters of launches as the fixed-order simulator gives them. `header` names the launches that `timings`
/// are of.
SimulationResult simulation_result(const StreamHeader& header, const std::vector<LaunchTiming>& timings);

/// Cycles and counts of the same launches with a part of the memory system made ideal.
struct Effects {
  std::vector<LaunchTiming> without_mshr_limits;
  std::vector<LaunchTiming> without_latency;
};

struct TimedContext {
  ResultContext result;
  TimedConfig config;
  std::vector<Assumption> assumed;
  std::string assignment;
  std::uint32_t cores = 1;
  std::optional<double> core_clock_mhz;
};

/// docs/timed.md describes the keys.
nlohmann::ordered_json timed_json(const TimedContext& context, const StreamHeader& header,
                                  const std::vector<LaunchTiming>& timings,
                                  const std::optional<Effects>& effects);

/// The tables of the terminal, from timed_json().
void write_timed_report(const nlohmann::ordered_json& result, std::size_t top, std::ostream& out);

}  // namespace warpscope::timed
