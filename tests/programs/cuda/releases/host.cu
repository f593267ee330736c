// Functions whose names, layouts or parameters CUDA 12 and 13 have changed, as NVIDIA's own headers of that release declare them. What is
// right is in CUDA's documentation, or another function says it.
#include <cstdio>
#include <cstring>

#include "../api/check.h"

namespace {

// Structures with something behind them that nobody may write.
template <class T>
struct Guarded {
  T value;
  unsigned char after[64];
  Guarded() { std::memset(static_cast<void *>(this), 0x5a, sizeof(*this)); }
  bool is_kept() const {
    for (unsigned char byte : after)
      if (byte != 0x5a) return false;
    return true;
  }
};

int attribute(cudaDeviceAttr which) {
  int value = -1;
  cudaDeviceGetAttribute(&value, which, 0);
  return value;
}

void properties() {
  Guarded<cudaDeviceProp> guarded;
  const cudaDeviceProp &found = guarded.value;
  status("properties", cudaGetDeviceProperties(&guarded.value, 0));
  expect("nothing behind them", guarded.is_kept());
  expect("their name", std::strncmp(found.name, "NVIDIA", 6) == 0);
  const struct { const char *what; long long is; cudaDeviceAttr which; } all[] = {
      {"threads", found.maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
      {"grid", found.maxGridSize[1], cudaDevAttrMaxGridDimY},
      {"major", found.major, cudaDevAttrComputeCapabilityMajor},
      {"minor", found.minor, cudaDevAttrComputeCapabilityMinor},
      {"constant", static_cast<long long>(found.totalConstMem), cudaDevAttrTotalConstantMemory},
      {"textures", static_cast<long long>(found.textureAlignment), cudaDevAttrTextureAlignment},
      {"cores", found.multiProcessorCount, cudaDevAttrMultiProcessorCount},
      {"mapped", found.canMapHostMemory, cudaDevAttrCanMapHostMemory},
      {"kernels at once", found.concurrentKernels, cudaDevAttrConcurrentKernels},
      {"copies at once", found.asyncEngineCount, cudaDevAttrAsyncEngineCount},
      {"bus", found.memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
      {"L2", found.l2CacheSize, cudaDevAttrL2CacheSize},
      {"threads of a core", found.maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor},
      {"shared memory of a core", static_cast<long long>(found.sharedMemPerMultiprocessor), cudaDevAttrMaxSharedMemoryPerMultiprocessor},
      {"managed", found.managedMemory, cudaDevAttrManagedMemory},
      {"cooperative", found.cooperativeLaunch, cudaDevAttrCooperativeLaunch},
      {"most shared memory", static_cast<long long>(found.sharedMemPerBlockOptin), cudaDevAttrMaxSharedMemoryPerBlockOptin},
      {"reserved", static_cast<long long>(found.reservedSharedMemPerBlock), cudaDevAttrReservedSharedMemoryPerBlock},
      {"registered", found.hostRegisterSupported, cudaDevAttrHostRegisterSupported},
      {"pools", found.memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
  };
  for (const auto &one : all) expect(one.what, one.is == attribute(one.which));
  expect("clusters since 9.0", found.clusterLaunch == (found.major >= 9));
  int chosen = -1, version = 0;
  status("choose", cudaChooseDevice(&chosen, &found));
  expect("the only one", chosen == 0);
  status("version", cudaRuntimeGetVersion(&version));
  expect("of the headers", version == CUDART_VERSION);
  status("driver", cudaDriverGetVersion(&version));
  expect("no older", version >= CUDART_VERSION);
  status("no version", cudaRuntimeGetVersion(nullptr), cudaErrorInvalidValue);
}

void memory() {
  char *data = nullptr;
  status("managed", cudaMallocManaged(&data, 64));
  Guarded<cudaPointerAttributes> guarded;
  status("pointer", cudaPointerGetAttributes(&guarded.value, data));
  expect("nothing behind", guarded.is_kept());
  expect("what it is", guarded.value.type == cudaMemoryTypeManaged && guarded.value.devicePointer == data);
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0}, none = {cudaMemLocationTypeDevice, 7};
  status("to the device", cudaMemPrefetchAsync(data, 64, device, 0));
  status("to the host", cudaMemPrefetchAsync(data, 64, host, 0));
  status("to another device", cudaMemPrefetchAsync(data, 64, none, 0), cudaErrorInvalidDevice);
  status("with flags", cudaMemPrefetchAsync(data, 64, device, 1), cudaErrorInvalidValue);
  status("advise", cudaMemAdvise(data, 64, cudaMemAdviseSetPreferredLocation, device));
  status("advise about another", cudaMemAdvise(data, 64, cudaMemAdviseSetPreferredLocation, none), cudaErrorInvalidDevice);
  status("free", cudaFree(data));
}

void streams() {
  cudaStream_t one, other;
  cudaStreamCreate(&one), cudaStreamCreate(&other);
  int device = -1;
  unsigned long long id = 0, other_id = 0;
  status("device", cudaStreamGetDevice(one, &device));
  expect("the only one", device == 0);
  status("id", cudaStreamGetId(one, &id)), status("other id", cudaStreamGetId(other, &other_id));
  expect("another", id != other_id);
  cudaStreamCaptureStatus state = cudaStreamCaptureStatusActive;
  status("not captured", cudaStreamGetCaptureInfo(one, &state));
  expect("none", state == cudaStreamCaptureStatusNone);
  int *data = nullptr;
  cudaMalloc(&data, 4);
  status("begin", cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  status("set", cudaMemsetAsync(data, 1, 4, one));
  status("captured", cudaStreamGetCaptureInfo(one, &state, &id));
  expect("active", state == cudaStreamCaptureStatusActive && id != 0);
  cudaGraph_t graph, now;
  status("its graph", cudaStreamGetCaptureInfo(one, &state, &id, &now));
  status("end", cudaStreamEndCapture(one, &graph)), expect("the same graph", graph == now);
  cudaGraphExec_t run;
  status("instantiate", cudaGraphInstantiate(&run, graph));
  status("launch", cudaGraphLaunch(run, one));
  int value = 0;
  status("copy", cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost));
  expect("set to 0x01010101", value == 0x01010101);
  cudaGraphExecUpdateResultInfo result;
  status("update", cudaGraphExecUpdate(run, graph, &result));
  expect("updated", result.result == cudaGraphExecUpdateSuccess && result.errorNode == nullptr);
  cudaGraphInstantiateParams parameters = {};
  cudaGraphExec_t again;
  status("with parameters", cudaGraphInstantiateWithParams(&again, graph, &parameters));
  expect("instantiated", parameters.result_out == cudaGraphInstantiateSuccess);
  cudaFree(data), cudaGraphExecDestroy(run), cudaGraphExecDestroy(again), cudaGraphDestroy(graph), cudaStreamDestroy(one), cudaStreamDestroy(other);
}

void add(void *number) { *static_cast<int *>(number) = *static_cast<int *>(number) * 10 + 1; }
void twice(void *number) { *static_cast<int *>(number) *= 2; }

void graphs() {
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  int number = 3;
  const cudaHostNodeParams adds = {add, &number}, doubles = {twice, &number};
  cudaGraphCreate(&graph, 0);
  status("second", cudaGraphAddHostNode(&second, graph, nullptr, 0, &doubles));
  status("first", cudaGraphAddHostNode(&first, graph, nullptr, 0, &adds));
  status("order", cudaGraphAddDependencies(graph, &first, &second, nullptr, 1));
  cudaGraphEdgeData edge = {};
  status("an edge twice", cudaGraphAddDependencies(graph, &first, &second, &edge, 1), cudaErrorInvalidValue);
  cudaGraphExec_t run;
  status("instantiate", cudaGraphInstantiate(&run, graph, 0));
  status("launch", cudaGraphLaunch(run, nullptr));
  expect("(3 * 10 + 1) * 2", number == 62);
  cudaGraphExecDestroy(run), cudaGraphDestroy(graph);
}

void driver() {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult result;
  status("entry point", cudaGetDriverEntryPointByVersion("cuDriverGetVersion", &function, 13000, cudaEnableDefault, &result));
  int version = 0;
  expect("found", result == cudaDriverEntryPointSuccess && reinterpret_cast<int (*)(int *)>(function)(&version) == 0 && version >= 11000);
  status("no such", cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &function, 13000, cudaEnableDefault, &result));
  expect("not found", function == nullptr && result == cudaDriverEntryPointSymbolNotFound);
}

void missing() {
  status("not here", cudaGraphicsUnregisterResource(nullptr), cudaErrorNotSupported);
  status("nor this", cudaImportExternalMemory(nullptr, nullptr), cudaErrorNotSupported);
  expect("remembered", cudaPeekAtLastError() == cudaErrorNotSupported);
  status("named once", cudaGraphicsUnregisterResource(nullptr), cudaErrorNotSupported);
  cudaGetLastError();
  expect("forgotten", cudaGetLastError() == cudaSuccess);
}

}  // namespace

int main() {
  properties(), memory(), streams(), graphs(), driver(), missing();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
