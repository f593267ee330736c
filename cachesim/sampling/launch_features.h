#pragma once
// What is known of a launch before it is simulated: a look at a few of its work-groups, and how many bytes all take in the capture.
#include <vector>

#include "traces/capture/reader.h"

namespace warpscope {

/// Estimates, from a few work-groups; only their ratios from launch to launch matter.
struct LaunchFeatures {
  double requests = 0;  ///< executions of memory instructions by warps
  double transactions =
      0;  ///< lines of 128 bytes that they touch at their first executions, times executions; at least 1
};

/// Reads at most four work-groups of the launch, spread evenly over it; the others count by their bytes in the capture. Throws
/// InputError on damage.
LaunchFeatures features_of(const CaptureReader& capture, const LaunchInfo& launch);
/// Of each, with a progress bar.
std::vector<LaunchFeatures> features_of(const CaptureReader& capture,
                                        const std::vector<const LaunchInfo*>& launches);

}  // namespace warpscope
