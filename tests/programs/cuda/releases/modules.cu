// What a program asks of code that it loads: its kernels, their arguments, clusters; and the driver's rows of arrays, contexts, batches of copies and
// values that streams write. Expected values are arithmetic on the host, errors the documentation's.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>
#include <string>

#include "../api/check.h"

__global__ void scale(const char* tag, double factor, short step, float* values) {
  values[threadIdx.x] *= static_cast<float>(factor + step);
}

// PTX of two kernels and a variable: the driver's own compiler would take it, here ptxas does.
static const char* const kText = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 41;
.visible .entry first(.param .u64 out) {
  .reg .u64 %a; .reg .u32 %v;
  ld.param.u64 %a, [out];
  ld.global.u32 %v, [counter];
  add.u32 %v, %v, 1;
  st.global.u32 [%a], %v;
  ret;
}
.visible .entry second(.param .u32 value, .param .u64 out, .param .align 8 .b8 pair[24]) {
  .reg .u64 %a; .reg .u32 %v;
  ld.param.u64 %a, [out];
  ld.param.u32 %v, [value];
  st.global.u32 [%a], %v;
  ret;
}
)";

static void modules() {
  CUmodule module = nullptr, owner = nullptr;
  CUfunction functions[3] = {}, second = nullptr;
  unsigned count = 0;
  size_t offset = 0, bytes = 0;
  status("load", cuModuleLoadData(&module, kText));
#if CUDA_VERSION >= 12040
  status("count", cuModuleGetFunctionCount(&count, module)), expect("two", count == 2);
  status("nowhere", cuModuleGetFunctionCount(nullptr, module), CUDA_ERROR_INVALID_VALUE);
  status("all", cuModuleEnumerateFunctions(functions, 3, module));
  expect("two of them", functions[0] != nullptr && functions[1] != nullptr && functions[2] == nullptr);
  status("second", cuModuleGetFunction(&second, module, "second"));
  expect("it is one of them", second == functions[0] || second == functions[1]);
  status("its second argument", cuFuncGetParamInfo(second, 1, &offset, &bytes)),
      expect("8 bytes at 8", offset == 8 && bytes == 8);
  status("its third", cuFuncGetParamInfo(second, 2, &offset, &bytes)),
      expect("24 bytes at 16", offset == 16 && bytes == 24);
  status("only the place", cuFuncGetParamInfo(second, 0, &offset, nullptr)), expect("at 0", offset == 0);
  status("no fourth", cuFuncGetParamInfo(second, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
  CUfunctionLoadingState state = CU_FUNCTION_LOADING_STATE_UNLOADED;
  status("loaded", cuFuncIsLoaded(&state, second)),
      expect("loaded", state == CU_FUNCTION_LOADING_STATE_LOADED);
#else
  status("second", cuModuleGetFunction(&second, module, "second"));
#endif
  status("its module", cuFuncGetModule(&owner, second)), expect("the same", owner == module);
  status("unload", cuModuleUnload(module));
  (void)functions, (void)count, (void)offset, (void)bytes;
}

static void libraries() {
#if CUDART_VERSION >= 12080
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernels[2] = {}, first = nullptr;
  unsigned count = 0, *counter = nullptr, *out = nullptr;
  size_t bytes = 0;
  status("load", cudaLibraryLoadData(&library, kText, nullptr, nullptr, 0, nullptr, nullptr, 0));
  status("count", cudaLibraryGetKernelCount(&count, library)), expect("two", count == 2);
  status("all", cudaLibraryEnumerateKernels(kernels, 2, library));
  status("first", cudaLibraryGetKernel(&first, library, "first")),
      expect("one of them", first == kernels[0] || first == kernels[1]);
  status("no third", cudaLibraryGetKernel(&first, library, "third"), cudaErrorSymbolNotFound);
  status("variable", cudaLibraryGetGlobal(reinterpret_cast<void**>(&counter), &bytes, library, "counter")),
      expect("4 bytes", bytes == 4);
  cudaMalloc(&out, 4);
  void* arguments[] = {&out};
  unsigned value = 0;
  status("launch", cudaLaunchKernel(first, dim3(1), dim3(1), arguments, 0, nullptr));
  cudaMemcpy(&value, out, 4, cudaMemcpyDefault), expect("41 + 1", value == 42);
  value = 99, cudaMemcpy(counter, &value, 4, cudaMemcpyDefault);
  status("launch", cudaLaunchKernel(first, dim3(1), dim3(1), arguments, 0, nullptr));
  cudaMemcpy(&value, out, 4, cudaMemcpyDefault), expect("99 + 1", value == 100);
  status("attribute",
         cudaKernelSetAttributeForDevice(first, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024, 0));
  status("of no device",
         cudaKernelSetAttributeForDevice(first, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024, 1),
         cudaErrorInvalidDevice);
  status("unload", cudaLibraryUnload(library));
  status("no file",
         cudaLibraryLoadFromFile(&library, "absent.cubin", nullptr, nullptr, 0, nullptr, nullptr, 0),
         cudaErrorFileNotFound);
  cudaFree(out);
#endif
}

static void kernels() {
#if CUDART_VERSION >= 12040
  const char* name = nullptr;
  const void* const kernel = reinterpret_cast<const void*>(scale);
  status("name", cudaFuncGetName(&name, kernel)),
      expect("mangled", name != nullptr && std::strcmp(name, "_Z5scalePKcdsPf") == 0);
  size_t offset = 0, bytes = 0;
  const size_t offsets[] = {0, 8, 16, 24}, sizes[] = {8, 8, 2, 8};
  for (size_t i = 0; i < 4; ++i)
    status("argument", cudaFuncGetParamInfo(kernel, i, &offset, &bytes)),
        expect("as the ABI has it", offset == offsets[i] && bytes == sizes[i]);
  status("no fifth", cudaFuncGetParamInfo(kernel, 4, &offset, &bytes), cudaErrorInvalidValue);
#endif
}

/// An H100 has 66 pairs of cores in eight parts: two of 18 cores, six of 16. A core holds two work-groups of 1,024 threads.
static void clusters() {
#if CUDART_VERSION >= 12000
  int major = 0, size = 0, count = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 4, cluster.val.clusterDim.y = 2, cluster.val.clusterDim.z = 1;
  config.gridDim = dim3(64, 2), config.blockDim = dim3(1024), config.attrs = &cluster, config.numAttrs = 1;
  if (major < 9)
    return status("no clusters", cudaOccupancyMaxActiveClusters(&count, scale, &config),
                  cudaErrorNotSupported);
  status("largest", cudaOccupancyMaxPotentialClusterSize(&size, scale, &config)), expect("8", size == 8);
  status("of 8", cudaOccupancyMaxActiveClusters(&count, scale, &config)),
      expect("2 x 4 + 6 x 4", count == 32);
  cluster.val.clusterDim.x = 8;
  status("of 16", cudaOccupancyMaxActiveClusters(&count, scale, &config), cudaErrorInvalidClusterSize);
  status("allowed", cudaFuncSetAttribute(scale, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  status("of 16", cudaOccupancyMaxActiveClusters(&count, scale, &config)), expect("8 x 2", count == 16);
  status("largest", cudaOccupancyMaxPotentialClusterSize(&size, scale, &config)), expect("16", size == 16);
  status("neither yes nor no", cudaFuncSetAttribute(scale, cudaFuncAttributeNonPortableClusterSizeAllowed, 2),
         cudaErrorInvalidValue);
  cudaGetLastError();
#endif
}

static void rows() {
  CUarray array = nullptr, other = nullptr;
  CUdeviceptr memory = 0;
  CUDA_ARRAY_DESCRIPTOR shape = {};
  shape.Width = 64, shape.Format = CU_AD_FORMAT_UNSIGNED_INT8, shape.NumChannels = 1;
  char back[64] = {};
  status("array", cuArrayCreate(&array, &shape)), status("array", cuArrayCreate(&other, &shape)),
      status("memory", cuMemAlloc(&memory, 64));
  status("from the host", cuMemcpyHtoA(array, 8, "a row of an array", 18)),
      status("to another", cuMemcpyAtoA(other, 2, array, 10, 16));
  status("to memory", cuMemcpyAtoD(memory, other, 2, 16)),
      status("and back", cuMemcpyDtoA(array, 30, memory, 16));
  status("to the host", cuMemcpyAtoH(back, array, 30, 16)),
      expect("a row of an array", std::strcmp(back, "row of an array") == 0);
  status("in a stream", cuMemcpyHtoAAsync(array, 0, "again", 6, nullptr)),
      status("in a stream", cuMemcpyAtoHAsync(back, array, 0, 6, nullptr));
  expect("again", std::strcmp(back, "again") == 0);
  status("behind its end", cuMemcpyAtoH(back, array, 60, 5), CUDA_ERROR_INVALID_VALUE);
  cuArrayDestroy(array), cuArrayDestroy(other), cuMemFree(memory);
}

static void contexts() {
  CUcontext context = nullptr;
  CUevent event;
  CUdevice device = 7;
  int value = -1;
  status("context", cuCtxGetCurrent(&context));
  CUdevprop properties = {};
  status("properties", cuDeviceGetProperties(&properties, 0)),
      expect("a warp", properties.SIMDWidth == 32 && properties.maxThreadsDim[2] == 64);
  status("no device", cuDeviceGetProperties(&properties, 1), CUDA_ERROR_INVALID_DEVICE);
  status("event", cuEventCreate(&event, 0));
  status("peer", cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_INVALID_CONTEXT),
      status("peer", cuCtxDisablePeerAccess(context), CUDA_ERROR_INVALID_CONTEXT);
  status("itself", cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0),
         CUDA_ERROR_INVALID_DEVICE);
  status("L2", cuCtxResetPersistingL2Cache());
#if CUDA_VERSION >= 12050
  unsigned long long id = 0, again = 1;
  status("number", cuCtxGetId(context, &id)), status("of the current one", cuCtxGetId(nullptr, &again)),
      expect("the same", id == again);
  status("record", cuCtxRecordEvent(context, event)), status("wait", cuCtxWaitEvent(context, event));
#endif
#if CUDA_VERSION >= 13000
  status("its device", cuCtxGetDevice_v2(&device, context)), expect("the only one", device == 0);
  status("wait for all", cuCtxSynchronize_v2(context));
#endif
  (void)device, cuEventDestroy(event);
}

static void batches() {
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, 32);
#if CUDART_VERSION >= 13000
  int from[2] = {3, 4}, back[2] = {};
  void* to[] = {reinterpret_cast<void*>(memory), reinterpret_cast<void*>(memory + 4)};
  const void* sources[] = {&from[1], &from[0]};
  size_t bytes[] = {4, 4}, first[] = {0};
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  status("two copies",
         cudaMemcpyBatchAsync(to, sources, bytes, 2, &attributes, first, 1, cudaStreamPerThread));
  cuMemcpyDtoH(back, memory, 8), expect("4, 3", back[0] == 4 && back[1] == 3);
  status("none", cudaMemcpyBatchAsync(to, sources, bytes, 0, &attributes, first, 1, cudaStreamPerThread),
         cudaErrorInvalidValue);
  cudaMemPool_t pool = nullptr, again = nullptr;
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  status("pool", cudaMemGetDefaultMemPool(&pool, &here, cudaMemAllocationTypePinned)),
      status("pool", cudaMemGetMemPool(&again, &here, cudaMemAllocationTypePinned));
  expect("the same", pool == again && pool != nullptr),
      status("set", cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, pool));
  status("of the host", cudaMemGetMemPool(&again, &host, cudaMemAllocationTypePinned), cudaErrorInvalidValue);
  int* managed = nullptr;
  cudaMallocManaged(&managed, 64);
  void* ranges[] = {managed};
  size_t sizes[] = {64}, starts[] = {0};
  status("prefetch", cudaMemPrefetchBatchAsync(ranges, sizes, 1, &here, starts, 1, 0, cudaStreamPerThread));
  status("discard", cudaMemDiscardBatchAsync(ranges, sizes, 1, 0, cudaStreamPerThread));
  status("not managed", cudaMemDiscardBatchAsync(to, bytes, 1, 0, cudaStreamPerThread),
         cudaErrorInvalidValue);
  cudaFree(managed);
  cudaGetLastError();
#endif
  cudaMemcpy3DPeerParms box = {};
  int pair[2] = {11, 12}, read[2] = {};
  box.srcPtr = make_cudaPitchedPtr(pair, 8, 8, 1),
  box.dstPtr = make_cudaPitchedPtr(reinterpret_cast<void*>(memory), 8, 8, 1),
  box.extent = make_cudaExtent(8, 1, 1);
  status("box", cudaMemcpy3DPeer(&box)), cuMemcpyDtoH(read, memory, 8),
      expect("11, 12", read[0] == 11 && read[1] == 12);
  box.dstDevice = 1;
  status("no device", cudaMemcpy3DPeerAsync(&box, nullptr), cudaErrorInvalidDevice), cudaGetLastError();
  cuMemFree(memory);
}

static void values() {
  CUdeviceptr memory = 0;
  CUstream stream, other;
  cuMemAlloc(&memory, 16), cuMemsetD32(memory, 0, 4), cuStreamCreate(&stream, 0), cuStreamCreate(&other, 0);
  status("write", cuStreamWriteValue32(stream, memory, 5, 0)),
      status("write", cuStreamWriteValue64(stream, memory + 8, 0x100000002ULL, 0));
  unsigned long long words[2] = {};
  cuMemcpyDtoH(words, memory, 16), expect("5 and a long one", words[0] == 5 && words[1] == 0x100000002ULL);
  status("at least 5", cuStreamWaitValue32(other, memory, 5, CU_STREAM_WAIT_VALUE_GEQ)),
      status("equal", cuStreamWaitValue64(other, memory + 8, 0x100000002ULL, CU_STREAM_WAIT_VALUE_EQ));
  status("a bit", cuStreamWaitValue32(other, memory, 4, CU_STREAM_WAIT_VALUE_AND)),
      status("not all bits", cuStreamWaitValue32(other, memory, 2, CU_STREAM_WAIT_VALUE_NOR));
  status("at least -1, by wrapping",
         cuStreamWaitValue32(other, memory, 0xffffffffU, CU_STREAM_WAIT_VALUE_GEQ));
  status("never", cuStreamWaitValue32(other, memory, 6, CU_STREAM_WAIT_VALUE_GEQ), CUDA_ERROR_NOT_SUPPORTED);
  status("never", cuStreamWaitValue32(other, memory, 2, CU_STREAM_WAIT_VALUE_AND), CUDA_ERROR_NOT_SUPPORTED);
  status("never", cuStreamWaitValue32(other, memory, 0xfffffffaU, CU_STREAM_WAIT_VALUE_NOR),
         CUDA_ERROR_NOT_SUPPORTED);
  CUstreamBatchMemOpParams both[2] = {};
  both[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, both[0].writeValue.address = memory + 4,
  both[0].writeValue.value = 77;
  both[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32, both[1].waitValue.address = memory + 4,
  both[1].waitValue.value = 77;
  both[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  status("write and wait", cuStreamBatchMemOp(stream, 2, both, 0)),
      status("too many", cuStreamBatchMemOp(stream, 257, both, 0), CUDA_ERROR_INVALID_VALUE);
  CUstreamAttrValue policy = {}, found = {};
  policy.syncPolicy = CU_SYNC_POLICY_YIELD;
  status("set", cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &policy)),
      status("copy", cuStreamCopyAttributes(other, stream));
  status("get", cuStreamGetAttribute(other, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &found)),
      expect("the same", found.syncPolicy == CU_SYNC_POLICY_YIELD);
  unsigned long long one = 0, two = 0;
  status("number", cuStreamGetId(stream, &one)), status("number", cuStreamGetId(other, &two)),
      expect("two streams", one != two);
  cuStreamDestroy(stream), cuStreamDestroy(other), cuMemFree(memory);
}

int main() {
  cudaFree(nullptr);
  modules(), libraries(), kernels(), clusters(), rows(), contexts(), batches(), values();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
