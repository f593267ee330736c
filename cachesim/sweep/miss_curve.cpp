#include "cachesim/sweep/miss_curve.h"

namespace warpscope {
namespace {

/// Fall of the miss rate per KiB.
double fall(const CurvePoint& from, const CurvePoint& to) {
  return (from.miss_rate_percent - to.miss_rate_percent) / (to.size_kib - from.size_kib);
}

}  // namespace

std::vector<std::size_t> knees(std::span<const CurvePoint> curve) {
  std::vector<std::size_t> hull, found;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    while (hull.size() > 1 &&
           fall(curve[hull[hull.size() - 2]], curve[hull.back()]) <= fall(curve[hull.back()], curve[i]))
      hull.pop_back();
    hull.push_back(i);
  }
  for (std::size_t i = 1; i + 1 < hull.size(); ++i) {
    const CurvePoint &before = curve[hull[i - 1]], &here = curve[hull[i]], &behind = curve[hull[i + 1]];
    const double whole = curve.front().miss_rate_percent - curve[hull.back()].miss_rate_percent;
    if (fall(before, here) >= 2 * fall(here, behind) &&
        before.miss_rate_percent - here.miss_rate_percent >= 0.05 * whole && whole > 0)
      found.push_back(hull[i]);
  }
  return found;
}

}  // namespace warpscope
