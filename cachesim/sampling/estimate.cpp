#include "cachesim/sampling/estimate.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace warpscope {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kMostErrorOfWhole = 0.1;
constexpr double kMostFreedom = 1e6;  ///< degrees of freedom that equal the normal distribution

RatioPair sum_of(const StratumSample& stratum) {
  RatioPair sum;
  for (const RatioPair& unit : stratum.drawn) {
    sum.part += unit.part;
    sum.whole += unit.whole;
  }
  return sum;
}

double ratio_of(const RatioPair& pair) {
  return pair.whole == 0 ? 0 : pair.part / pair.whole;
}

/// The share of the stratum that was not drawn.
double rest_of(const StratumSample& stratum) {
  return 1 - static_cast<double>(stratum.drawn.size()) / static_cast<double>(stratum.size);
}

/// Of a stratum with at least two that were drawn.
double variance_of_ratio(const StratumSample& stratum, const RatioPair& estimated) {
  const auto size = static_cast<double>(stratum.size), drawn = static_cast<double>(stratum.drawn.size());
  const RatioPair sum = sum_of(stratum);
  std::vector<double> without_one;
  double mean = 0;
  for (const RatioPair& unit : stratum.drawn) {
    const auto other = [&](double all, double here, double left_out) {
      return all - size / drawn * here + size / (drawn - 1) * (here - left_out);
    };
    without_one.push_back(ratio_of(
        {other(estimated.part, sum.part, unit.part), other(estimated.whole, sum.whole, unit.whole)}));
    mean += without_one.back() / drawn;
  }
  double squares = 0;
  for (const double ratio : without_one) squares += (ratio - mean) * (ratio - mean);
  return rest_of(stratum) * (drawn - 1) / drawn * squares;
}

double variance_of_whole(const StratumSample& stratum) {
  const auto size = static_cast<double>(stratum.size), drawn = static_cast<double>(stratum.drawn.size());
  const double mean = sum_of(stratum).whole / drawn;
  double squares = 0;
  for (const RatioPair& unit : stratum.drawn) squares += (unit.whole - mean) * (unit.whole - mean);
  return rest_of(stratum) * size * size / drawn * squares / (drawn - 1);
}

/// What units of the least spread would have.
double least_variance(const StratumSample& stratum, const RatioPair& estimated, double least_spread) {
  if (estimated.whole == 0) return 0;
  const auto size = static_cast<double>(stratum.size), drawn = static_cast<double>(stratum.drawn.size());
  const double deviation = size * least_spread * sum_of(stratum).part / drawn / estimated.whole;
  return rest_of(stratum) * deviation * deviation / drawn;
}

}  // namespace

double student_t(double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), (1 + kConfidence) / 2);
}

RatioEstimate estimate_ratio(std::span<const StratumSample> strata, double least_spread) {
  RatioPair estimated;
  for (const StratumSample& stratum : strata) {
    if (stratum.drawn.empty()) continue;
    const double weight = static_cast<double>(stratum.size) / static_cast<double>(stratum.drawn.size());
    estimated.part += weight * sum_of(stratum).part;
    estimated.whole += weight * sum_of(stratum).whole;
  }
  RatioEstimate estimate;
  estimate.value = estimate.low = estimate.high = ratio_of(estimated);
  double variance = 0, of_whole = 0, by_freedom = 0;
  for (const StratumSample& stratum : strata) {
    if (stratum.drawn.size() == stratum.size) continue;
    if (stratum.drawn.size() < 2) {
      estimate.refused = "fewer than two of a stratum were drawn";
      return estimate;
    }
    const double here = variance_of_ratio(stratum, estimated);
    const double least = least_variance(stratum, estimated, least_spread);
    variance += std::max(here, least);
    if (here > least) by_freedom += here * here / static_cast<double>(stratum.drawn.size() - 1);
    of_whole += variance_of_whole(stratum);
  }
  if (std::sqrt(of_whole) > kMostErrorOfWhole * estimated.whole) {
    estimate.refused = "the shares of the work differ too much";
    return estimate;
  }
  if (variance == 0) return estimate;
  // Satterthwaite's degrees of freedom: strata with little variance count little, and what is supposed is known.
  const double freedom =
      std::min(kMostFreedom, by_freedom == 0 ? kMostFreedom : variance * variance / by_freedom);
  const double half = student_t(freedom) * std::sqrt(variance);
  estimate.low -= half;
  estimate.high += half;
  return estimate;
}

}  // namespace warpscope
