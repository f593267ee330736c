// The driver's graphs by hand, its attributes of pointers and of kernels, as the headers of nvcc's release have them.
#include <cuda.h>
#include <cuda_runtime.h>

#include "../api/check.h"

#if CUDA_VERSION < 13000
#define OF_EDGES
#else
#define OF_EDGES nullptr,  // what an edge carries
#endif

__global__ void add(int* data, int more) {
  data[threadIdx.x] += more;
}

static void count(void* number) {
  ++*static_cast<int*>(number);
}

static int value_of(CUdeviceptr data) {
  int value = -1;
  cuMemcpyDtoH(&value, data + 4 * 31, 4);
  return value;
}

static void graphs(CUfunction function, CUdeviceptr data) {
  CUgraph graph, copy, outer;
  CUgraphNode zero, kernel, host, empty, child;
  CUgraphExec run;
  int more = 7, calls = 0;
  size_t nodes = 0, roots = 0;
  void* arguments[] = {&data, &more};
  CUDA_MEMSET_NODE_PARAMS ones = {};
  ones.dst = data, ones.elementSize = 4, ones.value = 1, ones.width = 32, ones.height = 1;
  CUDA_KERNEL_NODE_PARAMS call = {};
  call.func = function, call.gridDimX = call.gridDimY = call.gridDimZ = call.blockDimY = call.blockDimZ = 1;
  call.blockDimX = 32, call.kernelParams = arguments;
  CUDA_HOST_NODE_PARAMS counted = {};
  counted.fn = count, counted.userData = &calls;
  status("graph", cuGraphCreate(&graph, 0)), status("graph with flags", cuGraphCreate(&copy, 1), CUDA_ERROR_INVALID_VALUE);
  status("set", cuGraphAddMemsetNode(&zero, graph, nullptr, 0, &ones, nullptr));
  status("kernel", cuGraphAddKernelNode(&kernel, graph, nullptr, 0, &call));
  status("no kernel", cuGraphAddKernelNode(&empty, graph, nullptr, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  status("edge", cuGraphAddDependencies(graph, &zero, &kernel, OF_EDGES 1));
  status("host", cuGraphAddHostNode(&host, graph, &kernel, 1, &counted)), status("empty", cuGraphAddEmptyNode(&empty, graph, &host, 1));
  status("nodes", cuGraphGetNodes(graph, nullptr, &nodes)), status("roots", cuGraphGetRootNodes(graph, nullptr, &roots));
  expect("4 nodes, 1 root", nodes == 4 && roots == 1);
  status("copy", cuGraphClone(&copy, graph)), status("outer", cuGraphCreate(&outer, 0));
  status("child", cuGraphAddChildGraphNode(&child, outer, nullptr, 0, copy));
  status("instantiate", cuGraphInstantiateWithFlags(&run, graph, 0)), status("launch", cuGraphLaunch(run, nullptr));
  expect("1 + 7", value_of(data) == 8 && calls == 1);
  more = 20;
  status("change", cuGraphExecKernelNodeSetParams(run, kernel, &call)), status("launch", cuGraphLaunch(run, nullptr));
  expect("1 + 20", value_of(data) == 21 && calls == 2);
  status("destroy", cuGraphExecDestroy(run)), status("instantiate", cuGraphInstantiateWithFlags(&run, outer, 0));
  status("launch", cuGraphLaunch(run, nullptr)), expect("1 + 7", value_of(data) == 8 && calls == 3);
}

static void pointers(CUdeviceptr data) {
  CUdeviceptr start = 0;
  unsigned type = 0;
  unsigned yes = 1;
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
  void* where[] = {&start, &type};
  status("attributes", cuPointerGetAttributes(2, which, where, data)), expect("attributes", start == data && type == CU_MEMORYTYPE_DEVICE);
  status("no attributes", cuPointerGetAttributes(0, which, where, data), CUDA_ERROR_INVALID_VALUE);
  status("set", cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, data));
  status("set another", cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, data), CUDA_ERROR_INVALID_VALUE);
}

static void kernels(CUfunction function) {
  const auto kernel = reinterpret_cast<CUkernel>(function);
  const char* name = nullptr;
  int value = 0;
  size_t bytes = 0;
  status("registers", cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0)), expect("registers", value > 0);
  status("of device 1", cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 1), CUDA_ERROR_INVALID_DEVICE);
  status("set", cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, kernel, 0));
  status("cache", cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
#if CUDA_VERSION >= 12040
  status("load", cuFuncLoad(function)), status("name", cuKernelGetName(&name, kernel)), expect("name", name != nullptr);
#endif
  status("shared memory", cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 1, 32)), expect("some", bytes > 0);
  (void)name;
}

static void streams() {
  CUcontext context = nullptr, current = nullptr;
  CUstream stream;
  status("stream", cuStreamCreate(&stream, 0)), status("current", cuCtxGetCurrent(&current));
  status("its context", cuStreamGetCtx(stream, &context)), expect("the current one", context != nullptr && context == current);
  status("nowhere", cuStreamGetCtx(stream, nullptr), CUDA_ERROR_INVALID_VALUE);
#if CUDA_VERSION >= 12080
  CUdevice device = 7;
  status("its device", cuStreamGetDevice(stream, &device)), expect("the only one", device == 0);
#endif
  CUmoduleLoadingMode mode;
  status("loading", cuModuleGetLoadingMode(&mode)), expect("when it is needed", mode == CU_MODULE_LAZY_LOADING);
  status("destroy", cuStreamDestroy(stream));
}

int main() {
  CUdeviceptr data = 0;
  cudaFunction_t function = nullptr;
  cudaFree(nullptr);
  cuMemAlloc(&data, 4 * 32);
  cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(add));
  graphs(function, data);
  pointers(data);
  kernels(function);
  streams();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
