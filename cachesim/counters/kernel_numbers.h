#pragma once
// Which launches of a stream are of the same kernel: they share their sites in results.
#include <vector>

#include "traces/program/capture.h"

namespace warpscope {

struct KernelNumbers {
  std::vector<std::size_t> first;      ///< position of the first launch of each distinct kernel
  std::vector<std::size_t> of_launch;  ///< index into `first` of each launch
};

/// Kernels are the same when name, description, source and build options are.
KernelNumbers number_kernels(const LaunchList& launches);

}  // namespace warpscope
