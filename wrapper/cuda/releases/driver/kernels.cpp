// What a program can ask of code that it loads while it runs, and of its kernels (CUDA Driver API, "Module Management", "Library Management",
// "Execution Control", "Occupancy"; CUDA Runtime API, "Library Management").
#include <cstdint>
#include <utility>

#include "wrapper/cuda/releases/driver.h"
#include "wrapper/cuda/releases/launch_config.h"

// Needs the types of the headers above.
#include "passes/cuda/include/warpscope/api/modules.h"

namespace warpscope::cuda::releases {
namespace {

/// How many kernels the module has.
CUresult count_kernels(unsigned* count, CUmodule module) {
  CUlibrary checked = nullptr;
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = cuLibraryGetModule(&checked, module);
  if (result != CUDA_SUCCESS) return result;
  for (*count = 0; warpscopeKernelOf(module, *count) != nullptr;) ++*count;
  return CUDA_SUCCESS;
}
/// The first `count` of them, or all; what is left of `kernels` stays as it is.
template <class Kernel>
CUresult list_kernels(Kernel* kernels, unsigned count, CUmodule module) {
  unsigned all = 0;
  if (kernels == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = count_kernels(&all, module);
  for (unsigned at = 0; result == CUDA_SUCCESS && at < count && at < all; ++at)
    kernels[at] = static_cast<Kernel>(const_cast<void*>(warpscopeKernelOf(module, at)));
  return result;
}

/// The runtime's numbers are the driver's, but for what the driver names itself.
cudaError_t as_error(CUresult result) {
  constexpr auto kNotFound = static_cast<CUresult>(500);  // CUDA_ERROR_NOT_FOUND
  return result == kNotFound ? cudaErrorSymbolNotFound : static_cast<cudaError_t>(result);
}

dim3 cluster_of(const LaunchAttribute* attributes, unsigned count) {
  dim3 cluster{1, 1, 1};
  for (unsigned at = 0; at < count; ++at)
    if (const unsigned* value = attributes[at].value; attributes[at].id == kClusterDimension)
      cluster = {value[0], value[1], value[2]};
  return cluster;
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): named after what they are exported as
extern "C" {

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  return count_kernels(count, module);
}
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
  return list_kernels(functions, count, module);
}
CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  return count_kernels(count, library);
}
CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
  return list_kernels(kernels, count, library);
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return as_result(warpscopeModuleOf(function, module));
}
CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  return as_result(warpscopeModuleOf(kernel, library));
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return offset != nullptr ? as_result(warpscopeParameterOf(function, index, offset, bytes))
                           : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return cuFuncGetParamInfo(kernel, index, offset, bytes);
}
CUresult cuFuncIsLoaded(int* state, CUfunction function) {
  constexpr int kLoaded = 1;  // CU_FUNCTION_LOADING_STATE_LOADED
  const char* name = nullptr;
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = cuFuncGetName(&name, function);
  if (result == CUDA_SUCCESS) *state = kLoaded;
  return result;
}
CUresult cuLibraryGetManaged(CUdeviceptr* pointer, std::size_t* bytes, CUlibrary library, const char* name) {
  return cuLibraryGetGlobal(pointer, bytes, library, name);  // the host reads all variables where they are
}

// The runtime's
cudaError_t cudaLibraryLoadData(CUlibrary* library, const void* code, int* options, void** values,
                                unsigned count, void* library_options, void** library_values,
                                unsigned library_count) {
  cudaFree(nullptr);  // the runtime needs no cuInit()
  return as_error(cuLibraryLoadData(library, code, reinterpret_cast<CUjit_option*>(options), values, count,
                                    library_options, library_values, library_count));
}
cudaError_t cudaLibraryLoadFromFile(CUlibrary* library, const char* file, int* options, void** values,
                                    unsigned count, void* library_options, void** library_values,
                                    unsigned library_count) {
  cudaFree(nullptr);
  return as_error(cuLibraryLoadFromFile(library, file, reinterpret_cast<CUjit_option*>(options), values,
                                        count, library_options, library_values, library_count));
}
cudaError_t cudaLibraryUnload(CUlibrary library) {
  return as_error(cuLibraryUnload(library));
}
cudaError_t cudaLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return as_error(cuLibraryGetKernel(kernel, library, name));
}
cudaError_t cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, CUlibrary library, const char* name) {
  CUdeviceptr address = 0;
  const cudaError_t result = as_error(cuLibraryGetGlobal(&address, bytes, library, name));
  if (result == cudaSuccess && pointer != nullptr) *pointer = pointer_of(address);
  return result;
}
cudaError_t cudaLibraryGetManaged(void** pointer, std::size_t* bytes, CUlibrary library, const char* name) {
  return cudaLibraryGetGlobal(pointer, bytes, library, name);
}
cudaError_t cudaLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  return as_error(count_kernels(count, library));
}
cudaError_t cudaLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
  return as_error(list_kernels(kernels, count, library));
}
cudaError_t cudaKernelSetAttributeForDevice(CUkernel kernel, cudaFuncAttribute attribute, int value,
                                            int device) {
  return device == 0 ? cudaFuncSetAttribute(kernel, attribute, value) : cudaErrorInvalidDevice;
}
cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return as_error(cuFuncGetName(name, static_cast<CUfunction>(const_cast<void*>(function))));
}
cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes) {
  return as_error(
      cuFuncGetParamInfo(static_cast<CUfunction>(const_cast<void*>(function)), index, offset, bytes));
}

// Clusters
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* kernel, const LaunchConfig* config) {
  return config != nullptr ? warpscopeLargestCluster(kernel, size) : cudaErrorInvalidValue;
}
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* kernel, const LaunchConfig* config) {
  if (config == nullptr) return cudaErrorInvalidValue;
  return warpscopeClustersAtOnce(kernel, config->block, config->shared_bytes,
                                 cluster_of(config->attributes, config->count), clusters);
}
CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction kernel, const CUlaunchConfig* config) {
  return config != nullptr ? as_result(warpscopeLargestCluster(kernel, size)) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction kernel, const CUlaunchConfig* config) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const dim3 block{config->blockDimX, config->blockDimY, config->blockDimZ};
  const dim3 cluster = cluster_of(reinterpret_cast<const LaunchAttribute*>(config->attrs), config->numAttrs);
  return as_result(warpscopeClustersAtOnce(kernel, block, config->sharedMemBytes, cluster, clusters));
}
}
// NOLINTEND(readability-identifier-naming)
