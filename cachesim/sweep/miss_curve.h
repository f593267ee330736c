#pragma once
// Miss rate over capacity, and the capacities up to which more capacity pays.
#include <cstddef>
#include <span>
#include <vector>

namespace warpscope {

struct CurvePoint {
  double size_kib = 0;
  double miss_rate_percent = 0;
};

/// Knees of a curve whose points ascend in size: places of points. A knee is an inner point of the curve's
/// lower convex hull before which the misses fall at least twice as fast per KiB as behind it, and by at
/// least 5 % of the curve's whole fall since the hull's point before. (On the convex hull as in Beckmann and
/// Sanchez, "Talus: A simple way to remove cliffs in cache performance", HPCA 2015,
/// DOI 10.1109/HPCA.2015.7056022; the two numbers are ours.)
std::vector<std::size_t> knees(std::span<const CurvePoint> curve);

}  // namespace warpscope
