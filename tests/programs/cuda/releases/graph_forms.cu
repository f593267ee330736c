// Graphs as the driver has them: nodes' parameters in its own layouts, edges with data, the functions' older forms, and parameters of any type of node.
// Expected values are counted by hand.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>

#include "../api/check.h"

#if CUDA_VERSION >= 13000
constexpr auto kInvalid = CUDA_ERROR_INVALID_VALUE;

// What the headers call otherwise since release 12.
extern "C" {
CUresult old_edges(CUgraph, CUgraphNode*, CUgraphNode*, size_t*) __asm__("cuGraphGetEdges");
CUresult old_before(CUgraphNode, CUgraphNode*, size_t*) __asm__("cuGraphNodeGetDependencies");
CUresult old_behind(CUgraphNode, CUgraphNode*, size_t*) __asm__("cuGraphNodeGetDependentNodes");
CUresult old_add(CUgraph, const CUgraphNode*, const CUgraphNode*, size_t) __asm__("cuGraphAddDependencies");
CUresult old_remove(CUgraph, const CUgraphNode*, const CUgraphNode*, size_t) __asm__("cuGraphRemoveDependencies");
CUresult old_update(CUgraphExec, CUgraph, CUgraphNode*, CUgraphExecUpdateResult*) __asm__("cuGraphExecUpdate");
CUresult old_instantiate(CUgraphExec*, CUgraph, CUgraphNode*, char*, size_t) __asm__("cuGraphInstantiate");
CUresult old_call(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v1*) __asm__("cuGraphKernelNodeGetParams");
CUresult old_information(CUstream, CUstreamCaptureStatus*, cuuint64_t*) __asm__("cuStreamGetCaptureInfo");
CUresult older_information(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*, const CUgraphNode**, size_t*) __asm__("cuStreamGetCaptureInfo_v2");
CUresult old_begin(CUstream) __asm__("cuStreamBeginCapture");
CUresult old_dependencies(CUstream, CUgraphNode*, size_t, unsigned) __asm__("cuStreamUpdateCaptureDependencies");
}

__global__ void add(int* to, int more) { to[threadIdx.x] += more; }
__global__ void multiply(int* to, int by) { to[threadIdx.x] *= by; }

static void append(void* digits, int digit) { *static_cast<int*>(digits) = *static_cast<int*>(digits) * 10 + digit; }
static void one(void* digits) { append(digits, 1); }
static void two(void* digits) { append(digits, 2); }

struct Made {
  CUgraph graph = nullptr;
  CUgraphExec run = nullptr;
  Made() { status("graph", cuGraphCreate(&graph, 0)); }
  ~Made() { cuGraphDestroy(graph), cuGraphExecDestroy(run); }
  void instantiate() { status("instantiate", cuGraphInstantiate(&run, graph, 0)); }
  void launch() { status("launch", cuGraphLaunch(run, nullptr)), status("wait", cuCtxSynchronize()); }
  CUgraphNode host(CUhostFn call, int* digits, CUgraphNode after = nullptr) {
    CUgraphNode node = nullptr;
    const CUDA_HOST_NODE_PARAMS work = {call, digits};
    status("host node", cuGraphAddHostNode(&node, graph, &after, after != nullptr, &work));
    return node;
  }
};
static CUfunction function_of(void (*kernel)(int*, int)) {
  cudaFunction_t function = nullptr;
  cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(kernel));
  return function;
}
static CUDA_KERNEL_NODE_PARAMS call_of(CUfunction function, unsigned threads, void** words) {
  CUDA_KERNEL_NODE_PARAMS call = {};
  call.func = function, call.gridDimX = call.gridDimY = call.gridDimZ = call.blockDimY = call.blockDimZ = 1, call.blockDimX = threads, call.kernelParams = words;
  return call;
}

/// A kernel lets another begin early: data of an edge, which is kept.
static void edges() {
  CUdeviceptr data = 0;
  int more = 4, value[2] = {}, digits = 0;
  cuMemAlloc(&data, 8), cuMemsetD32(data, 1, 2);
  void* words[] = {&data, &more};
  const CUDA_KERNEL_NODE_PARAMS call = call_of(function_of(add), 2, words), times = call_of(function_of(multiply), 2, words);
  Made made;
  CUgraphNode nodes[3], from[3], to[3], host = made.host(one, &digits);
  for (int i = 0; i < 3; ++i) status("kernel", cuGraphAddKernelNode(&nodes[i], made.graph, nullptr, 0, i == 1 ? &times : &call));
  CUgraphEdgeData early = {}, found[3];
  early.from_port = 1, early.type = 1;
  const CUgraphEdgeData data_of[] = {early, {}};
  status("edges", cuGraphAddDependencies(made.graph, nodes, nodes + 1, data_of, 2));
  status("from no kernel", cuGraphAddDependencies(made.graph, &host, nodes, &early, 1), kInvalid);
  early.to_port = 1;
  status("no such port", cuGraphAddDependencies(made.graph, nodes, nodes + 2, &early, 1), kInvalid), early.to_port = 0;
  size_t count = 3;
  status("edges", cuGraphGetEdges(made.graph, from, to, found, &count));
  expect("with data", count == 2 && from[0] == nodes[0] && to[0] == nodes[1] && std::memcmp(&found[0], &early, sizeof early) == 0 && found[1].type == 0 && from[1] == nodes[1]);
  count = 3;
  status("its data would be lost", cuGraphGetEdges(made.graph, from, to, nullptr, &count), CUDA_ERROR_LOSSY_QUERY), status("as of old", old_edges(made.graph, from, to, &count), CUDA_ERROR_LOSSY_QUERY);
  status("data for no nodes", cuGraphGetEdges(made.graph, nullptr, nullptr, found, &count), kInvalid);
  count = 3;
  status("before", cuGraphNodeGetDependencies(nodes[1], from, found, &count)), expect("one", count == 1 && from[0] == nodes[0] && found[0].from_port == 1);
  count = 3;
  status("behind", cuGraphNodeGetDependentNodes(nodes[0], to, found, &count)), expect("one", count == 1 && to[0] == nodes[1] && found[0].type == 1);
  count = 3;
  status("before, of old", old_before(nodes[2], from, &count)), expect("one", count == 1 && from[0] == nodes[1]);
  status("behind, of old", old_behind(nodes[0], to, &count), CUDA_ERROR_LOSSY_QUERY);
  made.instantiate(), made.launch(), cuMemcpyDtoH(value, data, 8), expect("(1 + 4) * 4 + 4", value[0] == 24 && value[1] == 24);
  status("not without its data", cuGraphRemoveDependencies(made.graph, nodes, nodes + 1, nullptr, 1), kInvalid), status("with it", cuGraphRemoveDependencies(made.graph, nodes, nodes + 1, &early, 1));
  status("as of old", old_add(made.graph, nodes, nodes + 1, 1)), count = 0, status("how many", old_edges(made.graph, nullptr, nullptr, &count)), expect("2", count == 2);
  status("as of old", old_remove(made.graph, nodes, nodes + 1, 1)), status("how many", old_edges(made.graph, nullptr, nullptr, &count)), expect("1", count == 1);
  cuMemFree(data);
}

static void kernels() {
  CUdeviceptr data = 0;
  int more = 3, value[2] = {};
  cuMemAlloc(&data, 8), cuMemsetD32(data, 1, 2);
  void* words[] = {&data, &more};
  CUDA_KERNEL_NODE_PARAMS call = call_of(nullptr, 2, words), found = {};
  CUDA_KERNEL_NODE_PARAMS_v1 old = {};
  call.kern = reinterpret_cast<CUkernel>(function_of(add));
  Made made;
  CUgraphNode node;
  status("of a library", cuGraphAddKernelNode(&node, made.graph, nullptr, 0, &call)), made.instantiate(), made.launch(), cuMemcpyDtoH(value, data, 8), expect("1 + 3", value[1] == 4);
  status("ask", cuGraphKernelNodeGetParams(node, &found)), expect("what was given", found.blockDimX == 2 && *static_cast<int*>(found.kernelParams[1]) == 3 && found.func != nullptr), status("into null", cuGraphKernelNodeGetParams(node, nullptr), kInvalid);
  status("of old", old_call(node, &old)), expect("the same", old.func == found.func && old.blockDimX == 2);
  more = 10, status("change", cuGraphExecKernelNodeSetParams(made.run, node, &call)), made.launch(), cuMemcpyDtoH(value, data, 8), expect("4 + 10", value[1] == 14);
  more = 100, status("change", cuGraphKernelNodeSetParams(node, &call)), status("change to none", cuGraphKernelNodeSetParams(node, nullptr), kInvalid);
  CUgraphExecUpdateResultInfo information;
  status("update", cuGraphExecUpdate(made.run, made.graph, &information)), made.launch(), cuMemcpyDtoH(value, data, 8), expect("14 + 100", value[1] == 114);
  // With parameters of any type: the other kernel.
  CUgraphNodeParams any = {};
  more = 2, any.type = CU_GRAPH_NODE_TYPE_KERNEL, any.kernel.func = function_of(multiply), any.kernel.gridDimX = any.kernel.gridDimY = any.kernel.gridDimZ = any.kernel.blockDimX = any.kernel.blockDimY = any.kernel.blockDimZ = 1;
  any.kernel.kernelParams = words;
  status("any", cuGraphExecNodeSetParams(made.run, node, &any)), made.launch(), cuMemcpyDtoH(value, data, 8), expect("114 * 2 and 114", value[0] == 228 && value[1] == 114);
  status("any", cuGraphNodeSetParams(node, &any)), status("ask", cuGraphKernelNodeGetParams(node, &found)), expect("one thread", found.blockDimX == 1);
  any.type = CU_GRAPH_NODE_TYPE_HOST, status("another type", cuGraphNodeSetParams(node, &any), kInvalid), status("another type", cuGraphExecNodeSetParams(made.run, node, &any), kInvalid);
  CUkernelNodeAttrValue attribute = {}, asked = {};
  attribute.priority = -1;
  status("attribute", cuGraphKernelNodeSetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &attribute)), status("ask", cuGraphKernelNodeGetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &asked)), expect("-1", asked.priority == -1);
  attribute.clusterDim.x = attribute.clusterDim.y = attribute.clusterDim.z = 1;
  status("attribute", cuGraphKernelNodeSetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_DIMENSION, &attribute)), status("ask", cuGraphKernelNodeGetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_DIMENSION, &asked)), expect("1", asked.clusterDim.x == 1);
  // A cooperative kernel's node stays one.
  attribute.cooperative = 1;
  Made other;
  status("kernel", cuGraphAddKernelNode(&node, other.graph, nullptr, 0, &call)), status("cooperative", cuGraphKernelNodeSetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &attribute));
  status("update", cuGraphExecUpdate(made.run, other.graph, &information), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE), expect("attributes", information.result == CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED && information.errorNode == node && information.errorFromNode == nullptr);
  cuMemFree(data);
}

/// 2 rows of 2 ints out of 3 x 4, and an array's row.
static void copies() {
  int host[12], back[4] = {};
  for (int i = 0; i < 12; ++i) host[i] = i;
  CUdeviceptr data = 0;
  CUarray array;
  CUDA_ARRAY_DESCRIPTOR shape = {4, 2, CU_AD_FORMAT_SIGNED_INT32, 1};
  cuMemAlloc(&data, 16), cuArrayCreate(&array, &shape);
  CUDA_MEMCPY3D in = {}, through = {}, out = {}, found = {};
  in.srcMemoryType = CU_MEMORYTYPE_HOST, in.srcHost = host, in.srcPitch = 16, in.srcXInBytes = 4, in.srcY = 1;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY, in.dstArray = array, in.dstXInBytes = 8, in.WidthInBytes = 8, in.Height = 2, in.Depth = 1;
  through.srcMemoryType = CU_MEMORYTYPE_ARRAY, through.srcArray = array, through.srcXInBytes = 8, through.dstMemoryType = CU_MEMORYTYPE_DEVICE, through.dstDevice = data, through.dstPitch = 8;
  through.WidthInBytes = 8, through.Height = 2, through.Depth = 1;
  out.srcMemoryType = CU_MEMORYTYPE_DEVICE, out.srcDevice = data, out.dstMemoryType = CU_MEMORYTYPE_HOST, out.dstHost = back, out.WidthInBytes = 16, out.Height = out.Depth = 1;
  Made made;
  CUgraphNode first, second, third;
  status("in", cuGraphAddMemcpyNode(&first, made.graph, nullptr, 0, &in, nullptr)), status("through", cuGraphAddMemcpyNode(&second, made.graph, &first, 1, &through, nullptr)), status("out", cuGraphAddMemcpyNode(&third, made.graph, &second, 1, &out, nullptr));
  made.instantiate(), made.launch(), expect("5 6 9 10", back[0] == 5 && back[1] == 6 && back[2] == 9 && back[3] == 10);
  status("ask", cuGraphMemcpyNodeGetParams(first, &found));
  expect("what was given", found.srcMemoryType == CU_MEMORYTYPE_HOST && found.srcHost == host && found.srcPitch == 16 && found.srcXInBytes == 4 && found.srcY == 1 && found.dstMemoryType == CU_MEMORYTYPE_ARRAY && found.dstArray == array && found.dstXInBytes == 8 && found.WidthInBytes == 8 && found.Height == 2 && found.Depth == 1);
  status("ask", cuGraphMemcpyNodeGetParams(third, &found)), expect("what was given", found.srcMemoryType == CU_MEMORYTYPE_DEVICE && found.srcDevice == data && found.dstHost == back && found.WidthInBytes == 16);
  status("into null", cuGraphMemcpyNodeGetParams(third, nullptr), kInvalid);
  std::memset(back, 0, sizeof back), out.WidthInBytes = 8, out.srcXInBytes = 8, out.srcPitch = 16;
  status("change", cuGraphExecMemcpyNodeSetParams(made.run, third, &out, nullptr)), made.launch(), expect("9 10 0 0", back[0] == 9 && back[1] == 10 && back[2] == 0);
  status("rows", cuGraphExecMemcpyNodeSetParams(made.run, second, &through, nullptr), kInvalid);
  in.srcY = 0, status("change", cuGraphMemcpyNodeSetParams(first, &in)), status("change to none", cuGraphMemcpyNodeSetParams(first, nullptr), kInvalid);
  CUgraphNodeParams any = {};
  any.type = CU_GRAPH_NODE_TYPE_MEMCPY, out.dstHost = back + 2, any.memcpy.copyParams = out;
  status("any", cuGraphNodeSetParams(third, &any));
  Made later;
  status("instantiate", cuGraphInstantiate(&later.run, made.graph, 0)), later.launch(), expect("9 10 5 6", back[0] == 9 && back[2] == 5 && back[3] == 6);
  any.memcpy.copyParams.dstHost = back, status("any", cuGraphExecNodeSetParams(later.run, third, &any)), later.launch(), expect("5 6 5 6", back[0] == 5 && back[1] == 6);
  in.WidthInBytes = 6, status("no whole elements", cuGraphMemcpyNodeSetParams(first, &in), kInvalid), in.WidthInBytes = 8, in.srcPitch = 8, status("narrow rows", cuGraphMemcpyNodeSetParams(first, &in), kInvalid);
  cuMemFree(data), cuArrayDestroy(array);
}

static void other_nodes() {
  int digits = 0, value[2] = {}, gone = 0;
  CUdeviceptr data = 0;
  CUevent first, second, which = nullptr;
  cuMemAlloc(&data, 8), cuEventCreate(&first, 0), cuEventCreate(&second, 0);
  Made made, inner;
  CUgraphNode set, record, wait, child, host = made.host(one, &digits), within = inner.host(one, &digits);
  CUDA_MEMSET_NODE_PARAMS fill = {}, found = {};
  CUDA_HOST_NODE_PARAMS call = {}, twos = {two, &digits};
  fill.dst = data, fill.value = 7, fill.elementSize = 4, fill.width = 2, fill.height = 1;
  status("fill", cuGraphAddMemsetNode(&set, made.graph, nullptr, 0, &fill, nullptr)), status("record", cuGraphAddEventRecordNode(&record, made.graph, &set, 1, first)), status("wait", cuGraphAddEventWaitNode(&wait, made.graph, &record, 1, first));
  status("child", cuGraphAddChildGraphNode(&child, made.graph, &host, 1, inner.graph)), made.instantiate(), made.launch(), cuMemcpyDtoH(value, data, 8), expect("7 7, 1 1", value[0] == 7 && value[1] == 7 && digits == 11);
  status("ask", cuGraphMemsetNodeGetParams(set, &found)), expect("7", found.value == 7 && found.dst == data), status("ask", cuGraphHostNodeGetParams(host, &call)), expect("one", call.fn == one);
  status("which", cuGraphEventRecordNodeGetEvent(record, &which)), expect("first", which == first), which = nullptr, status("which", cuGraphEventWaitNodeGetEvent(wait, &which)), expect("first", which == first);
  CUgraph of_child = nullptr;
  CUgraphNode within_child = nullptr;
  status("its graph", cuGraphChildGraphNodeGetGraph(child, &of_child)), status("its node", cuGraphNodeFindInClone(&within_child, within, of_child));
  // The instance.
  fill.value = 8, digits = 0;
  status("fill", cuGraphExecMemsetNodeSetParams(made.run, set, &fill, nullptr)), status("host", cuGraphExecHostNodeSetParams(made.run, host, &twos)), status("record", cuGraphExecEventRecordNodeSetEvent(made.run, record, second)), status("wait", cuGraphExecEventWaitNodeSetEvent(made.run, wait, second));
  status("within", cuGraphHostNodeSetParams(within, &twos)), status("child", cuGraphExecChildGraphNodeSetParams(made.run, child, inner.graph)), made.launch(), cuMemcpyDtoH(value, data, 8);
  float time = -1;
  expect("8 8, 2 2", value[0] == 8 && digits == 22), status("recorded", cuEventElapsedTime(&time, first, second));
  unsigned is_enabled = 9;
  status("disable", cuGraphNodeSetEnabled(made.run, set, 0)), status("is it", cuGraphNodeGetEnabled(made.run, set, &is_enabled)), cuMemsetD32(data, 1, 2), made.launch(), cuMemcpyDtoH(value, data, 8), expect("disabled", is_enabled == 0 && value[0] == 1);
  // The graph.
  status("fill", cuGraphMemsetNodeSetParams(set, &fill)), status("record", cuGraphEventRecordNodeSetEvent(record, second)), status("wait", cuGraphEventWaitNodeSetEvent(wait, second));
  CUgraphNodeParams any = {};
  any.type = CU_GRAPH_NODE_TYPE_MEMSET, any.memset.dst = data, any.memset.value = 5, any.memset.elementSize = 2, any.memset.width = 4, any.memset.height = 1;
  Made later;
  status("any", cuGraphNodeSetParams(set, &any)), status("instantiate", cuGraphInstantiate(&later.run, made.graph, 0)), later.launch(), cuMemcpyDtoH(value, data, 8), expect("0x00050005", value[1] == 0x50005);
  any.memset.value = 6, status("any", cuGraphExecNodeSetParams(later.run, set, &any)), later.launch(), cuMemcpyDtoH(value, data, 8), expect("0x00060006", value[1] == 0x60006);
  std::memset(&any, 0, sizeof any), any.type = CU_GRAPH_NODE_TYPE_HOST, any.host.fn = two, any.host.userData = &digits;
  digits = 0, status("any", cuGraphExecNodeSetParams(later.run, host, &any)), status("any", cuGraphNodeSetParams(host, &any)), later.launch(), expect("2 1", digits == 21);
  std::memset(&any, 0, sizeof any), any.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, any.eventRecord.event = first;
  status("any", cuGraphExecNodeSetParams(later.run, record, &any)), status("any", cuGraphNodeSetParams(record, &any)), status("which", cuGraphEventRecordNodeGetEvent(record, &which)), expect("first", which == first);
  any.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, status("any", cuGraphExecNodeSetParams(later.run, wait, &any)), status("any", cuGraphNodeSetParams(wait, &any)), status("which", cuGraphEventWaitNodeGetEvent(wait, &which)), expect("first", which == first);
  std::memset(&any, 0, sizeof any), any.type = CU_GRAPH_NODE_TYPE_GRAPH, any.graph.graph = inner.graph, digits = 0, status("any", cuGraphExecNodeSetParams(later.run, child, &any)), later.launch(), expect("2 2", digits == 22);
  status("node", cuGraphDestroyNode(wait)), status("it is gone", cuGraphEventWaitNodeGetEvent(wait, &which), kInvalid);

  CUDA_MEM_ALLOC_NODE_PARAMS room = {}, asked = {};
  CUdeviceptr freed = 0;
  room.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, room.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE, room.bytesize = 32;
  status("memory", cuGraphAddMemAllocNode(&set, inner.graph, nullptr, 0, &room)), status("ask", cuGraphMemAllocNodeGetParams(set, &asked)), expect("32", asked.bytesize == 32 && asked.dptr == room.dptr);
  status("free", cuGraphAddMemFreeNode(&record, inner.graph, &set, 1, room.dptr)), status("ask", cuGraphMemFreeNodeGetParams(record, &freed)), expect("the same", freed == room.dptr);

  CUuserObject object;
  status("object", cuUserObjectCreate(&object, &gone, [](void* times) { ++*static_cast<int*>(times); }, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)), status("retain", cuUserObjectRetain(object, 1));
  status("a graph's", cuGraphRetainUserObject(made.graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE)), status("release", cuGraphReleaseUserObject(made.graph, object, 1)), expect("one is left", gone == 0);
  status("update", cuGraphExecUpdate(made.run, made.graph, nullptr), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE), status("release", cuGraphReleaseUserObject(made.graph, object, 1)), expect("gone", gone == 1), status("no more", cuUserObjectRelease(object, 1), kInvalid);
  status("draw", cuGraphDebugDotPrint(made.graph, "/no/such/folder/graph.dot", CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE), CUDA_ERROR_OPERATING_SYSTEM);
  cuMemFree(data), cuEventDestroy(first), cuEventDestroy(second);
}

/// Which node of the updating graph is at fault, and what cannot be instantiated.
static void forms() {
  int digits = 0;
  Made made, crossed, old;
  CUgraphNode from[] = {made.host(one, &digits), made.host(one, &digits)}, last = made.host(two, &digits);
  const CUgraphNode both[] = {last, last};
  status("edges", cuGraphAddDependencies(made.graph, from, both, nullptr, 2));
  CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
  how.flags = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, how.hErrNode_out = last, how.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  status("instantiate", cuGraphInstantiateWithParams(&made.run, made.graph, &how)), expect("success", how.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS && how.hErrNode_out == nullptr);
  cuuint64_t flags = 0;
  status("flags", cuGraphExecGetFlags(made.run, &flags)), expect("without the upload", flags == CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  // In a row instead: the last one has one before it.
  const CUgraphNode a = crossed.host(one, &digits), b = crossed.host(one, &digits, a), c = crossed.host(two, &digits, b);
  CUgraphExecUpdateResultInfo information;
  status("in a row", cuGraphExecUpdate(made.run, crossed.graph, &information), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE), expect("the last", information.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED && information.errorNode == c);
  // With two before it, of which the first is before the second: that one has too many.
  status("both", cuGraphAddDependencies(crossed.graph, &a, &c, nullptr, 1));
  status("a triangle", cuGraphExecUpdate(made.run, crossed.graph, &information), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE), expect("the second", information.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED && information.errorNode == b);
  CUgraphNode wrong = nullptr;
  CUgraphExecUpdateResult result;
  status("as of old", old_update(made.run, crossed.graph, &wrong, &result), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE), expect("the same", wrong == b && result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  char log[8] = "wrong";
  status("as of old", old_instantiate(&old.run, crossed.graph, &wrong, log, sizeof log)), expect("no error", wrong == nullptr && log[0] == '\0'), old.launch(), expect("1 1 2", digits == 112);
  status("a ring", cuGraphAddDependencies(crossed.graph, &c, &a, nullptr, 1)), status("a ring", cuGraphInstantiateWithParams(&made.run, crossed.graph, &how), kInvalid), expect("its structure", how.result_out == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);

  CUstream stream;
  CUstreamCaptureStatus state;
  CUgraph growing = nullptr, graph = nullptr;
  const CUgraphNode* before = nullptr;
  const CUgraphEdgeData* data = nullptr;
  size_t count = 0;
  cuuint64_t id = 0, old_id = 0;
  cuStreamCreate(&stream, 0), digits = 0;
  status("of old", old_begin(stream)), status("what", cuStreamIsCapturing(stream, &state)), expect("captured", state == CU_STREAM_CAPTURE_STATUS_ACTIVE), status("end", cuStreamEndCapture(stream, &graph)), cuGraphDestroy(graph);
  status("capture", cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED)), cuLaunchHostFunc(stream, one, &digits);
  status("what", cuStreamGetCaptureInfo(stream, &state, &id, &growing, &before, &data, &count)), expect("one node", state == CU_STREAM_CAPTURE_STATUS_ACTIVE && count == 1 && data[0].type == 0);
  CUgraphNode first = *before, own;
  const CUDA_HOST_NODE_PARAMS twos = {two, &digits};
  status("as of old", old_information(stream, &state, &old_id)), expect("the same", id == old_id), status("as of old", older_information(stream, &state, &old_id, &graph, &before, &count)), expect("the same", graph == growing && count == 1 && *before == first);
  status("node", cuGraphAddHostNode(&own, growing, &first, 1, &twos)), status("after it", cuStreamUpdateCaptureDependencies(stream, &own, nullptr, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  cuLaunchHostFunc(stream, one, &digits), status("and the first", old_dependencies(stream, &first, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES)), cuLaunchHostFunc(stream, two, &digits);
  status("end", cuStreamEndCapture(stream, &graph)), status("edges", cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count)), expect("4", count == 4);
  Made of_stream;
  status("instantiate", cuGraphInstantiate(&of_stream.run, graph, 0)), of_stream.launch(), expect("1 2 1 2", digits == 1212);
}

/// Fills of a captured stream, which nothing does before the launch; and a kernel's arguments in one buffer.
static void captured_fills() {
  CUdeviceptr data = 0;
  int value[8] = {};
  cuMemAlloc(&data, 32), cuMemsetD32(data, 1, 8);
  CUstream stream;
  CUgraph graph = nullptr;
  cuStreamCreate(&stream, 0);
  status("capture", cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED)), status("32", cuMemsetD32Async(data, 7, 8, stream)), status("16", cuMemsetD16Async(data + 4, 0x102, 2, stream)), status("8", cuMemsetD8Async(data + 8, 3, 4, stream));
  status("rows", cuMemsetD2D32Async(data + 12, 8, 9, 1, 2, stream)), status("rows", cuMemsetD2D8Async(data + 16, 12, 4, 4, 2, stream)), status("rows", cuMemsetD2D16Async(data + 24, 8, 5, 2, 1, stream)), status("end", cuStreamEndCapture(stream, &graph));
  cuMemcpyDtoH(value, data, 32), expect("nothing yet", value[0] == 1 && value[3] == 1 && value[7] == 1);
  size_t count = 0;
  status("nodes", cuGraphGetNodes(graph, nullptr, &count)), expect("6", count == 6);
  Made made;
  status("instantiate", cuGraphInstantiate(&made.run, graph, 0)), made.launch(), cuMemcpyDtoH(value, data, 32);
  expect("by hand", value[0] == 7 && value[1] == 0x1020102 && value[2] == 0x3030303 && value[3] == 9 && value[4] == 0x4040404 && value[5] == 9 && value[6] == 0x50005 && value[7] == 0x4040404);

  struct {
    CUdeviceptr to;
    int more;
  } words = {data, 30};
  size_t bytes = 12;
  void* in_buffer[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &words, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  CUDA_KERNEL_NODE_PARAMS call = call_of(function_of(add), 1, nullptr);
  call.extra = in_buffer;
  Made other;
  CUgraphNode node;
  void* twice[] = {&words.to, &words.more};
  status("buffer", cuGraphAddKernelNode(&node, other.graph, nullptr, 0, &call)), words.more = 99, other.instantiate(), other.launch(), cuMemcpyDtoH(value, data, 4), expect("7 + 30", value[0] == 37);
  call.kernelParams = twice, status("twice", cuGraphKernelNodeSetParams(node, &call), kInvalid);
  cuGraphDestroy(graph), cuStreamDestroy(stream), cuMemFree(data);
}

/// Nodes of any type: a copy, a kernel that another one lets begin early, and a child graph that is not copied.
static void any_nodes() {
  int numbers[] = {5, 6}, value[2] = {}, more = 1, digits = 0;
  CUdeviceptr data = 0;
  cuMemAlloc(&data, 8);
  void* words[] = {&data, &more};
  Made made;
  CUgraphNode copy, kernels[2], child, found_node;
  CUgraphNodeParams how = {};
  how.type = CU_GRAPH_NODE_TYPE_MEMCPY, how.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_HOST, how.memcpy.copyParams.srcHost = numbers, how.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_DEVICE, how.memcpy.copyParams.dstDevice = data;
  how.memcpy.copyParams.WidthInBytes = 8, how.memcpy.copyParams.Height = how.memcpy.copyParams.Depth = 1;
  status("copy", cuGraphAddNode(&copy, made.graph, nullptr, nullptr, 0, &how)), how.memcpy.copyParams.Depth = 0, status("of nothing", cuGraphAddNode(&copy, made.graph, nullptr, nullptr, 0, &how), kInvalid);
  std::memset(&how, 0, sizeof how), how.type = CU_GRAPH_NODE_TYPE_KERNEL, how.kernel.func = function_of(add), how.kernel.gridDimX = how.kernel.gridDimY = how.kernel.gridDimZ = how.kernel.blockDimY = how.kernel.blockDimZ = 1, how.kernel.blockDimX = 2, how.kernel.kernelParams = words;
  CUgraphEdgeData early = {}, found = {};
  status("kernel", cuGraphAddNode(&kernels[0], made.graph, &copy, &early, 1, &how)), early.from_port = 2, early.type = 1, more = 3, how.kernel.func = function_of(multiply), status("kernel", cuGraphAddNode(&kernels[1], made.graph, &kernels[0], &early, 1, &how));
  size_t count = 1;
  status("its edge", cuGraphNodeGetDependencies(kernels[1], &found_node, &found, &count)), expect("with data", found_node == kernels[0] && found.from_port == 2 && found.type == 1);
  early.to_port = 1, status("no such port", cuGraphAddNode(&child, made.graph, kernels, &early, 1, &how), kInvalid), status("nodes", cuGraphGetNodes(made.graph, nullptr, &count)), expect("none more", count == 3);
  CUgraph inner, within = nullptr;
  cuGraphCreate(&inner, 0);
  CUgraphNode first;
  const CUDA_HOST_NODE_PARAMS ones = {one, &digits}, twos = {two, &digits};
  cuGraphAddHostNode(&first, inner, nullptr, 0, &ones), std::memset(&how, 0, sizeof how), how.type = CU_GRAPH_NODE_TYPE_GRAPH, how.graph.graph = inner, how.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
  status("moved", cuGraphAddNode(&child, made.graph, nullptr, nullptr, 0, &how)), status("its graph", cuGraphChildGraphNodeGetGraph(child, &within)), expect("the same", within == inner), status("is the node's", cuGraphDestroy(inner), kInvalid);
  status("moved again", cuGraphAddNode(&child, made.graph, nullptr, nullptr, 0, &how), kInvalid), status("nodes", cuGraphGetNodes(made.graph, nullptr, &count)), expect("4", count == 4), status("more of it", cuGraphAddHostNode(&first, inner, &first, 1, &twos));
  made.instantiate(), made.launch(), cuMemcpyDtoH(value, data, 8), expect("(5 + 1) * 3, (6 + 1) * 3", value[0] == 18 && value[1] == 21), expect("1, 2", digits == 12);
  cuMemFree(data);
}

/// A program that asks for a name gets the form of its own release.
static void names() {
  const struct {
    const char* name;
    int version;
    void* form;
  } all[] = {{"cuGraphGetEdges", 13000, reinterpret_cast<void*>(cuGraphGetEdges)}, {"cuGraphGetEdges", 12020, reinterpret_cast<void*>(old_edges)}, {"cuGraphExecUpdate", 12000, reinterpret_cast<void*>(cuGraphExecUpdate)},
             {"cuGraphExecUpdate", 11080, reinterpret_cast<void*>(old_update)}, {"cuStreamGetCaptureInfo", 12030, reinterpret_cast<void*>(cuStreamGetCaptureInfo)}, {"cuStreamGetCaptureInfo", 12020, reinterpret_cast<void*>(older_information)},
             {"cuStreamGetCaptureInfo", 11020, reinterpret_cast<void*>(old_information)}, {"cuGraphKernelNodeGetParams", 13000, reinterpret_cast<void*>(cuGraphKernelNodeGetParams)}, {"cuGraphDestroyNode", 13000, reinterpret_cast<void*>(cuGraphDestroyNode)}};
  for (const auto& one_of : all) {
    void *function = nullptr, *entry = nullptr;
    status(one_of.name, cuGetProcAddress(one_of.name, &function, one_of.version, 0, nullptr)), expect(one_of.name, function == one_of.form);
    status(one_of.name, cudaGetDriverEntryPointByVersion(one_of.name, &entry, one_of.version, 0, nullptr)), expect(one_of.name, entry == one_of.form);
  }
}

/// The same of the runtime.
static void runtime() {
  int digits = 0, value = 0, source = 9, *data = nullptr;
  cudaMalloc(&data, 4);
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaGraphNode_t node, copy, from[2], to[2];
  cudaGraphCreate(&graph, 0);
  const cudaHostNodeParams ones = {one, &digits};
  cudaGraphAddHostNode(&node, graph, nullptr, 0, &ones), cudaGraphAddMemcpyNode1D(&copy, graph, &node, 1, data, &digits, 4, cudaMemcpyHostToDevice);
  size_t count = 2;
  cudaGraphEdgeData edge[2];
  status("edges", cudaGraphGetEdges(graph, from, to, edge, &count)), expect("one", count == 1 && from[0] == node && to[0] == copy && edge[0].type == 0);
  cudaGraphNodeParams any = {};
  any.type = cudaGraphNodeTypeHost, any.host.fn = two, any.host.userData = &digits, cudaGraphInstantiate(&run, graph, 0);
  status("any", cudaGraphNodeSetParams(node, &any)), status("any", cudaGraphExecNodeSetParams(run, node, &any)), cudaGraphLaunch(run, nullptr), cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost), expect("2", value == 2);
  cudaMemcpy3DParms box = {};
  status("ask", cudaGraphMemcpyNodeGetParams(copy, &box)), box.srcPtr.ptr = &source, std::memset(&any, 0, sizeof any), any.type = cudaGraphNodeTypeMemcpy, any.memcpy.copyParams = box;
  status("any", cudaGraphExecNodeSetParams(run, copy, &any)), cudaGraphLaunch(run, nullptr), cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost), expect("9", value == 9);
  status("another type", cudaGraphExecNodeSetParams(run, node, &any), cudaErrorInvalidValue), status("no parameters", cudaGraphNodeSetParams(node, nullptr), cudaErrorInvalidValue);
  cudaGraphDestroy(graph), cudaGraphExecDestroy(run), cudaFree(data);
}
#endif

int main() {
#if CUDA_VERSION >= 13000
  cudaFree(nullptr);
  edges(), kernels(), copies(), other_nodes(), forms(), captured_fills(), any_nodes(), names(), runtime();
#endif
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
