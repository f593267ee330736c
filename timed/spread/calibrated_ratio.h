#pragma once
// A ratio of counts that few cores have otherwise than all: by how much, and how well that is known.
#include <string>
#include <vector>

#include "cachesim/sampling/core_estimates.h"

namespace warpscope::timed {

/// In the same waves of a launch all cores and the drawn ones are simulated. The mean difference of their ratios is supposed to be that of the
/// rest of the launch, and the waves say how well it is known (Student's t; waves of several launches by their share of `whole`).
/// Where the ratio of all cores still rises or falls from wave to wave, and that of the drawn ones does not follow, nothing
/// is known of the rest.
class CalibratedRatio {
 public:
  struct Difference {
    double all = 0, drawn = 0;  ///< the ratio in these waves
    double half = 0;            ///< half of the 95 % interval of all - drawn
    std::string refused;        ///< why there is no interval; empty: there is one
  };

  /// Of a launch: `all` has one of every wave, `drawn` those of the same waves of every drawn core. `left`: how many waves follow.
  void add(const std::vector<RatioPair>& all, const std::vector<std::vector<RatioPair>>& drawn, double left);
  /// Whether anything was counted, here and there.
  [[nodiscard]] bool is_known() const;
  /// is_known(). `cores`: those that were drawn.
  [[nodiscard]] Difference difference(const StreamHeader& header, const SampledCores& cores) const;

 private:
  /// What a straight line through the waves makes of the mean of those that are left, weighted; and its variance.
  struct Trend {
    double change = 0, variance = 0;
    void add(const std::vector<double>& ratios, double weight, double left);
    /// -1, 0 or 1: whether it falls, is not told from none (95 %), or rises.
    [[nodiscard]] int direction(double freedom) const;
  };

  RatioPair all_;
  std::vector<RatioPair> drawn_;  ///< by core
  double weight_ = 0;             ///< of all launches
  double variance_ = 0;           ///< of the mean difference, times the square of weight_
  double freedom_ = 0, trend_freedom_ = 0;
  Trend of_all_, of_drawn_;
};

}  // namespace warpscope::timed
