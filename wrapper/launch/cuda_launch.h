#pragma once
// What a CUDA launch says otherwise than an OpenCL launch.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/base/types.h"
#include "wrapper/launch/kernel_signatures.h"
#include "wrapper/launch/launch_description.h"

namespace warpscope {

/// Threads of a block (CUDA C++ Programming Guide, table of technical specifications, all generations
/// since 2.0).
inline constexpr std::uint64_t kLargestCudaBlock = 1024;

/// --grid, --block, --dynamic-shared and --cluster; empty, 0 = not given.
struct CudaLaunchOptions {
  std::vector<std::string> grid, block;       ///< expressions, one per dimension
  std::optional<std::string> dynamic_shared;  ///< bytes
  Dim3 cluster{0, 0, 0};                      ///< work-groups of a cluster
};

/// Sets `global` and `local`. Throws InputError where both ways of saying it are used, or --grid without
/// --block.
void apply_grid(LaunchDescription& launch, const CudaLaunchOptions& options);

/// Replaces the launch's kernel name by the one kernel that is meant: "saxpy" for "saxpy<float>" where there
/// is no other, spaces do not count. Throws InputError if the file has no kernel.
void find_cuda_kernel(LaunchDescription& launch, const std::vector<KernelSignature>& kernels,
                      const std::string& source_name);

/// Says what is known of arguments that are variables in the source: their sizes, zero as content, and the
/// bytes of extern __shared__ memory. Throws InputError for --dynamic-shared where the kernel has none.
void complete_cuda_launch(LaunchDescription& launch, const KernelSignature& kernel,
                          const CudaLaunchOptions& options);

}  // namespace warpscope
