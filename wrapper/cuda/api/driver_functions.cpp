// The driver API's functions: what is known of a kernel, how many of its work-groups fit, and launches (CUDA Driver API, "Execution Control",
// "Occupancy").
#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "wrapper/cuda/api/driver.h"
#include "wrapper/cuda/launch.h"
#include "wrapper/cuda/library_calls.h"
#include "wrapper/cuda/module.h"
#include "wrapper/cuda/state/status.h"

// Needs the types of the headers above.
#include "passes/cuda/include/warpscope/api/occupancy.h"

namespace warpscope::cuda {
namespace {

/// CUlaunchAttributeID of what a kernel could see.
constexpr int kClusterDimension = 4, kCooperative = 2;

/// Arguments in one buffer, as `extra` of a launch names it: pairs of a key and a value.
struct ArgumentBuffer {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;

  static ArgumentBuffer of(void** extra) {
    ArgumentBuffer buffer;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
      if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
        buffer.bytes = static_cast<std::uint8_t*>(extra[1]);
      else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
        buffer.size = *static_cast<std::size_t*>(extra[1]);
      else
        throw Failure{cudaErrorInvalidValue};
    }
    return buffer;
  }
};

/// `launch` has the parameters of cudaLaunchKernel().
template <class Launch>
CUresult launch_by(const Launch& launch, CUfunction function, const CUlaunchConfig& config, void** arguments,
                   void** extra) {
  return drive([&] {
    std::vector<void*> in_buffer;
    if (extra != nullptr && arguments == nullptr) {
      const cudaError_t error = run([&] { in_buffer = arguments_in(function, extra); });
      if (error != cudaSuccess) return error;
      arguments = in_buffer.data();
    }
    return launch(function, dim3(config.gridDimX, config.gridDimY, config.gridDimZ),
                  dim3(config.blockDimX, config.blockDimY, config.blockDimZ), arguments,
                  config.sharedMemBytes, config.hStream);
  });
}

}  // namespace

std::vector<void*> arguments_in(const void* function, void** extra) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex());
  const Kernel& kernel = registry.kernel(function);
  require(kernel.machine != nullptr, cudaErrorNotSupported);
  const ArgumentBuffer buffer = ArgumentBuffer::of(extra);
  std::vector<void*> arguments;
  for (const machine::KernelParameter& parameter : kernel.machine->code->parameters) {
    require(buffer.bytes != nullptr && parameter.offset + parameter.bytes <= buffer.size);
    arguments.push_back(buffer.bytes + parameter.offset);
  }
  return arguments;
}

}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return drive([&] {
    cudaFuncAttributes known;
    const cudaError_t error = cudaFuncGetAttributes(&known, function);
    if (error != cudaSuccess) return error;
    if (value == nullptr) return cudaErrorInvalidValue;
    switch (attribute) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = known.maxThreadsPerBlock;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(known.sharedSizeBytes);
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = static_cast<int>(known.constSizeBytes);
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = static_cast<int>(known.localSizeBytes);
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = known.ptxVersion;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = known.binaryVersion;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = known.numRegs;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = known.maxDynamicSharedSizeBytes;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = known.preferredShmemCarveout;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return drive(
      [&] { return cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value); });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block_size,
                                                     std::size_t shared_bytes) {
  return drive([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes);
  });
}
CUresult cuFuncSetCacheConfig(CUfunction function, int config) {
  return drive([&] { return cudaFuncSetCacheConfig(function, static_cast<cudaFuncCache>(config)); });
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, int config) {
  return drive(
      [&] { return cudaFuncSetSharedMemConfig(function, static_cast<cudaSharedMemConfig>(config)); });
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  return drive([&] {
    return run([&] {
      require(name != nullptr);
      Registry& registry = Registry::get();
      const std::lock_guard lock(registry.mutex());
      *name = registry.kernel(function).symbol.c_str();
    });
  });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int block_size, std::size_t shared_bytes,
                                                              unsigned flags) {
  return drive([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared_bytes,
                                                                  flags);
  });
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, CUfunction function,
                                          CUoccupancyB2DSize shared_of, std::size_t shared_bytes, int limit) {
  return drive([&] {
    if (grid_size == nullptr || block_size == nullptr) return cudaErrorInvalidValue;
    const auto bytes_of = [&](int size) { return shared_of != nullptr ? shared_of(size) : shared_bytes; };
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid_size, block_size, function, bytes_of, limit);
  });
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, std::size_t shared_bytes,
                                                   int limit, unsigned /*flags*/) {
  return cuOccupancyMaxPotentialBlockSize(grid_size, block_size, function, shared_of, shared_bytes, limit);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** arguments, void** extra) {
  const CUlaunchConfig config{grid_x,  grid_y,       grid_z, block_x, block_y,
                              block_z, shared_bytes, stream, nullptr, 0};
  return launch_by(&cudaLaunchKernel, function, config, arguments, extra);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned shared_bytes, CUstream stream, void** arguments) {
  const CUlaunchConfig config{grid_x,  grid_y,       grid_z, block_x, block_y,
                              block_z, shared_bytes, stream, nullptr, 0};
  return launch_by(&cudaLaunchCooperativeKernel, function, config, arguments, nullptr);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  bool is_cooperative = false;
  dim3 cluster{1, 1, 1};
  for (unsigned at = 0; at < config->numAttrs; ++at) {
    const CUlaunchAttribute& attribute = config->attrs[at];
    const unsigned* const value = attribute.value;
    if (attribute.id == kCooperative) is_cooperative = value[0] != 0;
    if (attribute.id == kClusterDimension) cluster = {value[0], value[1], value[2]};
  }
  if (cluster.x <= 1 && cluster.y <= 1 && cluster.z <= 1)
    return launch_by(is_cooperative ? &cudaLaunchCooperativeKernel : &cudaLaunchKernel, function, *config,
                     arguments, extra);
  const auto in_clusters = [&](const void* kernel, dim3 grid, dim3 block, void** words, std::size_t bytes,
                               cudaStream_t stream) {
    return warpscopeLaunchInClusters(kernel, grid, block, words, bytes, stream, is_cooperative ? 1 : 0,
                                     cluster);
  };
  return launch_by(in_clusters, function, *config, arguments, extra);
}
}
