#pragma once
// Identical launches, and how many of each to draw.
#include <cstddef>
#include <vector>

#include "cachesim/sampling/launch_features.h"

namespace warpscope {

/// Launches that stand for each other.
struct LaunchStratum {
  std::vector<std::size_t> members;  ///< positions among all launches, ascending
  std::size_t count = 0;             ///< number of launches to draw: at least three, or all
};

/// Divides launches, whose features are `features`, into at most max(1, count / 4) strata, and shares `count`
/// (6 … all of them, or all) among them. `kind_of`: launches of one kind have the same number, 0 … (kernel, work-group size, and whether
/// the L2 is cold); the smallest kinds are put together where there are too many. Then the stratum that gains most is cut in two where its
/// launches differ in size, in transactions per request, or in steps. A stratum's standard deviation is supposed to be that of the features
/// and a fifth of their mean; `count` is shared by Neyman's rule, in whole numbers (Wright, The American Statistician 66, 2012,
/// DOI 10.1080/00031305.2012.733679). In order of their first launch.
std::vector<LaunchStratum> launch_strata(const std::vector<LaunchFeatures>& features,
                                         const std::vector<std::size_t>& kind_of, std::size_t count);

}  // namespace warpscope
