#pragma once
// A kernel's node as the driver has it since release 12: CUDA_KERNEL_NODE_PARAMS_v2 (CUDA Driver API, "Graph Management").
#include "wrapper/cuda/releases/driver.h"

namespace warpscope::cuda::releases {

struct DriverKernelNode {
  cudaKernelNodeParams call;
  CUkernel kernel;  ///< instead of a function
  CUcontext context;
};

/// A library's kernel is its function.
inline cudaKernelNodeParams call_of(const DriverKernelNode& node) {
  cudaKernelNodeParams call = node.call;
  if (call.func == nullptr) call.func = node.kernel;
  return call;
}

}  // namespace warpscope::cuda::releases
