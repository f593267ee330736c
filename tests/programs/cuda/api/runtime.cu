// Functions of the runtime that no other program of these tests calls: what they return and change, and an error that CUDA's
// documentation gives (CUDA Runtime API, 11.5).
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>

#include "check.h"
#include "older.h"

const auto kInvalid = cudaErrorInvalidValue;
const auto kNoDevice = cudaErrorInvalidDevice;
const auto kNoHandle = cudaErrorInvalidResourceHandle;

__device__ int variable[4];
__global__ void twice(int* data) {
  data[threadIdx.x] *= 2;
}

static void devices() {
  int count = 0;
  status("count", cudaGetDeviceCount(&count)), expect("one", count == 1), status("count into null", cudaGetDeviceCount(nullptr), kInvalid);
  int device = -1, found = -1, can = -1, version = 0, value = 0, least = -1, greatest = -1;
  unsigned flags = 0;
  char id[32];
  cudaDeviceProp properties;
  status("init", cudaInitDevice(0, 0, 0)), status("init of device 1", cudaInitDevice(1, 0, 0), kNoDevice);
  status("device", cudaGetDevice(&device)), status("device into null", cudaGetDevice(nullptr), kInvalid);
  status("properties", cudaGetDeviceProperties(&properties, device)), expect("warps of 32", properties.warpSize == 32);
  status("properties of device 1", cudaGetDeviceProperties(&properties, 1), kNoDevice);
  status("choose", cudaChooseDevice(&found, &properties)), expect("the only device", device == 0 && found == 0);
  status("choose into null", cudaChooseDevice(nullptr, &properties), kInvalid);
  status("valid devices", cudaSetValidDevices(&device, 1)), status("count without devices", cudaSetValidDevices(nullptr, 1), kInvalid);
  status("flags", cudaSetDeviceFlags(cudaDeviceScheduleYield)), status("flags", cudaGetDeviceFlags(&flags));
  expect("flags", flags == cudaDeviceScheduleYield), status("unknown flags", cudaSetDeviceFlags(0x1000), kInvalid);
  status("bus id", cudaDeviceGetPCIBusId(id, sizeof(id), 0)), status("device of the bus id", cudaDeviceGetByPCIBusId(&found, id));
  expect("bus id", found == 0 && std::strlen(id) == std::strlen("0000:01:00.0"));
  status("no room for the bus id", cudaDeviceGetPCIBusId(id, 4, 0), kInvalid);
  status("no such bus id", cudaDeviceGetByPCIBusId(&found, "ffff:ff:1f.7"), kNoDevice);
  status("driver", cudaDriverGetVersion(&version)), expect("driver", version >= CUDART_VERSION);
  status("driver into null", cudaDriverGetVersion(nullptr), kInvalid);
  status("runtime", cudaRuntimeGetVersion(&version)), expect("runtime", version == CUDART_VERSION), status("runtime into null", cudaRuntimeGetVersion(nullptr), kInvalid);
  status("priorities", cudaDeviceGetStreamPriorityRange(&least, &greatest)), expect("a lower number comes first", greatest <= least);
  status("peer", cudaDeviceCanAccessPeer(&can, 0, 0)), expect("a device is not its own peer", can == 0);
  status("no such peer", cudaDeviceCanAccessPeer(&can, 0, 1), kNoDevice);
  status("peer", cudaDeviceEnablePeerAccess(1, 0), kNoDevice);
  status("peer", cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  status("peer's attribute", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1), kNoDevice);
}

static void settings() {
  cudaFuncCache cache;
  cudaSharedMemConfig banks;
  size_t limit = 0;
  status("cache", cudaDeviceSetCacheConfig(cudaFuncCachePreferL1)), status("cache", cudaDeviceGetCacheConfig(&cache));
  expect("cache", cache == cudaFuncCachePreferL1);
  status("cache", cudaThreadSetCacheConfig(cudaFuncCachePreferShared)), status("cache", cudaDeviceGetCacheConfig(&cache));
  expect("cache of the older name", cache == cudaFuncCachePreferShared), status("cache into null", cudaDeviceGetCacheConfig(nullptr), kInvalid);
  status("banks", cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte)), status("banks", cudaDeviceGetSharedMemConfig(&banks));
  expect("banks", banks == cudaSharedMemBankSizeEightByte), status("banks into null", cudaDeviceGetSharedMemConfig(nullptr), kInvalid);
  status("limit", cudaThreadSetLimit(cudaLimitPrintfFifoSize, 1 << 21)), status("limit", cudaThreadGetLimit(&limit, cudaLimitPrintfFifoSize));
  expect("limit", limit == 1 << 21), status("limit", cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize)), expect("limit", limit == 1 << 21);
  status("no such limit", cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1), cudaErrorUnsupportedLimit);
  status("lines to keep", cudaCtxResetPersistingL2Cache());
  status("profiler", cudaProfilerStart()), status("profiler", cudaProfilerStop());
}

static void host_memory() {
  static int mine[16];
  int *pinned = nullptr, *device = nullptr;
  unsigned flags = 9;
  status("pinned", (cudaMallocHost)(reinterpret_cast<void**>(&pinned), 64)), pinned[15] = 3;
  status("pinned into null", (cudaMallocHost)(nullptr, 64), kInvalid);
  status("flags", cudaHostGetFlags(&flags, pinned)), expect("flags", flags == cudaHostAllocDefault);
  status("flags of what is not", cudaHostGetFlags(&flags, mine), kInvalid);
  status("register", cudaHostRegister(mine, sizeof(mine), cudaHostRegisterMapped));
  status("register again", cudaHostRegister(mine, sizeof(mine), 0), cudaErrorHostMemoryAlreadyRegistered);
  status("its pointer", cudaHostGetDevicePointer(&device, mine, 0));
  mine[1] = 21, twice<<<1, 2>>>(device), status("launch", cudaDeviceSynchronize()), expect("memory of the host", mine[1] == 42);
  status("unregister", cudaHostUnregister(mine)), status("unregister again", cudaHostUnregister(mine), cudaErrorHostMemoryNotRegistered);
  status("free", cudaFreeHost(pinned)), status("free again", cudaFreeHost(pinned), kInvalid);
}

static void copies() {
  int *a = nullptr, *b = nullptr, *managed = nullptr, host[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, back[12] = {};
  status("memory", cudaMalloc(&a, sizeof(host))), status("memory", cudaMalloc(&b, sizeof(host)));
  status("copy", cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice));
  status("from device to device", cudaMemcpyPeer(b, 0, a, 0, 8)), status("from device to device", cudaMemcpyPeerAsync(b + 2, 0, a + 4, 0, 8));
  status("copy", cudaMemcpy(back, b, 16, cudaMemcpyDeviceToHost)), expect("1 2 5 6", back[1] == 2 && back[2] == 5 && back[3] == 6);
  status("from device 1", cudaMemcpyPeer(b, 0, a, 1, 8), kNoDevice), status("to device 1", cudaMemcpyPeerAsync(b, 1, a, 0, 8), kNoDevice);
  status("rows", cudaMemcpy2DAsync(back, 8, a, 16, 8, 3, cudaMemcpyDeviceToHost)), expect("rows", back[2] == 5 && back[5] == 10);
  status("narrow pitch", cudaMemcpy2DAsync(back, 4, a, 16, 8, 3, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
  status("set rows", cudaMemset2D(a, 16, 0, 4, 3)), status("set rows", cudaMemset2DAsync(a + 1, 16, -1, 4, 2));
  status("copy", cudaMemcpy(back, a, sizeof(back), cudaMemcpyDeviceToHost));
  expect("rows", back[0] == 0 && back[8] == 0 && back[5] == -1 && back[9] == 10 && back[2] == 3);
  status("rows wider than the pitch", cudaMemset2D(a, 16, 0, 20, 2), cudaErrorInvalidPitchValue);
  const cudaPitchedPtr box = make_cudaPitchedPtr(b, 8, 8, 3);
  status("set a box", cudaMemset3DAsync(box, 1, make_cudaExtent(4, 3, 2))), status("copy", cudaMemcpy(back, b, sizeof(back), cudaMemcpyDeviceToHost));
  expect("box", back[0] == 0x01010101 && back[1] == 2 && back[10] == 0x01010101);
  status("set beyond it", cudaMemset3DAsync(box, 1, make_cudaExtent(4, 3, 3)), kInvalid);
  cudaMemcpy3DParms parts = {};
  parts.srcPtr = make_cudaPitchedPtr(host, 8, 8, 3), parts.dstPtr = box, parts.extent = make_cudaExtent(8, 3, 2), parts.kind = cudaMemcpyHostToDevice;
  status("copy a box", cudaMemcpy3DAsync(&parts)), status("copy", cudaMemcpy(back, b, sizeof(back), cudaMemcpyDeviceToHost));
  expect("box", back[0] == 1 && back[11] == 12), status("copy no box", cudaMemcpy3DAsync(nullptr), kInvalid);
  status("managed", cudaMallocManaged(&managed, 64)), status("advice", cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, 0));
  status("advice about device 1", cudaMemAdvise(managed, 64, cudaMemAdviseSetPreferredLocation, 1), kNoDevice);
  status("prefetch", cudaMemPrefetchAsync(managed, 64, cudaCpuDeviceId)), status("prefetch to device 1", cudaMemPrefetchAsync(managed, 64, 1), kNoDevice);
  status("attach", cudaStreamAttachMemAsync(nullptr, managed, 0, cudaMemAttachGlobal));
  status("attach in no way", cudaStreamAttachMemAsync(nullptr, managed, 0, 8), kInvalid);
}

static void symbols() {
  size_t bytes = 0;
  void* address = nullptr;
  int four[] = {4, 5, 6, 7}, back[4] = {};
  status("size", cudaGetSymbolSize(&bytes, variable)), expect("16 bytes", bytes == 16);
  status("address", cudaGetSymbolAddress(&address, variable)), status("set", cudaMemset(address, 0, 16));
  status("address of no symbol", cudaGetSymbolAddress(&address, wrong), cudaErrorInvalidSymbol);
  status("size of no symbol", cudaGetSymbolSize(&bytes, wrong), cudaErrorInvalidSymbol);
  status("to", cudaMemcpyToSymbolAsync(variable, four, 8, 8)), status("from", cudaMemcpyFromSymbolAsync(back, variable, 16));
  expect("half of it", back[1] == 0 && back[2] == 4 && back[3] == 5);
  status("beyond it", cudaMemcpyToSymbolAsync(variable, four, 16, 4), kInvalid);
  status("wrong way", cudaMemcpyFromSymbolAsync(back, variable, 16, 0, cudaMemcpyHostToDevice), cudaErrorInvalidMemcpyDirection);
}

/// `array` has the rows 1 2 3 4 and 5 6 7 8.
static void copies_of(cudaArray_t array, const cudaChannelFormatDesc& numbers) {
  cudaArray_t other = nullptr;
  int host[] = {9, 9}, back[4] = {};
  status("array", cudaMallocArray(&other, &numbers, 4, 2));
  status("to", cudaMemcpyToArrayAsync(other, 0, 0, host, 8, cudaMemcpyHostToDevice)), status("to", cudaMemcpy2DToArrayAsync(other, 8, 0, host, 4, 4, 2, cudaMemcpyHostToDevice));
  status("from", cudaMemcpyFromArrayAsync(back, other, 0, 0, 12, cudaMemcpyDeviceToHost)), expect("9 9 9", back[0] == 9 && back[2] == 9);
  status("array to array", cudaMemcpyArrayToArray(other, 0, 0, array, 8, 0, 8)), status("rows", cudaMemcpy2DArrayToArray(other, 8, 0, array, 0, 0, 4, 2));
  status("rows", cudaMemcpy2DFromArrayAsync(back, 8, other, 4, 0, 8, 2, cudaMemcpyDeviceToHost)), expect("4 1 . 5", back[0] == 4 && back[1] == 1 && back[3] == 5);
  status("to beyond it", cudaMemcpyToArrayAsync(other, 8, 1, host, 12, cudaMemcpyHostToDevice), kInvalid);
  status("from beyond it", cudaMemcpyFromArrayAsync(back, other, 8, 1, 12, cudaMemcpyDeviceToHost), kInvalid);
  status("three rows", cudaMemcpy2DToArrayAsync(other, 0, 0, host, 4, 4, 3, cudaMemcpyHostToDevice), kInvalid);
  status("three rows", cudaMemcpy2DFromArrayAsync(back, 4, other, 0, 0, 4, 3, cudaMemcpyDeviceToHost), kInvalid);
  status("from none", cudaMemcpyArrayToArray(other, 0, 0, nullptr, 0, 0, 8), kNoHandle), status("three rows", cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, 4, 3), kInvalid);
  status("free", cudaFreeArray(other));
}

static void arrays() {
  const cudaChannelFormatDesc numbers = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  cudaChannelFormatDesc found;
  cudaExtent extent;
  unsigned flags = 9;
  int host[] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {};
  status("array", cudaMallocArray(&array, &numbers, 4, 2)), status("its elements", cudaGetChannelDesc(&found, array));
  expect("32 bits", found.x == 32 && found.y == 0 && found.f == cudaChannelFormatKindSigned);
  status("its size", cudaArrayGetInfo(&found, &extent, &flags, array)), expect("4 by 2", extent.width == 4 && extent.height == 2 && flags == 0);
  status("of none", cudaArrayGetInfo(&found, &extent, &flags, nullptr), kNoHandle);
  status("to", cudaMemcpyToArray(array, 0, 0, host, sizeof(host), cudaMemcpyHostToDevice));
  status("from", cudaMemcpyFromArray(back, array, 8, 1, 8, cudaMemcpyDeviceToHost)), expect("its end", back[0] == 7 && back[1] == 8);
  status("beyond it", cudaMemcpyFromArray(back, array, 8, 1, 16, cudaMemcpyDeviceToHost), kInvalid);
  copies_of(array, numbers);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  status("surface", cudaCreateSurfaceObject(&surface, &resource)), status("destroy", cudaDestroySurfaceObject(surface));
  resource.resType = cudaResourceTypeLinear;
  status("a surface is an array's", cudaCreateSurfaceObject(&surface, &resource), kInvalid), status("free", cudaFreeArray(array));
}

static void count(void* number) {
  ++*static_cast<int*>(number);
}
static void count_stream(cudaStream_t, cudaError_t error, void* number) {
  if (error == cudaSuccess) count(number);
}

static void streams() {
  cudaStream_t stream = nullptr, first = nullptr;
  int priority = 9, called = 0, least = 0, greatest = 0;
  unsigned flags = 9;
  status("range", cudaDeviceGetStreamPriorityRange(&least, &greatest));
  status("stream", cudaStreamCreateWithPriority(&first, cudaStreamNonBlocking, greatest - 100)), status("priority", cudaStreamGetPriority(first, &priority));
  expect("the highest", priority == greatest), status("flags", cudaStreamGetFlags(first, &flags)), expect("flags", flags == cudaStreamNonBlocking);
  status("unknown flags", cudaStreamCreateWithPriority(&stream, 2, 0), kInvalid);
  status("done", cudaStreamQuery(first)), status("function", cudaLaunchHostFunc(first, count, &called));
  status("call-back", cudaStreamAddCallback(first, count_stream, &called, 0)), status("wait", cudaStreamSynchronize(first)), expect("both", called == 2);
  status("flags of a call-back", cudaStreamAddCallback(first, count_stream, &called, 1), kInvalid);
  cudaStreamAttrValue value = {}, got = {};
  value.syncPolicy = cudaSyncPolicySpin;
  status("attribute", cudaStreamSetAttribute(first, cudaStreamAttributeSynchronizationPolicy, &value)), status("stream", cudaStreamCreate(&stream));
  status("attributes", cudaStreamCopyAttributes(stream, first)), status("attribute", cudaStreamGetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &got));
  expect("spin", got.syncPolicy == cudaSyncPolicySpin), status("no such attribute", cudaStreamGetAttribute(stream, static_cast<cudaStreamAttrID>(99), &got), kInvalid);
  status("no value", cudaStreamSetAttribute(first, cudaStreamAttributeSynchronizationPolicy, nullptr), kInvalid);
  status("destroy", cudaStreamDestroy(stream)), status("attributes to none", cudaStreamCopyAttributes(stream, first), kNoHandle);
  status("destroy", cudaStreamDestroy(first)), status("query of none", cudaStreamQuery(first), kNoHandle);
  status("priority of none", cudaStreamGetPriority(first, &priority), kNoHandle), status("flags of none", cudaStreamGetFlags(first, &flags), kNoHandle);
}

static void events() {
  cudaEvent_t start = nullptr, end = nullptr, untimed = nullptr;
  float milliseconds = -1;
  status("event", cudaEventCreateWithFlags(&start, cudaEventBlockingSync)), status("event", (cudaEventCreate)(&end));
  status("unknown flags", cudaEventCreateWithFlags(&untimed, 0x100), kInvalid);
  status("untimed", cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming)), status("not recorded yet", cudaEventQuery(start));
  status("record", cudaEventRecordWithFlags(start, nullptr, cudaEventRecordDefault)), status("record", cudaEventRecord(end)), status("record", cudaEventRecord(untimed));
  status("wait", cudaEventSynchronize(end)), status("time", cudaEventElapsedTime(&milliseconds, start, end)), expect("time goes on", milliseconds >= 0);
  status("untimed", cudaEventElapsedTime(&milliseconds, start, untimed), kNoHandle);
  status("destroy", cudaEventDestroy(start)), status("destroy again", cudaEventDestroy(start), kNoHandle);
  status("query of none", cudaEventQuery(start), kNoHandle), status("wait for none", cudaEventSynchronize(start), kNoHandle);
  status("record of none", cudaEventRecordWithFlags(start, nullptr, 0), kNoHandle);
}

static void pools() {
  cudaMemPool_t pool = nullptr;
  cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
  cudaMemAccessFlags flags;
  status("pool", cudaDeviceGetDefaultMemPool(&pool, 0)), status("access", cudaMemPoolSetAccess(pool, &access, 1));
  status("access", cudaMemPoolGetAccess(&flags, pool, &access.location)), expect("both ways", flags == cudaMemAccessFlagsProtReadWrite);
  access.location.id = 1;
  status("of device 1", cudaMemPoolSetAccess(pool, &access, 1), kNoDevice), status("of device 1", cudaMemPoolGetAccess(&flags, pool, &access.location), kNoDevice);
}

static void functions() {
  cudaFuncAttributes attributes;
  int blocks = 0;
  size_t bytes = 0;
  int threads = 0, shared = 0, reserved = 0;
  const void* const none = &wrong;
  status("attributes", cudaFuncGetAttributes(&attributes, twice)), expect("attributes", attributes.maxThreadsPerBlock == 1024 && attributes.sharedSizeBytes == 0);
  status("attributes of none", cudaFuncGetAttributes(&attributes, none), cudaErrorInvalidDeviceFunction);
  status("cache", cudaFuncSetCacheConfig(twice, cudaFuncCachePreferL1)), status("banks", cudaFuncSetSharedMemConfig(twice, cudaSharedMemBankSizeFourByte));
  status("cache of none", cudaFuncSetCacheConfig(none, cudaFuncCachePreferL1), cudaErrorInvalidDeviceFunction);
  status("banks of none", cudaFuncSetSharedMemConfig(none, cudaSharedMemBankSizeFourByte), cudaErrorInvalidDeviceFunction);
  cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
  cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
  cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, 0);
  // Half of a multiprocessor's shared memory, but 48 KiB at most are one block's that has not asked for more.
  const size_t half = std::min(48 * 1024, shared / 2 - reserved);
  status("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, twice, 1024, 0, cudaOccupancyDisableCachingOverride)), expect("blocks", blocks == threads / 1024);
  status("of no threads", cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, twice, 0, 0, 0), kInvalid);
  status("shared memory", cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, twice, 2, 512)), expect("half", bytes == half);
  status("of no blocks", cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, twice, 0, 1024), kInvalid);
}

static void kernel_nodes() {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  int* data = nullptr;
  status("memory", cudaMallocManaged(&data, 4)), status("graph", cudaGraphCreate(&graph, 0));
  void* arguments[] = {&data};
  cudaKernelNodeParams call = {reinterpret_cast<void*>(twice), dim3(2), dim3(3), 64, arguments, nullptr}, found = {};
  status("kernel", cudaGraphAddKernelNode(&node, graph, nullptr, 0, &call)), status("parameters", cudaGraphKernelNodeGetParams(node, &found));
  expect("the same", found.gridDim.x == 2 && found.blockDim.x == 3 && found.sharedMemBytes == 64 && *static_cast<int**>(found.kernelParams[0]) == data);
  status("parameters into null", cudaGraphKernelNodeGetParams(node, nullptr), kInvalid), status("destroy", cudaGraphDestroy(graph));
  void* one[] = {&data};
  *data = 21;
  status("cooperative", cudaLaunchCooperativeKernel(twice, dim3(1), dim3(1), one)), status("wait", cudaDeviceSynchronize()), expect("twice", *data == 42);
  status("larger than the GPU", cudaLaunchCooperativeKernel(twice, dim3(1 << 20), dim3(1024), one), cudaErrorCooperativeLaunchTooLarge);
}

static void graphs() {
  cudaGraph_t graph = nullptr, copy = nullptr;
  cudaGraphNode_t node = nullptr, after = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNodeType type;
  cudaStream_t stream = nullptr;
  cudaStreamCaptureStatus capture;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  unsigned long long id = 0;
  int called = 0, from[] = {7, 8}, to[2] = {};
  const cudaHostNodeParams work = {count, &called};
  cudaMemcpy3DParms box = {};
  box.srcPtr = make_cudaPitchedPtr(from, 8, 8, 1), box.dstPtr = make_cudaPitchedPtr(to, 8, 8, 1), box.extent = make_cudaExtent(8, 1, 1);
  box.kind = cudaMemcpyHostToHost;
  status("graph", cudaGraphCreate(&graph, 0)), status("function", cudaGraphAddHostNode(&node, graph, nullptr, 0, &work));
  status("no function", cudaGraphAddHostNode(&node, graph, nullptr, 0, nullptr), kInvalid);
  status("copy", cudaGraphAddMemcpyNode(&after, graph, &node, 1, &box)), status("no copy", cudaGraphAddMemcpyNode(&after, graph, &node, 1, nullptr), kInvalid);
  status("type", cudaGraphNodeGetType(node, &type)), expect("host", type == cudaGraphNodeTypeHost), status("of none", cudaGraphNodeGetType(nullptr, &type), kInvalid);
  status("clone", cudaGraphClone(&copy, graph)), status("destroy", cudaGraphDestroy(graph)), status("clone of none", cudaGraphClone(&graph, graph), kInvalid);
  status("instance", cudaGraphInstantiateWithFlags(&exec, copy, 0)), status("of none", cudaGraphInstantiateWithFlags(&exec, graph, 0), kInvalid);
  status("upload", cudaGraphUpload(exec, nullptr)), status("launch", cudaGraphLaunch(exec, nullptr)), status("wait", cudaDeviceSynchronize());
  expect("launched", called == 1 && to[1] == 8), status("destroy", cudaGraphExecDestroy(exec)), status("upload of none", cudaGraphUpload(exec, nullptr), kInvalid);
  status("mode", cudaThreadExchangeStreamCaptureMode(&mode)), expect("the mode before", mode == cudaStreamCaptureModeGlobal);
  status("mode", cudaThreadExchangeStreamCaptureMode(&mode)), expect("the mode set", mode == cudaStreamCaptureModeRelaxed);
  status("mode of null", cudaThreadExchangeStreamCaptureMode(nullptr), kInvalid);
  status("stream", cudaStreamCreate(&stream)), status("capture", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  status("what is captured", cudaStreamGetCaptureInfo(stream, &capture, &id)), expect("active", capture == cudaStreamCaptureStatusActive && id != 0);
  status("query while it is captured", cudaStreamQuery(stream), cudaErrorStreamCaptureUnsupported);
  status("end", cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
}

static void other_processes() {
  cudaIpcMemHandle_t memory = {};
  cudaIpcEventHandle_t remote = {};
  cudaEvent_t event = nullptr;
  void* pointer = nullptr;
  const auto kRefused = cudaErrorNotSupported;
  status("memory", cudaMalloc(&pointer, 4)), status("event", cudaEventCreate(&event, cudaEventInterprocess | cudaEventDisableTiming));
  status("memory's handle", cudaIpcGetMemHandle(&memory, pointer), kRefused), status("event's handle", cudaIpcGetEventHandle(&remote, event), kRefused);
  status("open memory", cudaIpcOpenMemHandle(&pointer, memory, cudaIpcMemLazyEnablePeerAccess), kRefused), status("close memory", cudaIpcCloseMemHandle(pointer), kRefused);
  status("open an event", cudaIpcOpenEventHandle(&event, remote), kRefused);
}

/// At the end: what was allocated is gone.
static void resets() {
  void* pointer = nullptr;
  status("memory", cudaMalloc(&pointer, 4)), status("wait", cudaThreadSynchronize()), status("reset", cudaDeviceReset());
  status("free what is gone", cudaFree(pointer), kInvalid);
  status("memory", cudaMalloc(&pointer, 4)), status("exit", cudaThreadExit()), status("free what is gone", cudaFree(pointer), kInvalid);
}

int main() {
  devices(), settings(), host_memory(), copies(), symbols(), arrays(), streams(), events(), pools(), functions(), kernel_nodes(), graphs(), other_processes(), resets();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
