#pragma once
// A ratio of all units, cores or launches, from those that were drawn: stratified ratio estimator, delete-one jackknife, finite-population
// correction, Student's t (Cochran, Sampling Techniques, 3rd edition, 1977, sections 5.4, 6.11 and 6.17; the jackknife of a
// stratified sample as in Wolter, Introduction to Variance Estimation, 2nd edition, 2007, section 4.5).
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpscope {

constexpr double as_real(std::uint64_t number) {
  return static_cast<double>(number);
}

/// What one unit counted.
struct RatioPair {
  double part = 0, whole = 0;

  RatioPair operator+(const RatioPair& other) const { return {part + other.part, whole + other.whole}; }
  RatioPair operator-(const RatioPair& other) const { return {part - other.part, whole - other.whole}; }
};

/// The units that were drawn from a stratum of `size`.
struct StratumSample {
  std::uint64_t size = 0;
  std::vector<RatioPair> drawn;  ///< the drawn pairs, at most `size`
};

/// sum(part) / sum(whole) over all units, in the unit of part over that of whole.
struct RatioEstimate {
  double value = 0;
  double low = 0, high = 0;  ///< 95 % confidence; both `value` if every unit was drawn. Not if refused
  std::string refused;       ///< why there is no interval; empty: there is one
};

/// Half of a 95 % interval in standard errors, of `freedom` (above 0) degrees of freedom.
double student_t(double freedom);

/// `strata` are all strata; some drawn unit has whole != 0. An interval is refused where a stratum has one drawn unit of
/// several, and where the standard error of the wholes themselves is above 10 % (Cochran, section 6.8: ratios are biased then).
/// `least_spread`: the parts of a stratum's units are supposed to vary by no less, standard deviation over mean, though all drawn are alike.
RatioEstimate estimate_ratio(std::span<const StratumSample> strata, double least_spread = 0);

}  // namespace warpscope
