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
  std::uint64_t global_bytes = 0;                                ///< 0 = PoCL's answer, as below
  std::uint64_t most_allocated_bytes = 0;                        ///< one buffer
  std::uint32_t char_vectors = 1, short_vectors = 1;             ///< preferred; other types: 1
  std::uint32_t warp_size = 32;
  // Not limits: they replace PoCL's answer.
  std::string device_name = "GPU with common limits";
  std::uint32_t cores = 132;  ///< of "common": an H100's, so that it is the same on every machine
  std::uint64_t cache_bytes = 0;
  std::uint32_t cache_line_bytes = 0;
  std::uint32_t clock_mhz = 0;

  /// Whether queries are answered with the values above; false: everything is as PoCL has it.
  [[nodiscard]] bool is_gpu() const { return name != "pocl"; }
};

/// The local size of a launch that leaves it open, the same on every machine. Dimension by dimension, as AMD's driver
/// does: the largest divisor of the global size with which the work-group has at most 256 work-items, and a multiple
/// of the warp if any divisor makes it one. `global` has no zero.
Dim3 open_local_size(const DeviceLike& like, const Dim3& global);

}  // namespace warpscope::layer
