#pragma once
// Launches of kernels: checked as CUDA does, then run on PoCL to their end.
#include <array>
#include <cstdint>
#include <string>

#include "gpus/occupancy.h"
#include "traces/base/types.h"
#include "wrapper/cuda/module.h"

namespace warpscope::cuda {

struct LaunchRequest {
  const void* host = nullptr;  ///< the kernel's stub
  Dim3 grid, block;
  void** arguments = nullptr;
  std::size_t shared_bytes = 0;
  bool is_cooperative = false;
  std::string call_site = {};  ///< "app.cu:42"; empty = not known
  Dim3 cluster{0, 0, 0};       ///< work-groups of a cluster; 0: as the kernel says
};

/// Throws Failure: cudaErrorInvalidConfiguration, cudaErrorInvalidValue and others, as CUDA documents for
/// cudaLaunchKernel(); cudaErrorNotSupported, with a line, for what cannot run here.
void launch(const LaunchRequest& request);

/// Work-groups of `threads` threads and `shared_bytes` of dynamic shared memory that a core of the GPU holds.
std::uint64_t resident_blocks(const Kernel& kernel, std::uint64_t threads, std::size_t shared_bytes);

/// Dynamic shared memory that a launch of the kernel may ask for, bytes.
std::size_t dynamic_shared_limit(const Kernel& kernel);
/// Of one block, without and with cudaFuncSetAttribute().
std::size_t shared_bytes_per_block();
std::size_t shared_bytes_per_block_optin();

/// The host's exit status becomes 3 if it is 0: something was refused that a GPU would run.
void note_refusal();

}  // namespace warpscope::cuda
