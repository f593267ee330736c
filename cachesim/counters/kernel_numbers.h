#pragma once
// Which launches of a stream are of the same kernel: they share their sites in results.
#include <vector>

#include "traces/program/capture.h"

namespace warpscope {

struct KernelNumbers {
  std::vector<std::size_t> first;      ///< per distinct kernel the position of its first launch
  std::vector<std::size_t> of_launch;  ///< by position: index into `first`
};

/// Kernels are the same when name, description, source and build options are.
KernelNumbers number_kernels(const LaunchList& launches);

}  // namespace warpscope
