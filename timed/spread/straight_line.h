#pragma once
// A straight line through values, for what still changes from wave to wave.
#include <vector>

namespace warpscope::timed {

/// Through values at 0, 1, 2 …, by least squares.
struct StraightLine {
  double mean = 0, slope = 0;
  double squares = 0;            ///< of the values from the line
  double squares_of_places = 0;  ///< of the places from their mean
  double count = 0;
  /// Variance of the slope. At least three values.
  [[nodiscard]] double slope_variance() const { return squares / (count - 2) / squares_of_places; }
};

/// `values`: at least one; of one the slope is 0.
StraightLine line_through(const std::vector<double>& values);

}  // namespace warpscope::timed
