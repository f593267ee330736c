#pragma once
// What a traced program is told about its device: a GPU's limits instead of those of PoCL's CPU. Knows no
// OpenCL.
#include <array>
#include <cstdint>
#include <string>

#include "traces/base/types.h"

namespace warpscope::layer {

struct DeviceLike {
  std::string name = "pocl";  ///< "pocl", "common", or a GPU preset's name

  // Not for "pocl". PoCL's own limit is answered where it is lower.
  std::uint64_t work_items = 1024;                               ///< per work-group
  std::array<std::uint64_t, 3> work_item_sizes{1024, 1024, 64};  ///< per dimension of a work-group
  std::uint64_t local_bytes = 48 * 1024;                         ///< local memory of a work-group
  std::uint64_t constant_bytes = 64 * 1024;                      ///< limit of a __constant argument
  std::uint32_t warp_size = 32;
  std::uint32_t cores = 0;  ///< 0 = PoCL's answer

  /// Whether queries are answered with the limits above; false: everything is as PoCL has it.
  [[nodiscard]] bool is_gpu() const { return name != "pocl"; }
};

/// The local size of a launch that leaves it open, the same on every machine: x = the largest power of two up
/// to 256 that divides global.x, y = z = 1. `global` has no zero.
Dim3 open_local_size(const Dim3& global);

}  // namespace warpscope::layer
