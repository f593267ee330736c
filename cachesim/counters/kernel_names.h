#pragma once
// What a result calls kernels: by their names, and different kernels of one name by what tells them apart as well.
#include <string>
#include <vector>

#include "traces/program/capture.h"

namespace warpscope {

struct KernelNames {
  std::vector<std::string> names;  ///< of each distinct kernel, in the order of number_kernels(); each once
  std::vector<std::size_t> of_launch;  ///< index into `names` of each launch
  /// Of the launch at a position.
  [[nodiscard]] const std::string& of(std::size_t launch) const { return names[of_launch[launch]]; }
};

/// Kernels of one name are told apart by their source's file name, "mmul (mmul2.cl)"; else by the build options that they do not share,
/// "mmul (-DTS=16)"; else by their number among those of the name, "mmul (variant 2)".
KernelNames name_kernels(const LaunchList& launches);

}  // namespace warpscope
