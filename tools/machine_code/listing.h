#pragma once
// Kernels and their instructions as text or JSON.
#include <cstdint>
#include <string>
#include <vector>

#include "machine/cubin/cubin.h"
#include "tools/machine_code/residency.h"

namespace warpscope::machine {

struct ListingOptions {
  std::uint32_t architecture = 0;  ///< 0: every one
  std::string kernel;              ///< "": only a summary; "all": every function
  bool plain = false;
  bool json = false;
  std::string graph;  ///< "dot" or "text": the control flow graph instead
  LaunchShape shape;  ///< with a GPU, JSON has the work-groups that a core holds
};

/// Throws InputError where no function is selected, or its architecture is not known.
std::string listing(const std::vector<Cubin>& cubins, const ListingOptions& options);

}  // namespace warpscope::machine
