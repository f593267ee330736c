#pragma once
// The result of a timed simulation: result.json with a block "timing" in total, launches and cores.
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cachesim/result/result_json.h"
#include "cachesim/simulate/l1_simulator.h"
#include "timed/config/preset_config.h"
#include "timed/engine.h"

namespace warpscope::timed {

/// Counters of launches as the fixed-order simulator gives them. `header` names the launches that `timings`
/// are of.
SimulationResult simulation_result(const StreamHeader& header, const std::vector<LaunchTiming>& timings);

/// What a run's launches come to: they are taken one after another, and none stays in memory.
class TimedSummary {
 public:
  /// `header`: of the launches that come. `core_clock_mhz` as in TimedContext.
  TimedSummary(const StreamHeader& header, std::optional<double> core_clock_mhz);
  ~TimedSummary();
  TimedSummary(TimedSummary&&) noexcept;
  /// In the order of the header; throws InputError as LaunchRecords::add().
  void add(const LaunchTiming& timing);
  /// Of a launch: how many work-groups are simulated, and how many were recorded.
  void add_groups(std::uint64_t simulated, std::uint64_t recorded) {
    simulated_groups_ += simulated;
    recorded_groups_ += recorded;
  }
  [[nodiscard]] std::uint64_t simulated_groups() const { return simulated_groups_; }
  [[nodiscard]] std::uint64_t recorded_groups() const { return recorded_groups_; }
  /// Counters as the fixed-order simulator gives them.
  [[nodiscard]] const SimulationResult& counters() const { return counters_; }
  [[nodiscard]] Cycle cycles() const { return cycles_; }
  [[nodiscard]] nlohmann::ordered_json total_timing() const;
  /// Of the launch with most cycles, of equal ones the first; null if none was recorded.
  [[nodiscard]] const nlohmann::ordered_json& timeline() const { return timeline_; }
  /// Of each kernel of machine code, over its launches: what warps did at which instruction (docs/tools/timed.md).
  [[nodiscard]] nlohmann::ordered_json instruction_stalls() const;
  /// Of a core.
  [[nodiscard]] nlohmann::ordered_json core_timing(std::size_t core) const;

 private:
  struct Sums;
  LaunchList launches_;
  std::optional<double> core_clock_mhz_;
  std::vector<std::size_t> kernel_of_launch_;
  std::set<BufferId> private_;
  SimulationResult counters_;
  Cycle cycles_ = 0, duration_ = 0;
  Cycle timeline_of_ = 0;  ///< cycles of the launch that timeline_ is of
  nlohmann::ordered_json timeline_;
  std::uint64_t simulated_groups_ = 0, recorded_groups_ = 0;
  MemoryCounts memory_;
  std::vector<Sums> cores_;
  std::vector<std::vector<WarpStallCounts>> stalls_;  ///< by kernel and instruction
};

/// Cycles and counts of the same launches with a part of the memory system made ideal.
struct Effects {
  TimedSummary without_mshr_limits;
  TimedSummary without_latency;
};

struct TimedContext {
  ResultContext result;
  TimedConfig config;
  std::vector<Assumption> assumed;
  std::string assignment;
  std::string ideal;        ///< value of the option; empty: not requested
  std::uint32_t waves = 0;  ///< TimedRequest::waves
  std::uint32_t cores = 1;
  std::optional<double> core_clock_mhz;
};

/// docs/tools/timed.md describes the keys.
ResultJson timed_json(const TimedContext& context, const StreamHeader& header, const TimedSummary& summary,
                      const std::optional<Effects>& effects, bool lists_launches = true);

/// The tables of the terminal, from timed_json().json.
void write_timed_report(const nlohmann::ordered_json& result, std::size_t top, std::ostream& out);

}  // namespace warpscope::timed
