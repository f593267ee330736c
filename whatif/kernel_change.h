#pragma once
// The description of a kernel and of a launch after a change.
#include "whatif/fit.h"

namespace warpscope::whatif {

/// A site that splits becomes one site per piece, behind each other; of loads that are joined the first
/// in program order stays. The program points and instruction counts of the block move with them. Local and private arrays get their new sizes.
KernelInfo changed_kernel(const LaunchInfo& launch, const std::vector<SiteFit>& fits, const Plan& plan,
                          const std::vector<BufferInfo>& buffers);

/// The launch with `kernel` in place of its own: sizes of local memory follow.
LaunchInfo changed_launch(const LaunchInfo& launch, const Shared<KernelInfo>& kernel, const Plan& plan,
                          const std::vector<BufferInfo>& buffers);

/// How many sites a site becomes: 0 for one that is joined with another, else at least 1.
inline std::size_t parts_of(const SiteFit& fit) {
  if (fit.joined) return 0;
  return fit.pieces.empty() ? 1 : fit.pieces.size();
}

}  // namespace warpscope::whatif
