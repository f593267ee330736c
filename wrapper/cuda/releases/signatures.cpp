// Functions whose parameters differ between releases. Each has its exported name by WARPSCOPE_AS: the runtime's own declaration of that name
// is another one.
#include <dlfcn.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "wrapper/cuda/releases/driver.h"

#define WARPSCOPE_AS(name) __asm__(#name)
/// A second name, for streams of each thread, of a function that is exported as `name`.
#define WARPSCOPE_OF_THREAD(function, name) \
  decltype(function) function##_of_thread __asm__(#name "_ptsz") __attribute__((alias(#name)))

namespace warpscope::cuda::releases {
namespace {

/// Device or host, which the runtime before 12.2 has as a number.
int device_at(cudaMemLocation location) {
  return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}

struct UpdateResult {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t wrong, wrong_from;
};
struct InstantiateParameters {
  unsigned long long flags;
  cudaStream_t upload_stream;
  cudaGraphNode_t wrong;
  int result;
};
enum DriverEntryPoint : int { Found = 0, NotFound = 1 };

/// The last version of the release, for which its headers ask.
constexpr int kVersion = kRelease == 11 ? 11080 : kRelease == 12 ? 12090 : 13000;

cudaError_t entry_point(const char* name, void** function, DriverEntryPoint* result, int version = kVersion) {
  if (name == nullptr || function == nullptr) return cudaErrorInvalidValue;
  constexpr std::string_view kDriver = "cu", kRuntime = "cuda";
  const std::string_view text = name;
  const bool is_of_driver = text.starts_with(kDriver) && !text.starts_with(kRuntime);
  *function = is_of_driver ? dlsym(RTLD_DEFAULT, std::string(form_of(text, version)).c_str()) : nullptr;
  if (result != nullptr) *result = *function != nullptr ? Found : NotFound;
  return cudaSuccess;
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): named after what they are exported as
extern "C" {

// Memory
cudaError_t prefetch_to_location(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream)
#if WARPSCOPE_RELEASE == 13
    WARPSCOPE_AS(cudaMemPrefetchAsync);
#else
    WARPSCOPE_AS(cudaMemPrefetchAsync_v2);
#endif
cudaError_t advise_location(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                            cudaMemLocation location)
#if WARPSCOPE_RELEASE == 13
    WARPSCOPE_AS(cudaMemAdvise);
#else
    WARPSCOPE_AS(cudaMemAdvise_v2);
#endif
#if WARPSCOPE_RELEASE == 13
WARPSCOPE_OF_THREAD(prefetch_to_location, cudaMemPrefetchAsync);
#else
WARPSCOPE_OF_THREAD(prefetch_to_location, cudaMemPrefetchAsync_v2);
#endif
cudaError_t prefetch_to_location(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
  if (flags != 0) return cudaGetDevice(nullptr);  // notes cudaErrorInvalidValue: they must be 0
  using Prefetch = cudaError_t(const void*, std::size_t, int, cudaStream_t);
  return core<Prefetch>("cudaMemPrefetchAsync")(pointer, bytes, device_at(location), stream);
}
cudaError_t advise_location(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                            cudaMemLocation location) {
  using Advise = cudaError_t(const void*, std::size_t, cudaMemoryAdvise, int);
  return core<Advise>("cudaMemAdvise")(pointer, bytes, advice, device_at(location));
}

// Streams
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  unsigned flags = 0;
  const cudaError_t status = cudaStreamGetFlags(stream, &flags);  // says whether there is such a stream
  return status == cudaSuccess ? cudaGetDevice(device) : status;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  unsigned flags = 0;
  const cudaError_t status = cudaStreamGetFlags(stream, &flags);
  if (status == cudaSuccess && id != nullptr) *id = reinterpret_cast<unsigned long long>(stream);
  return id != nullptr ? status : cudaGetDevice(nullptr);  // notes cudaErrorInvalidValue
}
// Graphs
#if WARPSCOPE_RELEASE >= 12
cudaError_t update_executable(cudaGraphExec_t executable, cudaGraph_t graph, UpdateResult* information)
    WARPSCOPE_AS(cudaGraphExecUpdate);
cudaError_t update_executable(cudaGraphExec_t executable, cudaGraph_t graph, UpdateResult* information) {
  UpdateResult said{};
  const cudaError_t status =
      warpscopeUpdateGraph(executable, graph, &said.wrong, &said.wrong_from, &said.result);
  if (information != nullptr) *information = said;
  return status;
}
cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags)
    WARPSCOPE_AS(cudaGraphInstantiate);
cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}
#else
cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t* wrong, char* log,
                        std::size_t bytes) WARPSCOPE_AS(cudaGraphInstantiate);
cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t* wrong, char* log,
                        std::size_t bytes) {
  if (wrong != nullptr) *wrong = nullptr;
  if (log != nullptr && bytes != 0) *log = '\0';
  return cudaGraphInstantiateWithFlags(executable, graph, 0);
}
#endif
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           InstantiateParameters* parameters) {
  if (parameters == nullptr) return cudaGraphInstantiateWithFlags(nullptr, graph, 0);
  constexpr int kError = 1, kInvalidStructure = 2;
  std::size_t nodes = 0;
  const bool is_graph = cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess;
  const cudaError_t status = cudaGraphInstantiateWithFlags(executable, graph, parameters->flags);
  parameters->wrong = nullptr;
  parameters->result = status == cudaSuccess ? 0 : is_graph ? kInvalidStructure : kError;
  return status;
}

WARPSCOPE_SAME(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams);
WARPSCOPE_SAME(cuGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

// The driver's functions by name
#if WARPSCOPE_RELEASE >= 12
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long /*flags*/,
                                    DriverEntryPoint* result) {
  return entry_point(name, function, result);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long /*flags*/, DriverEntryPoint* result) {
  return entry_point(name, function, result, static_cast<int>(version));
}
WARPSCOPE_SAME(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion);
/// `parameters` say how the device is shared, which it is not.
CUresult cuCtxCreate_v4(CUcontext* context, const void* /*parameters*/, unsigned flags, CUdevice device) {
  return cuCtxCreate(context, flags, device);
}
#else
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long /*flags*/) {
  return entry_point(name, function, nullptr);
}
#endif

// For streams of each thread
WARPSCOPE_SAME(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);
WARPSCOPE_SAME(cudaStreamGetId_ptsz, cudaStreamGetId);
WARPSCOPE_SAME(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);
WARPSCOPE_SAME(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);
}
// NOLINTEND(readability-identifier-naming)
