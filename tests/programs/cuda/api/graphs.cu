// What nodes of graphs do, may be asked and are changed to, before and after a graph is instantiated: each function with valid arguments, and with an
// error that CUDA's documentation has. Expected values are counted by hand.
#include <cuda_runtime.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "check.h"

#if CUDART_VERSION < 13000
#define OF_EDGES
#define CAPTURE_INFO cudaStreamGetCaptureInfo_v2
#else
#define OF_EDGES nullptr,  // what an edge carries
#define CAPTURE_INFO cudaStreamGetCaptureInfo
#endif

constexpr auto kInvalid = cudaErrorInvalidValue;
__device__ int variable[4];

__global__ void add(int* to, int more) { to[threadIdx.x] += more; }
__global__ void multiply(int* to, int by) { to[threadIdx.x] *= by; }

static void append(void* digits, int digit) { *static_cast<int*>(digits) = *static_cast<int*>(digits) * 10 + digit; }
static void one(void* digits) { append(digits, 1); }
static void two(void* digits) { append(digits, 2); }
static void three(void* digits) { append(digits, 3); }

struct Made {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t run = nullptr;
  Made() { status("graph", cudaGraphCreate(&graph, 0)); }
  ~Made() { cudaGraphDestroy(graph), cudaGraphExecDestroy(run); }
  void instantiate() { status("instantiate", cudaGraphInstantiate(&run, graph, 0)); }
  void launch() { status("launch", cudaGraphLaunch(run, nullptr)), status("wait", cudaDeviceSynchronize()); }
  cudaGraphNode_t host(cudaHostFn_t call, int* digits, cudaGraphNode_t after = nullptr) {
    cudaGraphNode_t node = nullptr;
    const cudaHostNodeParams work = {call, digits};
    status("host node", cudaGraphAddHostNode(&node, graph, &after, after != nullptr, &work));
    return node;
  }
};

/// 1, 2 and 3 as edges order them.
static void edges() {
  int digits = 0;
  Made made, other;
  const cudaGraphNode_t third = made.host(three, &digits), second = made.host(two, &digits), first = made.host(one, &digits);
  const cudaGraphNode_t from[] = {first, second, first}, to[] = {second, third, third}, stranger = other.host(one, &digits);
  status("edges", cudaGraphAddDependencies(made.graph, from, to, OF_EDGES 3));
  status("an edge twice", cudaGraphAddDependencies(made.graph, from, to, OF_EDGES 1), kInvalid);
  cudaGraphNode_t found_from[5], found_to[5], found[4];
  size_t count = 0;
  status("how many edges", cudaGraphGetEdges(made.graph, nullptr, nullptr, OF_EDGES &count)), expect("3 edges", count == 3);
  count = 5;
  status("edges", cudaGraphGetEdges(made.graph, found_from, found_to, OF_EDGES &count)), expect("3 of 5", count == 3 && found_from[3] == nullptr && found_to[4] == nullptr);
  int seen = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) seen |= found_from[i] == from[k] && found_to[i] == to[k] ? 1 << k : 0;
  expect("each of them", seen == 7), status("edges of none", cudaGraphGetEdges(nullptr, nullptr, nullptr, OF_EDGES &count), kInvalid);
  count = 4;
  status("before the third", cudaGraphNodeGetDependencies(third, found, OF_EDGES &count)), expect("two", count == 2 && found[0] == second && found[1] == first && found[2] == nullptr);
  count = 1;
  status("behind the first", cudaGraphNodeGetDependentNodes(first, found, OF_EDGES &count)), expect("one of two", count == 1 && (found[0] == second || found[0] == third));
  status("how many", cudaGraphNodeGetDependentNodes(first, nullptr, OF_EDGES &count)), expect("two of them", count == 2);
  status("before none", cudaGraphNodeGetDependencies(nullptr, found, OF_EDGES &count), kInvalid), status("behind none", cudaGraphNodeGetDependentNodes(nullptr, found, OF_EDGES &count), kInvalid);
  made.instantiate(), made.launch(), expect("1, 2, 3", digits == 123);

  cudaGraph_t clone;
  cudaGraphNode_t in_clone = nullptr, none = nullptr;
  status("clone", cudaGraphClone(&clone, made.graph)), status("find", cudaGraphNodeFindInClone(&in_clone, second, clone));
  count = 1;
  status("its edge", cudaGraphNodeGetDependencies(in_clone, found, OF_EDGES &count)), expect("of the clone", in_clone != second && found[0] != first);
  status("of another graph", cudaGraphNodeFindInClone(&none, stranger, clone), kInvalid), status("not a clone", cudaGraphNodeFindInClone(&none, second, other.graph), kInvalid);
  status("remove from the clone", cudaGraphDestroyNode(in_clone)), status("no more", cudaGraphNodeFindInClone(&none, second, clone), kInvalid);
  status("destroy it", cudaGraphDestroy(clone));

  status("remove an edge", cudaGraphRemoveDependencies(made.graph, from, to, OF_EDGES 1));
  status("remove it again", cudaGraphRemoveDependencies(made.graph, from, to, OF_EDGES 1), kInvalid);
  status("how many edges", cudaGraphGetEdges(made.graph, nullptr, nullptr, OF_EDGES &count)), expect("2 edges", count == 2);
  status("remove a node", cudaGraphDestroyNode(second)), status("remove it again", cudaGraphDestroyNode(second), kInvalid);
  status("how many edges", cudaGraphGetEdges(made.graph, nullptr, nullptr, OF_EDGES &count)), expect("1 edge", count == 1);
  digits = 0, made.launch(), expect("the instance is as it was", digits == 123);
  Made later;
  status("instantiate", cudaGraphInstantiate(&later.run, made.graph, 0)), digits = 0, later.launch(), expect("1, 3", digits == 13);
}

static void host_nodes() {
  int digits = 0, others = 0;
  Made made;
  const cudaGraphNode_t node = made.host(one, &digits), behind = made.host(three, &digits, node);
  cudaHostNodeParams found = {}, two_to_others = {two, &others};
  made.instantiate();
  status("ask", cudaGraphHostNodeGetParams(node, &found)), expect("what was given", found.fn == one && found.userData == &digits);
  status("change", cudaGraphHostNodeSetParams(node, &two_to_others)), status("into null", cudaGraphHostNodeGetParams(node, nullptr), kInvalid);
  made.launch(), expect("the instance is as it was", digits == 13 && others == 0);
  status("change the instance", cudaGraphExecHostNodeSetParams(made.run, behind, &two_to_others)), made.launch(), expect("changed", digits == 131 && others == 2);
  found.fn = nullptr;
  status("to nothing", cudaGraphHostNodeSetParams(node, &found), kInvalid), status("of none", cudaGraphExecHostNodeSetParams(made.run, nullptr, &two_to_others), kInvalid);
  unsigned is_enabled;
  status("host nodes stay", cudaGraphNodeSetEnabled(made.run, node, 0), kInvalid), status("and are", cudaGraphNodeGetEnabled(made.run, node, &is_enabled), kInvalid);
}

static void copies_and_fills() {
  int host[4] = {1, 2, 3, 4}, back[4] = {}, *device = nullptr, *second = nullptr;
  cudaMalloc(&device, sizeof host), cudaMalloc(&second, sizeof host), cudaMemset(second, 0, sizeof host);
  Made made;
  cudaGraphNode_t set, in, out;
  cudaMemsetParams fill = {device, 0, 9, 4, 4, 1}, found_fill = {};
  status("fill", cudaGraphAddMemsetNode(&set, made.graph, nullptr, 0, &fill));
  status("in", cudaGraphAddMemcpyNode1D(&in, made.graph, &set, 1, device, host, 8, cudaMemcpyHostToDevice));
  status("out", cudaGraphAddMemcpyNode1D(&out, made.graph, &in, 1, back, device, sizeof back, cudaMemcpyDeviceToHost));
  made.instantiate(), made.launch(), expect("1 2 9 9", back[0] == 1 && back[1] == 2 && back[2] == 9 && back[3] == 9);
  cudaMemcpy3DParms box = {};
  status("ask", cudaGraphMemcpyNodeGetParams(in, &box));
  expect("what was given", box.srcPtr.ptr == host && box.dstPtr.ptr == device && box.extent.width == 8 && box.extent.height == 1 && box.kind == cudaMemcpyHostToDevice);
  status("ask", cudaGraphMemsetNodeGetParams(set, &found_fill)), expect("9 to 4", found_fill.dst == device && found_fill.value == 9 && found_fill.width == 4);
  status("of another kind", cudaGraphMemsetNodeGetParams(in, &found_fill), kInvalid), status("of another kind", cudaGraphMemcpyNodeGetParams(set, &box), kInvalid);

  // The instance only: 5s, of which three are written over from the second element on.
  fill.value = 5;
  status("change", cudaGraphExecMemsetNodeSetParams(made.run, set, &fill));
  status("change", cudaGraphExecMemcpyNodeSetParams1D(made.run, in, device + 1, host + 1, 12, cudaMemcpyHostToDevice)), made.launch();
  expect("5 2 3 4", back[0] == 5 && back[1] == 2 && back[3] == 4);
  box.srcPtr.ptr = host + 3, box.extent.width = 4;
  status("change", cudaGraphExecMemcpyNodeSetParams(made.run, in, &box)), made.launch(), expect("4 5 5 5", back[0] == 4 && back[1] == 5 && back[3] == 5);
  status("another kind", cudaGraphExecMemsetNodeSetParams(made.run, in, &fill), kInvalid), status("another kind", cudaGraphExecMemcpyNodeSetParams(made.run, set, &box), kInvalid);
  box.extent.height = 2, box.srcPtr.pitch = box.dstPtr.pitch = 8, box.srcPtr.ptr = host;
  status("rows", cudaGraphExecMemcpyNodeSetParams(made.run, in, &box), kInvalid);
  fill.height = 2, fill.pitch = 8, fill.width = 2;
  status("more rows", cudaGraphExecMemsetNodeSetParams(made.run, set, &fill), kInvalid);
  unsigned is_enabled = 7;
  status("disable", cudaGraphNodeSetEnabled(made.run, in, 0)), status("is it", cudaGraphNodeGetEnabled(made.run, in, &is_enabled)), expect("disabled", is_enabled == 0);
  made.launch(), expect("5 5 5 5", back[0] == 5 && back[3] == 5), status("enable", cudaGraphNodeSetEnabled(made.run, in, 1)), made.launch(), expect("4 5", back[0] == 4 && back[1] == 5);

  // The graph, for what is instantiated of it from here on: two rows of a copy, which come behind a fill of two rows.
  status("change", cudaGraphMemcpyNodeSetParams(in, &box)), status("change", cudaGraphMemsetNodeSetParams(set, &fill));
  status("change", cudaGraphMemcpyNodeSetParams1D(out, back, device, sizeof back, cudaMemcpyDefault)), status("to no direction", cudaGraphMemcpyNodeSetParams1D(out, back, device, 4, static_cast<cudaMemcpyKind>(7)), cudaErrorInvalidMemcpyDirection);
  fill.elementSize = 3;
  status("no such element", cudaGraphMemsetNodeSetParams(set, &fill), kInvalid);
  Made later;
  status("instantiate", cudaGraphInstantiate(&later.run, made.graph, 0)), later.launch(), expect("1 5 3 5", back[0] == 1 && back[1] == 5 && back[2] == 3 && back[3] == 5);
  status("one row needs no pitch", cudaMemset2D(device, 0, 5, 16, 1)), status("two do", cudaMemset2D(device, 0, 5, 8, 2), cudaErrorInvalidPitchValue);
  cudaFree(device), cudaFree(second);
}

static void symbols() {
  int host[4] = {1, 2, 3, 4}, back[4] = {};
  Made made;
  cudaGraphNode_t to, from;
  status("to", cudaGraphAddMemcpyNodeToSymbol(&to, made.graph, nullptr, 0, variable, host, sizeof host, 0, cudaMemcpyHostToDevice));
  status("from", cudaGraphAddMemcpyNodeFromSymbol(&from, made.graph, &to, 1, back, variable, 8, 8, cudaMemcpyDeviceToHost));
  status("beyond", cudaGraphAddMemcpyNodeToSymbol(&to, made.graph, nullptr, 0, variable, host, 8, 12, cudaMemcpyHostToDevice), kInvalid);
  status("beyond", cudaGraphAddMemcpyNodeFromSymbol(&from, made.graph, nullptr, 0, back, variable, 20, 0, cudaMemcpyDeviceToHost), kInvalid);
  made.instantiate(), made.launch(), expect("3 4", back[0] == 3 && back[1] == 4);
  status("to", cudaGraphExecMemcpyNodeSetParamsToSymbol(made.run, to, variable, host, 4, 8, cudaMemcpyHostToDevice)), made.launch(), expect("1 4", back[0] == 1 && back[1] == 4);
  status("from", cudaGraphExecMemcpyNodeSetParamsFromSymbol(made.run, from, back + 2, variable, 4, 4, cudaMemcpyDeviceToHost)), made.launch(), expect("1 4 2", back[0] == 1 && back[2] == 2);
  status("beyond", cudaGraphExecMemcpyNodeSetParamsToSymbol(made.run, to, variable, host, 4, 16, cudaMemcpyHostToDevice), kInvalid);
  status("backwards", cudaGraphExecMemcpyNodeSetParamsFromSymbol(made.run, from, back, variable, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidMemcpyDirection);
  status("to", cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, host + 3, 4, 0, cudaMemcpyHostToDevice)), status("from", cudaGraphMemcpyNodeSetParamsFromSymbol(from, back + 3, variable, 4, 0, cudaMemcpyDeviceToHost));
  status("beyond", cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, host, 4, 13, cudaMemcpyHostToDevice), kInvalid), status("beyond", cudaGraphMemcpyNodeSetParamsFromSymbol(from, back, variable, 17, 0, cudaMemcpyDeviceToHost), kInvalid);
  Made later;
  status("instantiate", cudaGraphInstantiate(&later.run, made.graph, 0)), later.launch(), expect("4", back[3] == 4);
}

static void kernels_and_children() {
  int *data = nullptr, more = 3, by = 5, digits = 0;
  cudaMallocManaged(&data, 8), data[0] = data[1] = 0;
  void *add_words[] = {&data, &more}, *multiply_words[] = {&data, &by};
  cudaKernelNodeParams call = {}, times = {};
  call.func = reinterpret_cast<void*>(add), times.func = reinterpret_cast<void*>(multiply);
  call.gridDim = times.gridDim = dim3(1), call.blockDim = times.blockDim = dim3(2), call.kernelParams = add_words, times.kernelParams = multiply_words;
  Made inner, made;
  cudaGraphNode_t sum, product, child;
  status("kernel", cudaGraphAddKernelNode(&sum, inner.graph, nullptr, 0, &call)), status("kernel", cudaGraphAddKernelNode(&product, inner.graph, &sum, 1, &times));
  status("child", cudaGraphAddChildGraphNode(&child, made.graph, nullptr, 0, inner.graph)), made.instantiate(), made.launch(), expect("(0 + 3) * 5", data[0] == 15 && data[1] == 15);

  cudaGraph_t within = nullptr;
  cudaGraphNode_t sum_within = nullptr;
  status("its graph", cudaGraphChildGraphNodeGetGraph(child, &within)), expect("a copy", within != nullptr && within != inner.graph);
  status("its node", cudaGraphNodeFindInClone(&sum_within, sum, within)), status("is the node's", cudaGraphDestroy(within), kInvalid), status("no child", cudaGraphChildGraphNodeGetGraph(sum, &within), kInvalid);
  // The graph that was given, then put into the instance; then a kernel within the instance's child, which ends before its block's second thread.
  more = 100, data[0] = data[1] = 0;
  status("change", cudaGraphKernelNodeSetParams(sum, &call)), made.launch(), expect("as it was", data[0] == 15);
  status("change the child", cudaGraphExecChildGraphNodeSetParams(made.run, child, inner.graph)), data[0] = 0, made.launch(), expect("(0 + 100) * 5", data[0] == 500);
  more = 1, call.blockDim = dim3(1), data[0] = data[1] = 0;
  status("change within", cudaGraphExecKernelNodeSetParams(made.run, sum_within, &call)), made.launch(), expect("5 and 0", data[0] == 5 && data[1] == 0);
  inner.host(one, &digits);
  status("other nodes", cudaGraphExecChildGraphNodeSetParams(made.run, child, inner.graph), kInvalid);
  status("disable within", cudaGraphNodeSetEnabled(made.run, sum_within, 0)), data[0] = 2, made.launch(), expect("2 * 5", data[0] == 10);

  // The kernel may become another one.
  Made alone;
  cudaGraphNode_t node;
  status("kernel", cudaGraphAddKernelNode(&node, alone.graph, nullptr, 0, &call)), alone.instantiate(), data[0] = 6;
  status("another kernel", cudaGraphExecKernelNodeSetParams(alone.run, node, &times)), alone.launch(), expect("6 * 5", data[0] == 30);

  cudaKernelNodeAttrValue value = {}, found = {};
  value.priority = -2;
  status("attribute", cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributePriority, &value)), status("ask", cudaGraphKernelNodeGetAttribute(node, cudaKernelNodeAttributePriority, &found)), expect("-2", found.priority == -2);
  status("ask", cudaGraphKernelNodeGetAttribute(node, cudaKernelNodeAttributeCooperative, &found)), expect("not cooperative", found.cooperative == 0);
  value.cooperative = 1;
  status("attribute", cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributeCooperative, &value)), status("copy", cudaGraphKernelNodeCopyAttributes(sum, node));
  status("ask", cudaGraphKernelNodeGetAttribute(sum, cudaKernelNodeAttributeCooperative, &found)), expect("cooperative", found.cooperative == 1);
  status("ask", cudaGraphKernelNodeGetAttribute(sum, cudaKernelNodeAttributePriority, &found)), expect("-2, too", found.priority == -2);
  status("no attribute", cudaGraphKernelNodeSetAttribute(node, static_cast<cudaKernelNodeAttrID>(99), &value), kInvalid), status("no kernel", cudaGraphKernelNodeGetAttribute(child, cudaKernelNodeAttributeCooperative, &found), kInvalid);
  status("no kernel", cudaGraphKernelNodeCopyAttributes(child, node), kInvalid);
  cudaFree(data);
}

static void events() {
  cudaEvent_t first, second, found = nullptr;
  float milliseconds = -1;
  cudaEventCreate(&first), cudaEventCreate(&second);
  Made made;
  cudaGraphNode_t record, wait;
  status("record", cudaGraphAddEventRecordNode(&record, made.graph, nullptr, 0, first)), status("wait", cudaGraphAddEventWaitNode(&wait, made.graph, &record, 1, first));
  status("no event", cudaGraphAddEventRecordNode(&record, made.graph, nullptr, 0, nullptr), kInvalid), status("no event", cudaGraphAddEventWaitNode(&wait, made.graph, nullptr, 0, nullptr), kInvalid);
  cudaGraphNodeType type;
  status("type", cudaGraphNodeGetType(record, &type)), expect("records", type == cudaGraphNodeTypeEventRecord), status("type", cudaGraphNodeGetType(wait, &type)), expect("waits", type == cudaGraphNodeTypeWaitEvent);
  status("not recorded", cudaEventElapsedTime(&milliseconds, first, first), cudaErrorInvalidResourceHandle);
  made.instantiate(), made.launch(), status("recorded", cudaEventElapsedTime(&milliseconds, first, first)), expect("at once", milliseconds == 0);
  status("which", cudaGraphEventRecordNodeGetEvent(record, &found)), expect("the first", found == first), status("which", cudaGraphEventWaitNodeGetEvent(wait, &found)), expect("the first", found == first);
  status("of another kind", cudaGraphEventRecordNodeGetEvent(wait, &found), kInvalid), status("of another kind", cudaGraphEventWaitNodeGetEvent(record, &found), kInvalid);
  status("change", cudaGraphExecEventRecordNodeSetEvent(made.run, record, second)), status("change", cudaGraphExecEventWaitNodeSetEvent(made.run, wait, second));
  status("not recorded", cudaEventElapsedTime(&milliseconds, second, second), cudaErrorInvalidResourceHandle), made.launch(), status("recorded", cudaEventElapsedTime(&milliseconds, first, second)), expect("later", milliseconds >= 0);
  status("of another kind", cudaGraphExecEventRecordNodeSetEvent(made.run, wait, second), kInvalid), status("of another kind", cudaGraphExecEventWaitNodeSetEvent(made.run, record, second), kInvalid);
  status("change", cudaGraphEventRecordNodeSetEvent(record, second)), status("which", cudaGraphEventRecordNodeGetEvent(record, &found)), expect("the second", found == second);
  status("change", cudaGraphEventWaitNodeSetEvent(wait, second)), status("which", cudaGraphEventWaitNodeGetEvent(wait, &found)), expect("the second", found == second);
  status("to none", cudaGraphEventRecordNodeSetEvent(record, nullptr), kInvalid), status("to none", cudaGraphEventWaitNodeSetEvent(wait, nullptr), kInvalid);
}

static void memory() {
  Made made;
  cudaMemAllocNodeParams room = {}, found = {};
  room.poolProps.allocType = cudaMemAllocationTypePinned, room.poolProps.location.type = cudaMemLocationTypeDevice, room.bytesize = 64;
  cudaGraphNode_t begin, end;
  void* pointer = nullptr;
  status("allocate", cudaGraphAddMemAllocNode(&begin, made.graph, nullptr, 0, &room)), status("free", cudaGraphAddMemFreeNode(&end, made.graph, &begin, 1, room.dptr));
  status("ask", cudaGraphMemAllocNodeGetParams(begin, &found)), expect("64 bytes", found.bytesize == 64 && found.dptr == room.dptr && found.poolProps.allocType == cudaMemAllocationTypePinned);
  status("ask", cudaGraphMemFreeNodeGetParams(end, &pointer)), expect("the same", pointer == room.dptr);
  status("no memory", cudaGraphMemAllocNodeGetParams(end, &found), kInvalid), status("no end", cudaGraphMemFreeNodeGetParams(begin, &pointer), kInvalid);
  status("nodes stay", cudaGraphDestroyNode(end), kInvalid), status("edges stay", cudaGraphRemoveDependencies(made.graph, &begin, &end, OF_EDGES 1), kInvalid);
}

static void updates() {
  int digits = 0;
  Made made, same, longer, others;
  const cudaGraphNode_t first = made.host(one, &digits);
  made.host(two, &digits, first), same.host(three, &digits, same.host(three, &digits));
  cudaGraphNode_t empty;
  others.host(three, &digits, longer.graph == nullptr ? nullptr : (cudaGraphAddEmptyNode(&empty, others.graph, nullptr, 0), empty)), longer.host(one, &digits);
  status("with flags", cudaGraphInstantiateWithFlags(&made.run, made.graph, cudaGraphInstantiateFlagUseNodePriority));
  unsigned long long flags = 99;
  status("flags", cudaGraphExecGetFlags(made.run, &flags)), expect("as given", flags == cudaGraphInstantiateFlagUseNodePriority), status("of none", cudaGraphExecGetFlags(nullptr, &flags), kInvalid);
#if CUDART_VERSION < 12000
  cudaGraphExecUpdateResult result;
#define UPDATE(graph) cudaGraphExecUpdate(made.run, graph, nullptr, &result)
#else
  cudaGraphExecUpdateResultInfo information = {};
  cudaGraphExecUpdateResult& result = information.result;
#define UPDATE(graph) cudaGraphExecUpdate(made.run, graph, &information)
#endif
  status("update", UPDATE(same.graph)), expect("updated", result == cudaGraphExecUpdateSuccess), made.launch(), expect("3, 3", digits == 33);
  const cudaHostNodeParams again = {one, &digits};
  status("its node is still the first graph's", cudaGraphExecHostNodeSetParams(made.run, first, &again)), made.launch(), expect("3, 3, 1, 3", digits == 3313);
  status("fewer nodes", UPDATE(longer.graph), cudaErrorGraphExecUpdateFailure), expect("topology", result == cudaGraphExecUpdateErrorTopologyChanged);
  status("other nodes", UPDATE(others.graph), cudaErrorGraphExecUpdateFailure), expect("type", result == cudaGraphExecUpdateErrorNodeTypeChanged);
  digits = 0, made.launch(), expect("nothing has changed", digits == 13);
}

/// References: 2 of the program's at first; then one of a graph's, its clone's and its instance's.
static void objects() {
  int gone = 0, other_gone = 0;
  cudaUserObject_t object = nullptr, other = nullptr;
  const cudaHostFn_t count = [](void* times) { ++*static_cast<int*>(times); };
  status("object", cudaUserObjectCreate(&object, &gone, count, 2, cudaUserObjectNoDestructorSync)), status("no flag", cudaUserObjectCreate(&other, &gone, count, 1, 0), kInvalid);
  cudaGraph_t graph, clone;
  cudaGraphExec_t run;
  cudaGraphCreate(&graph, 0);
  status("a graph's", cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove)), status("no references", cudaGraphRetainUserObject(graph, object, 0, 0), kInvalid);
  status("clone", cudaGraphClone(&clone, graph)), status("instantiate", cudaGraphInstantiate(&run, clone, 0));
  status("release", cudaUserObjectRelease(object, 1)), status("destroy", cudaGraphDestroy(graph)), status("destroy", cudaGraphDestroy(clone)), expect("the instance has one", gone == 0);
  status("retain", cudaUserObjectRetain(object, 3)), status("destroy", cudaGraphExecDestroy(run)), status("release", cudaUserObjectRelease(object, 2)), expect("one is left", gone == 0);
  status("release", cudaUserObjectRelease(object, 1)), expect("gone", gone == 1), status("retain what is gone", cudaUserObjectRetain(object, 1), kInvalid), status("release it", cudaUserObjectRelease(object, 1), kInvalid);

  status("object", cudaUserObjectCreate(&other, &other_gone, count, 1, cudaUserObjectNoDestructorSync)), cudaGraphCreate(&graph, 0);
  status("two of a graph's", cudaGraphRetainUserObject(graph, other, 2)), status("release", cudaUserObjectRelease(other)), status("three", cudaGraphReleaseUserObject(graph, other, 3), kInvalid);
  status("one", cudaGraphReleaseUserObject(graph, other, 1)), expect("one is left", other_gone == 0), status("the last", cudaGraphReleaseUserObject(graph, other, 1)), expect("gone", other_gone == 1);
  status("no more", cudaGraphReleaseUserObject(graph, other, 1), kInvalid), status("destroy", cudaGraphDestroy(graph)), expect("once", other_gone == 1);
}

/// The second stream's work waits for the first node only, and the third's for none.
static void capture() {
  int digits = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamCaptureStatus state;
  unsigned long long id = 0;
  cudaGraph_t growing = nullptr, graph = nullptr;
  const cudaGraphNode_t* last = nullptr;
  size_t count = 9;
  status("begin", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)), status("what", CAPTURE_INFO(stream, &state, &id, &growing, &last, OF_EDGES &count));
  expect("nothing yet", state == cudaStreamCaptureStatusActive && growing != nullptr && count == 0);
  status("work", cudaLaunchHostFunc(stream, one, &digits)), status("what", CAPTURE_INFO(stream, &state, &id, &growing, &last, OF_EDGES &count)), expect("one node", count == 1);
  const cudaGraphNode_t first = *last;
  cudaHostNodeParams found = {};
  status("its work", cudaGraphHostNodeGetParams(first, &found)), expect("as given", found.fn == one && found.userData == &digits);
  cudaGraphNode_t own;
  const cudaHostNodeParams threes = {three, &digits};
  status("a node of its own", cudaGraphAddHostNode(&own, growing, &first, 1, &threes));
  status("come behind it", cudaStreamUpdateCaptureDependencies(stream, &own, OF_EDGES 1, cudaStreamSetCaptureDependencies)), status("what", CAPTURE_INFO(stream, &state, &id, &growing, &last, OF_EDGES &count)), expect("it alone", count == 1 && *last == own);
  cudaGraphNode_t both = first;
  status("and behind the first", cudaStreamUpdateCaptureDependencies(stream, &both, OF_EDGES 1, cudaStreamAddCaptureDependencies)), status("what", CAPTURE_INFO(stream, &state, &id, &growing, &last, OF_EDGES &count)), expect("both", count == 2);
  status("no such flag", cudaStreamUpdateCaptureDependencies(stream, &own, OF_EDGES 1, 2), kInvalid), status("work", cudaLaunchHostFunc(stream, two, &digits));
  status("end", cudaStreamEndCapture(stream, &graph)), expect("the same graph", graph == growing), status("not captured", cudaStreamUpdateCaptureDependencies(stream, &own, OF_EDGES 1, 0), cudaErrorIllegalState);
  status("edges", cudaGraphGetEdges(graph, nullptr, nullptr, OF_EDGES &count)), expect("3 edges", count == 3);
  cudaGraphExec_t run;
  status("instantiate", cudaGraphInstantiate(&run, graph, 0)), status("launch", cudaGraphLaunch(run, nullptr)), cudaDeviceSynchronize(), expect("1, 3, 2", digits == 132);
  status("what of none", CAPTURE_INFO(stream, nullptr, &id, nullptr, nullptr, OF_EDGES nullptr), kInvalid);
}

static void drawing() {
  int digits = 0, *data = nullptr;
  cudaMalloc(&data, 8);
  Made made, inner;
  const cudaGraphNode_t first = inner.host(one, &digits);
  inner.host(two, &digits, first);
  void* words[] = {&data, &digits};
  cudaKernelNodeParams call = {};
  call.func = reinterpret_cast<void*>(add), call.gridDim = call.blockDim = dim3(1), call.kernelParams = words;
  cudaGraphNode_t kernel, child, set;
  const cudaMemsetParams fill = {data, 0, 9, 4, 2, 1};
  cudaGraphAddKernelNode(&kernel, made.graph, nullptr, 0, &call), cudaGraphAddChildGraphNode(&child, made.graph, &kernel, 1, inner.graph), cudaGraphAddMemsetNode(&set, made.graph, &kernel, 1, &fill);
  status("draw", cudaGraphDebugDotPrint(made.graph, "graph.dot", 0)), status("nowhere", cudaGraphDebugDotPrint(made.graph, nullptr, 0), kInvalid);
  std::ifstream file("graph.dot");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  size_t edges = 0, kinds = 0;
  for (size_t at = text.find(" -> "); at != std::string::npos; at = text.find(" -> ", at + 1)) ++edges;
  for (const char* kind : {"KERNEL", "add", "MEMSET", "GRAPH", "HOST"}) kinds += text.find(kind) != std::string::npos;
  expect("a graph", text.rfind("digraph", 0) == 0 && edges == 3 && kinds == 5);
  std::remove("graph.dot");
}

int main() {
  edges(), host_nodes(), copies_and_fills(), symbols(), kernels_and_children(), events(), memory(), updates(), objects(), capture(), drawing();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
