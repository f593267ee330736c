#pragma once
// One line when a kernel of an untraced program faults. An address that it may not use stops the kernel, as on a GPU; after
// everything else the process ends as it would.
#include <string>

namespace warpscope::cuda {

/// While it lives, a fault is named as the kernel's, and goes on to whoever handled it before. At most one at a
/// time: launches run one after the other.
class FaultLine {
 public:
  explicit FaultLine(const std::string& kernel);
  ~FaultLine();
  FaultLine(const FaultLine&) = delete;
  FaultLine& operator=(const FaultLine&) = delete;
};

}  // namespace warpscope::cuda
