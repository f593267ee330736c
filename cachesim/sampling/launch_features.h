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
  /// How long it takes, in the unit of a load that others wait for: loads of the busiest work-item, lines that a core looks up, and what the
  /// launch itself takes. 0: not looked for.
  double steps = 0;
  bool reads_new = false;  ///< reads a buffer that no earlier launch read, so that the L2 is cold
};

enum class LookFor { Counts, CountsAndCycles };

/// Reads at most four work-groups of each launch, spread evenly over it; the others count by their bytes in the capture. For cycles, on a
/// GPU of `cores`, also the four of most bytes, which the busiest work-item is likely to be in. With a progress bar. Throws InputError on
/// damage.
std::vector<LaunchFeatures> features_of(const CaptureReader& capture,
                                        const std::vector<const LaunchInfo*>& launches,
                                        LookFor look = LookFor::Counts, std::uint32_t cores = 1);

}  // namespace warpscope
