// Launches, functions and occupancy, and what clang's host objects call (CUDA Runtime API, "Execution
// Control", "Occupancy").
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/cuda/include/warpscope/texture_types.h"
#include "wrapper/cuda/api.h"
#include "wrapper/cuda/api/driver.h"
#include "wrapper/cuda/device.h"
#include "wrapper/cuda/graph.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

/// What is between <<< and >>>, on its way to the kernel's stub.
struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  void* stream;
  std::string call_site;
};
thread_local std::vector<Configuration> configurations;
/// Of the configuration that a stub has taken, for the launch that it makes next.
thread_local std::string call_site;

std::string place_of(const char* file, unsigned line) {
  if (file == nullptr) return {};
  const std::string_view path = file;
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), line);
}

warpscope::Dim3 size_of(const dim3& size) {
  return {size.x, size.y, size.z};
}

cudaError_t launch_kernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                          std::size_t shared_bytes, bool is_cooperative, cudaStream_t stream,
                          const warpscope::Dim3& cluster = {0, 0, 0}) {
  return run([&] {
    require(!is_sticky(), last_error(false));
    const LaunchRequest request{kernel,
                                size_of(grid),
                                size_of(block),
                                arguments,
                                shared_bytes,
                                is_cooperative,
                                std::exchange(call_site, {}),
                                cluster};
    if (!Captures::get().takes(stream))
      launch(request);
    else
      Captures::get().add(stream, {cudaGraphNodeTypeKernel, {}, KernelCall(request)});
  });
}

/// Runs `work` with the kernel, under the registry's lock.
template <class Work>
cudaError_t with_kernel(const void* host, const Work& work) {
  return run([&] {
    Registry& registry = Registry::get();
    const std::lock_guard lock(registry.mutex());
    work(registry.kernel(host));
  });
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the names that clang gives
void** __cudaRegisterFatBinary(const void* wrapper) {
  return Registry::get().add_object(wrapper);
}
void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}
void __cudaUnregisterFatBinary(void** handle) {
  Registry::get().remove_object(handle);
}
void __cudaRegisterFunction(void** handle, const void* host, char* /*device*/, const char* name,
                            int /*thread_limit*/, void* /*tid*/, void* /*bid*/, void* /*block*/,
                            void* /*grid*/, int* /*warp_size*/) {
  Registry::get().add_kernel(handle, host, name);
}
void __cudaRegisterVar(void** handle, const void* host, char* /*device*/, const char* name, int /*extern*/,
                       std::size_t bytes, int /*constant*/, int /*global*/) {
  Registry::get().add_variable(handle, host, name, bytes);
}
void __cudaRegisterTexture(void** handle, const void* host, const void** /*device*/, const char* name,
                           int /*dimensions*/, int /*normalized*/, int /*extern*/) {
  Registry::get().add_variable(handle, host, name, sizeof(warpscope_texture));
}
void __cudaRegisterSurface(void** handle, const void* host, const void** /*device*/, const char* name,
                           int /*dimensions*/, int /*extern*/) {
  Registry::get().add_variable(handle, host, name, sizeof(warpscope_texture));
}
void __warpscopeRegisterLinked(const void* content) {
  Registry::get().add_linked(content);
}

// File and line are default arguments of our header, so that they are those of the launch.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, void* stream,
                                     const char* file, unsigned line) {
  configurations.push_back({grid, block, shared_bytes, stream, place_of(file, line)});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  if (configurations.empty()) return note(cudaErrorMissingConfiguration);
  const Configuration& top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<void**>(stream) = top.stream;
  call_site = top.call_site;
  configurations.pop_back();
  return cudaSuccess;
}

// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  use_primary_context();
  return launch_kernel(kernel, grid, block, arguments, shared_bytes, false, stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
  return launch_kernel(kernel, grid, block, arguments, shared_bytes, true, stream);
}
// NOLINTNEXTLINE(readability-identifier-naming): next to the names of the API
cudaError_t warpscopeLaunchInClusters(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                      std::size_t shared_bytes, cudaStream_t stream, int is_cooperative,
                                      dim3 cluster) {
  return launch_kernel(kernel, grid, block, arguments, shared_bytes, is_cooperative != 0, stream,
                       size_of(cluster));
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* host) {
  return with_kernel(host, [&](const Kernel& kernel) {
    require(attributes != nullptr);
    const warpscope::GpuPreset& gpu = Device::gpu();
    const ComputeCapability capability = compute_capability(gpu);
    *attributes = {};
    attributes->maxThreadsPerBlock = static_cast<int>(gpu.max_work_group_size.value_or(1024));
    attributes->ptxVersion = attributes->binaryVersion = capability.major * 10 + capability.minor;
    if (kernel.machine != nullptr) {
      const warpscope::machine::Cubin& cubin = kernel.module->machine()->program_of(*kernel.machine).cubin;
      attributes->ptxVersion = static_cast<int>(cubin.virtual_architecture());
      attributes->binaryVersion = static_cast<int>(cubin.architecture());
    }
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(kernel));
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    if (kernel.info == nullptr) return;
    if (kernel.machine != nullptr) attributes->localSizeBytes = kernel.machine->code->frame_bytes;
    attributes->sharedSizeBytes = kernel.info->static_local_bytes;
    attributes->numRegs = static_cast<int>(kernel.info->registers_estimate);
  });
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* host) {
  return with_kernel(host, [&](const Kernel&) {
    require(function != nullptr);
    *function = static_cast<cudaFunction_t>(const_cast<void*>(host));
  });
}
cudaError_t cudaFuncSetAttribute(const void* host, cudaFuncAttribute attribute, int value) {
  return with_kernel(host, [&](Kernel& kernel) {
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
      require(value >= cudaSharedmemCarveoutDefault && value <= cudaSharedmemCarveoutMaxShared);
      return;
    }
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
      require(value == 0 || value == 1);
      kernel.allows_large_clusters = value == 1;
      return;
    }
    constexpr int kPolicies = 2;  // default, spread, load balancing
    if (attribute == cudaFuncAttributeClusterSchedulingPolicyPreference)
      return require(value >= 0 && value <= kPolicies);
    require(attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0);
    const std::size_t fixed = kernel.info != nullptr ? kernel.info->static_local_bytes : 0;
    require(static_cast<std::size_t>(value) + fixed <= shared_bytes_per_block_optin());
    kernel.dynamic_limit = static_cast<std::size_t>(value);
  });
}
cudaError_t cudaFuncSetCacheConfig(const void* host, cudaFuncCache config) {
  return with_kernel(host, [&](const Kernel&) { require(config <= cudaFuncCachePreferEqual); });
}
cudaError_t cudaFuncSetSharedMemConfig(const void* host, cudaSharedMemConfig config) {
  return with_kernel(host, [&](const Kernel&) { require(config <= cudaSharedMemBankSizeEightByte); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int block_size,
                                                          std::size_t shared_bytes) {
  return with_kernel(host, [&](const Kernel& kernel) {
    require(blocks != nullptr && block_size > 0);
    *blocks = static_cast<int>(resident_blocks(kernel, static_cast<std::uint64_t>(block_size), shared_bytes));
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host,
                                                                   int block_size, std::size_t shared_bytes,
                                                                   unsigned /*flags*/) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host, block_size, shared_bytes);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* host, int blocks,
                                                      int block_size) {
  return with_kernel(host, [&](const Kernel& kernel) {
    require(bytes != nullptr && blocks > 0 && block_size > 0);
    std::size_t most = shared_bytes_per_block();
    constexpr std::size_t kStep = 256;
    while (most >= kStep && resident_blocks(kernel, static_cast<std::uint64_t>(block_size), most) <
                                static_cast<std::uint64_t>(blocks))
      most -= kStep;
    *bytes = most;
  });
}
}
