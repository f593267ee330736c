#include "timed/spread/calibrated_cycles.h"

#include <cmath>

#include "timed/spread/straight_line.h"

namespace warpscope::timed {
namespace {

constexpr double kDeviations = 2;  ///< in half of an interval, of what is supposed

/// Behind the waves over in them, in logarithms.
struct Change {
  double of_instruction = 0, of_wave = 0;  ///< cycles of one
};

Change change_of(const Stretch& in_waves, const Stretch& behind) {
  if (in_waves.cycles <= 0 || behind.cycles <= 0 || in_waves.instructions <= 0 || behind.instructions <= 0)
    return {};
  const double cycles = behind.cycles / in_waves.cycles;
  return {std::log(cycles * in_waves.instructions / behind.instructions),
          std::log(cycles * in_waves.waves / behind.waves)};
}

/// From the middle of the waves of all cores to their end, as a share of their mean. 0 where they do not tell a change from none, and where
/// the drawn ones change in the same direction, then and afterwards.
double trend_of(const std::vector<RatioPair>& waves, double change_of_wave) {
  if (waves.size() < 3) return 0;
  std::vector<double> all, drawn;
  for (const RatioPair& wave : waves) {
    all.push_back(wave.part);
    drawn.push_back(wave.whole);
  }
  const StraightLine line = line_through(all);
  if (std::abs(line.slope) <= student_t(line.count - 2) * std::sqrt(line.slope_variance())) return 0;
  if (line.slope * line_through(drawn).slope > 0 && line.slope * change_of_wave > 0) return 0;
  return std::abs(line.slope) * line.count / 2 / line.mean;
}

}  // namespace

CalibratedCycles calibrated_cycles(const CalibratedWaves& found) {
  // Of ever so many waves, so that those here are few of them.
  const StratumSample sample{std::uint64_t{1} << 32, found.waves};
  const RatioEstimate ratio = estimate_ratio({&sample, 1});
  const Change change = change_of(found.in_waves, found.behind);
  const double square = change.of_instruction * change.of_instruction;
  const double share = square / (square + kDrift * kDrift);
  CalibratedCycles rest;
  rest.refused = ratio.refused;
  rest.cycles = ratio.value * found.left * std::exp((share - 1) * change.of_instruction);
  if (!rest.refused.empty()) return rest;
  const double of_ratio = (ratio.high - ratio.low) / 2 / ratio.value;
  const double of_change = kDeviations * std::sqrt(share) * kDrift;
  rest.half = rest.cycles * std::hypot(of_ratio, of_change, trend_of(found.waves, change.of_wave));
  return rest;
}

}  // namespace warpscope::timed
