#include "timed/spread/straight_line.h"

#include <cmath>
#include <numeric>

namespace warpscope::timed {

StraightLine line_through(const std::vector<double>& values) {
  StraightLine line;
  line.count = static_cast<double>(values.size());
  line.mean = std::accumulate(values.begin(), values.end(), 0.0) / line.count;
  const auto place = [&](std::size_t i) { return static_cast<double>(i) - (line.count - 1) / 2; };
  double products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    line.squares_of_places += place(i) * place(i);
    products += place(i) * (values[i] - line.mean);
  }
  if (line.squares_of_places > 0) line.slope = products / line.squares_of_places;
  for (std::size_t i = 0; i < values.size(); ++i)
    line.squares += std::pow(values[i] - line.mean - line.slope * place(i), 2);
  return line;
}

}  // namespace warpscope::timed
