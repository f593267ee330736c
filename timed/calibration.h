#pragma once
// A sample of the cores, set right by what all cores do with the first work-groups.
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cachesim/sampling/estimate.h"
#include "timed/engine.h"
#include "timed/request.h"
#include "timed/spread/calibrated_ratio.h"
#include "traces/program/group_selection.h"

namespace warpscope::timed {

/// Drawn cores do not meet the others: whose lines are on their way, and which neighbours run in step, is another matter for few than for
/// all. So all cores simulate the first waves of a launch as well. From three eighths of these waves on to the last but one, as many work-groups
/// took all cores r times as long as the drawn ones; the rest of the launch is supposed to do so, too (CalibratedCycles). The launch takes what all cores took
/// up to the last but one of these waves, and what the drawn ones took from there on set right. Hit rates get the difference of the two over the same
/// waves (CalibratedRatio), misses the quotient; what is requested does not depend on the time. The L2 of all cores begins empty, whatever earlier
/// launches left.
class Calibration {
 public:
  /// All outlive this. `cores`: those that were drawn.
  Calibration(const CaptureReader& capture, const TimedRequest& request, const StreamHeader& header,
              const SampledCores& cores);
  /// Before a launch of which a core holds `slots` work-groups: simulates the first waves on all cores of `config`, if it has enough of
  /// them (calibration_waves()) and they were recorded. Returns the marks for the simulation of the drawn cores: those of the same waves, and,
  /// where there are more, the last but two and the last but one of all that fill their places.
  std::vector<std::uint64_t> begin_launch(const LaunchInfo& launch, std::uint32_t slots,
                                          const TimedConfig& config);
  /// Then: what the drawn cores did.
  void add(const LaunchTiming& drawn);
  /// Sets right TimedSummary::estimate(). Nothing changes where every launch was too short.
  void apply(nlohmann::ordered_json& estimate) const;
  /// How many launches, and waves of the first of them: null without one.
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  using Pairs = std::vector<RatioPair>;
  void add_cycles(const LaunchTiming& drawn);
  void apply_cycles(nlohmann::ordered_json& estimate) const;
  void add_counts(const LaunchTiming& drawn);
  void apply_misses(nlohmann::ordered_json& estimate, const std::string& kind,
                    const CalibratedRatio& ratio) const;
  /// Half of the interval over the value; absent where there is none.
  [[nodiscard]] std::optional<double> half_of(const Pairs& pairs);

  const CaptureReader& capture_;
  const TimedRequest& request_;
  const StreamHeader& header_;
  const SampledCores& cores_;
  StreamHeader all_header_;  ///< as if none was drawn
  std::map<AccessKind, CalibratedRatio> rates_,
      misses_;                           ///< hits of what is looked up; misses of transactions
  std::optional<LaunchTiming> current_;  ///< of all cores
  double cycles_ = 0;
  double variance_ = 0;    ///< of cycles_, as half-width squared
  double short_half_ = 0;  ///< of launches that are too short, half-width: added up as in TimedSummary
  std::string refused_;    ///< why cycles have no interval
  std::uint64_t groups_of_launch_ = 0;  ///< of the current one
  double waves_of_launch_ = 0;          ///< the same
  std::uint64_t launches_ = 0, waves_ = 0, groups_ = 0,
                all_groups_ = 0;  ///< groups: that the drawn cores ran
};

}  // namespace warpscope::timed
