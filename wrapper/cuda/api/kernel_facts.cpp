// What the libraries of releases/ ask of kernels: which a module has, where their arguments lie, and how large clusters of them may be.
#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "gpus/gpcs.h"
#include "wrapper/cuda/device.h"
#include "wrapper/cuda/launch.h"
#include "wrapper/cuda/library_calls.h"
#include "wrapper/cuda/module.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

/// Runs `work` with the kernel, under the registry's lock.
template <class Work>
cudaError_t ask_kernel(const void* host, const Work& work) {
  return run([&] {
    Registry& registry = Registry::get();
    const std::lock_guard lock(registry.mutex());
    work(registry, registry.kernel(host));
  });
}

/// Cores of each GPC; all of the GPU in one where it is not known how they are divided. Throws Failure for a GPU without clusters.
std::vector<std::uint64_t> cores_of_parts() {
  const GpuPreset& gpu = Device::gpu();
  require(compute_capability(gpu).major >= 9, cudaErrorNotSupported);
  if (!gpu.gpcs) return {gpu.cores};
  std::vector<std::uint64_t> sizes;
  for (const auto& cores : cores_of_gpcs(gpu.cores, static_cast<std::uint32_t>(*gpu.gpcs)))
    sizes.push_back(cores.size());
  return sizes;
}

constexpr std::uint64_t kPortable = 8, kLargest = 16;  // CUDA C++ Programming Guide, "Thread Block Clusters"
constexpr auto kInvalidClusterSize = static_cast<cudaError_t>(912);  // cudaErrorInvalidClusterSize

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

// NOLINTBEGIN(readability-identifier-naming): as other functions that the library exports
extern "C" {

const void* warpscopeKernelOf(CUmodule module, std::size_t index) {
  const void* kernel = nullptr;
  run([&] {
    Registry& registry = Registry::get();
    const std::lock_guard lock(registry.mutex());
    Module& own = registry.image(reinterpret_cast<void**>(module));
    const std::vector<std::string> names = own.names();
    if (index < names.size()) kernel = registry.function_of(own, names[index]);
  });
  return kernel;
}

cudaError_t warpscopeModuleOf(const void* kernel, CUmodule* module) {
  return ask_kernel(kernel, [&](Registry& registry, const Kernel&) {
    require(module != nullptr);
    void** const handle = registry.image_of(kernel);
    require(handle != nullptr, cudaErrorInvalidResourceHandle);
    *module = reinterpret_cast<CUmodule>(handle);
  });
}

cudaError_t warpscopeParameterOf(const void* kernel, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes) {
  return ask_kernel(kernel, [&](Registry&, const Kernel& known) {
    require(known.machine != nullptr, cudaErrorNotSupported);
    const auto& parameters = known.machine->code->parameters;
    require(index < parameters.size());
    if (offset != nullptr) *offset = parameters[index].offset;
    if (bytes != nullptr) *bytes = parameters[index].bytes;
  });
}

cudaError_t warpscopeLargestCluster(const void* kernel, int* work_groups) {
  return ask_kernel(kernel, [&](Registry&, const Kernel& known) {
    require(work_groups != nullptr);
    const std::vector<std::uint64_t> parts = cores_of_parts();
    const std::uint64_t most = known.allows_large_clusters ? kLargest : kPortable;
    *work_groups = static_cast<int>(std::min(*std::max_element(parts.begin(), parts.end()), most));
  });
}

cudaError_t warpscopeClustersAtOnce(const void* kernel, dim3 block, std::size_t shared_bytes, dim3 cluster,
                                    int* clusters) {
  return ask_kernel(kernel, [&](Registry&, const Kernel& known) {
    require(clusters != nullptr);
    const std::uint64_t size = std::uint64_t{cluster.x} * cluster.y * cluster.z;
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    require(size != 0 && threads != 0);
    require(size <= (known.allows_large_clusters ? kLargest : kPortable), kInvalidClusterSize);
    const std::uint64_t slots = resident_blocks(known, threads, shared_bytes);
    std::uint64_t found = 0;
    for (const std::uint64_t cores : cores_of_parts()) found += cores * slots / size;
    *clusters = static_cast<int>(found);
  });
}
}
// NOLINTEND(readability-identifier-naming)
