#include "timed/spread/calibrated_ratio.h"

#include <cmath>
#include <numeric>

#include "timed/spread/straight_line.h"

namespace warpscope::timed {
namespace {

RatioPair sum_of(const std::vector<RatioPair>& pairs) {
  return std::accumulate(pairs.begin(), pairs.end(), RatioPair());
}

double ratio_of(const RatioPair& pair) {
  return pair.part / pair.whole;
}

}  // namespace

void CalibratedRatio::Trend::add(const std::vector<double>& ratios, double weight, double left) {
  const StraightLine line = line_through(ratios);
  // From the middle of these waves to that of those left.
  const double reach = weight * (line.count + left) / 2;
  change += reach * line.slope;
  variance += reach * reach * line.slope_variance();
}

int CalibratedRatio::Trend::direction(double freedom) const {
  if (freedom < 1 || std::abs(change) <= student_t(freedom) * std::sqrt(variance)) return 0;
  return change < 0 ? -1 : 1;
}

void CalibratedRatio::add(const std::vector<RatioPair>& all, const std::vector<std::vector<RatioPair>>& drawn,
                          double left) {
  std::vector<double> of_all, of_drawn, differences;
  drawn_.resize(drawn.empty() ? drawn_.size() : drawn[0].size());
  for (std::size_t wave = 0; wave < all.size(); ++wave) {
    const RatioPair few = sum_of(drawn[wave]);
    if (all[wave].whole == 0 || few.whole == 0) continue;
    all_ = all_ + all[wave];
    for (std::size_t core = 0; core < drawn_.size(); ++core) drawn_[core] = drawn_[core] + drawn[wave][core];
    of_all.push_back(ratio_of(all[wave]));
    of_drawn.push_back(ratio_of(few));
    differences.push_back(of_all.back() - of_drawn.back());
  }
  const double weight = sum_of(all).whole;
  weight_ += weight;
  const auto waves = static_cast<double>(differences.size());
  if (waves < 2) return;
  const StraightLine line = line_through(differences);
  double squares = 0;
  for (const double difference : differences) squares += std::pow(difference - line.mean, 2);
  variance_ += weight * weight * squares / (waves - 1) / waves;
  freedom_ += waves - 1;
  if (waves < 3) return;
  of_all_.add(of_all, weight, left);
  of_drawn_.add(of_drawn, weight, left);
  trend_freedom_ += waves - 2;
}

bool CalibratedRatio::is_known() const {
  return all_.whole > 0 && sum_of(drawn_).whole > 0;
}

CalibratedRatio::Difference CalibratedRatio::difference(const StreamHeader& header,
                                                        const SampledCores& cores) const {
  Difference found;
  found.all = ratio_of(all_);
  found.drawn = core_ratio(header, cores, drawn_).value;
  if (freedom_ < 1) {
    found.refused = "too few waves to calibrate by";
    return found;
  }
  found.half = student_t(freedom_) * std::sqrt(variance_) / weight_;
  const int direction = of_all_.direction(trend_freedom_);
  if (direction != 0 && direction != of_drawn_.direction(trend_freedom_) &&
      std::abs(of_all_.change) / weight_ > found.half)
    found.refused =
        "it still changes from wave to wave where the calibration ends, other than in the drawn cores";
  return found;
}

}  // namespace warpscope::timed
