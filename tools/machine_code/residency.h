#pragma once
// How many work-groups of a kernel a core of a GPU holds at once.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "gpus/preset.h"
#include "machine/cubin/cubin.h"

namespace warpscope::machine {

/// What the user says about a launch.
struct LaunchShape {
  std::optional<GpuPreset> gpu;
  std::uint32_t work_items = 256;   ///< per work-group
  std::uint64_t dynamic_bytes = 0;  ///< of shared memory, in addition to the cubin's
};

/// {"gpu", "work_items", "work_groups", "limited_by"}. A preset without limits has no work_groups: null.
nlohmann::ordered_json residency_json(const LaunchShape& shape, std::uint32_t architecture,
                                      const Function& function);

}  // namespace warpscope::machine
