// What nvcc's host code calls: registration of managed variables, and launches.
#include <map>
#include <mutex>
#include <type_traits>
#include <vector>

#include "wrapper/cuda/releases/launch_config.h"

namespace warpscope::cuda::releases {
namespace {

/// Managed variables of an object: the host reads each through a pointer, which nvcc's code fills by __cudaInitModule().
class ManagedVariables {
 public:
  static ManagedVariables& get() {
    static auto* variables = new ManagedVariables;
    return *variables;
  }
  void add(void** object, void** pointer) {
    const std::lock_guard lock(mutex_);
    waiting_[object].push_back(pointer);
  }
  /// Once per object. Whether all have their memory.
  bool fill(void** object) {
    const std::lock_guard lock(mutex_);
    bool is_complete = true;
    for (void** pointer : waiting_[object])
      is_complete = cudaGetSymbolAddress(pointer, pointer) == cudaSuccess && is_complete;
    if (is_complete) waiting_[object].clear();
    return is_complete;
  }

 private:
  std::mutex mutex_;
  std::map<void**, std::vector<void**>> waiting_;
};

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the names that nvcc gives
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, void* stream) {
  using Push =
      unsigned(dim3, dim3, std::size_t, void*, const char*, unsigned);  // our header gives the place, too
  static Push* const push = core<Push>("__cudaPushCallConfiguration");
  return push(grid, block, shared_bytes, stream, nullptr, 0);
}
void __cudaRegisterVar(void** object, const void* host, char* device, const char* name, int is_extern,
                       std::size_t bytes, int is_constant, int is_global);
void __cudaRegisterManagedVar(void** object, void** pointer, char* device, const char* name, int is_extern,
                              std::size_t bytes, int is_constant, int is_global) {
  __cudaRegisterVar(object, pointer, device, name, is_extern, bytes, is_constant, is_global);
  ManagedVariables::get().add(object, pointer);
}
/// Asks for nothing: the host's variable is where it is.
void __cudaRegisterHostVar(void** /*object*/, const char* /*name*/, char* /*host*/, std::size_t /*bytes*/) {}
char __cudaInitModule(void** object) {
  return static_cast<char>(ManagedVariables::get().fill(object));
}

/// A kernel's handle is its stub.
cudaError_t __cudaGetKernel(const void** handle, const void* stub) {
  *handle = stub;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(const void* handle, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(handle, grid, block, arguments, shared_bytes, stream);
}
WARPSCOPE_SAME(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);

cudaError_t cudaGetKernel(const void** handle, const void* stub) {
  cudaFunction_t function = nullptr;
  const cudaError_t status = cudaGetFuncBySymbol(&function, stub);  // says whether there is such a kernel
  if (status == cudaSuccess && handle != nullptr) *handle = stub;
  return status;
}

cudaError_t cudaLaunchKernelExC(const LaunchConfig* config, const void* kernel, void** arguments) {
  if (config == nullptr) return cudaLaunchKernel(nullptr, {}, {}, nullptr, 0, nullptr);
  bool is_cooperative = false;
  dim3 cluster{1, 1, 1};
  for (unsigned at = 0; at < config->count; ++at) {
    const LaunchAttribute& attribute = config->attributes[at];
    const unsigned* value = attribute.value;
    if (attribute.id == kCooperative) is_cooperative = value[0] != 0;
    if (attribute.id == kClusterDimension) cluster = {value[0], value[1], value[2]};
  }
  if (cluster.x > 1 || cluster.y > 1 || cluster.z > 1)
    return warpscopeLaunchInClusters(kernel, config->grid, config->block, arguments, config->shared_bytes,
                                     config->stream, is_cooperative ? 1 : 0, cluster);
  const auto launch = is_cooperative ? &cudaLaunchCooperativeKernel : &cudaLaunchKernel;
  return launch(kernel, config->grid, config->block, arguments, config->shared_bytes, config->stream);
}
WARPSCOPE_SAME(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
}
