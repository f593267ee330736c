// Nodes of graphs that are changed, asked for and taken away, events and symbols in graphs, captures into a graph that there is. Expected values are counted by hand.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

static int wrong = 0;
static void expect(const char* what, long got, long wanted) {
  if (got == wanted) return;
  ++wrong;
  std::printf("%s: %ld, expected %ld\n", what, got, wanted);
}
#define OK(call) expect(#call, call, cudaSuccess)

__global__ void add(int* to, int what) { *to += what; }
__global__ void twice(int* to) { *to *= 2; }
__device__ int variable[4];
__global__ void choose(cudaGraphConditionalHandle which, unsigned value) { cudaGraphSetConditional(which, value); }

static cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t* after, int* to, int what) {
  cudaKernelNodeParams kernel{};
  void* arguments[] = {&to, &what};
  kernel.func = reinterpret_cast<void*>(add), kernel.gridDim = kernel.blockDim = dim3(1), kernel.kernelParams = arguments;
  cudaGraphNode_t made;
  OK(cudaGraphAddKernelNode(&made, graph, after, after != nullptr, &kernel));
  return made;
}
static cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t made;
  OK(cudaGraphInstantiate(&made, graph, 0));
  return made;
}
static void launch(cudaGraphExec_t made) {
  OK(cudaGraphLaunch(made, nullptr));
  OK(cudaDeviceSynchronize());
}

/// A memset of one number, a copy of it, a host function that adds to the copy.
static void count_up(void* number) { *static_cast<int*>(number) += 1000; }
static void count_down(void* number) { *static_cast<int*>(number) -= 1; }
static void parameters(int* numbers) {
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t set, copy, host;
  cudaMemsetParams area{};
  area.dst = numbers, area.value = 7, area.elementSize = 4, area.width = 1, area.height = 1;
  OK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &area));
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &set, 1, numbers + 1, numbers, sizeof(int), cudaMemcpyDefault));
  cudaHostNodeParams call{count_up, numbers + 1};
  OK(cudaGraphAddHostNode(&host, graph, &copy, 1, &call));

  cudaMemsetParams same_area;
  cudaMemcpy3DParms same_copy;
  cudaHostNodeParams same_call;
  OK(cudaGraphMemsetNodeGetParams(set, &same_area)), OK(cudaGraphMemcpyNodeGetParams(copy, &same_copy)), OK(cudaGraphHostNodeGetParams(host, &same_call));
  expect("value", same_area.value, 7), expect("bytes", same_copy.extent.width, sizeof(int)), expect("from", same_copy.srcPtr.ptr == numbers, 1);
  expect("host", same_call.fn == count_up && same_call.userData == numbers + 1, 1);
  expect("of another type", cudaGraphHostNodeGetParams(copy, &same_call), cudaErrorInvalidValue), cudaGetLastError();

  const cudaGraphExec_t made = instantiated(graph);
  launch(made);
  expect("set", numbers[0], 7), expect("copied and added", numbers[1], 1007);
  area.value = 9, call.fn = count_down, call.userData = numbers + 2;
  OK(cudaGraphExecMemsetNodeSetParams(made, set, &area)), OK(cudaGraphExecHostNodeSetParams(made, host, &call));
  OK(cudaGraphExecMemcpyNodeSetParams1D(made, copy, numbers + 2, numbers, sizeof(int), cudaMemcpyDefault));
  launch(made);
  expect("changed", numbers[0], 9), expect("copied elsewhere", numbers[2], 8), expect("as before", numbers[1], 1007);

  area.value = 3;
  OK(cudaGraphMemsetNodeSetParams(set, &area));
  OK(cudaGraphMemcpyNodeSetParams1D(copy, numbers + 3, numbers, sizeof(int), cudaMemcpyDefault));
  call = {count_up, numbers + 3};
  OK(cudaGraphHostNodeSetParams(host, &call));
  same_copy.dstPtr.ptr = numbers + 4;
  launch(made);
  expect("what was instantiated before", numbers[0], 9);
  const cudaGraphExec_t next = instantiated(graph);
  launch(next);
  expect("set of the next", numbers[0], 3), expect("sum of the next", numbers[3], 1003);
  OK(cudaGraphExecMemcpyNodeSetParams(next, copy, &same_copy));
  cudaGraphNodeParams any{};
  cudaGraphNode_t again;
  any.type = cudaGraphNodeTypeMemcpy, any.memcpy.copyParams = same_copy, any.memcpy.copyParams.dstPtr.ptr = numbers + 5;
  OK(cudaGraphAddNode(&again, graph, &host, nullptr, 1, &any));
  const cudaGraphExec_t last = instantiated(graph);
  numbers[5] = 0;
  launch(last);
  expect("copied by another node", numbers[5], 3);
  OK(cudaGraphExecDestroy(last));
  any = {};
  any.type = cudaGraphNodeTypeMemset;
  any.memset.dst = numbers, any.memset.value = 21, any.memset.elementSize = 4, any.memset.width = 1, any.memset.height = 1;
  OK(cudaGraphExecNodeSetParams(next, set, &any));
  launch(next);
  expect("of a box", numbers[4], 21), expect("the host's", numbers[3], 2003);
  OK(cudaGraphExecDestroy(made)), OK(cudaGraphExecDestroy(next)), OK(cudaGraphDestroy(graph));
}

/// first -> second -> third, first -> third.
static void edges(int* numbers) {
  cudaGraph_t graph, clone;
  OK(cudaGraphCreate(&graph, 0));
  numbers[0] = numbers[1] = numbers[2] = 0;
  const cudaGraphNode_t first = add_kernel(graph, nullptr, numbers, 1), second = add_kernel(graph, &first, numbers + 1, 10), third = add_kernel(graph, &second, numbers + 2, 100);
  OK(cudaGraphAddDependencies(graph, &first, &third, nullptr, 1));
  cudaGraphNode_t from[4], to[4];
  cudaGraphEdgeData data[4];
  size_t count = 0;
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  expect("edges", count, 3);
  count = 4, std::memset(data, 1, sizeof data);
  OK(cudaGraphGetEdges(graph, from, to, data, &count));
  expect("edges that were given", count, 3), expect("an edge", from[0] == first && to[0] == second, 1), expect("its data", data[2].type, 0), expect("the rest", from[3] == nullptr, 1);
  OK(cudaGraphNodeGetDependencies(third, nullptr, nullptr, &count));
  expect("before the third", count, 2);
  OK(cudaGraphNodeGetDependentNodes(first, to, nullptr, &count));
  expect("behind the first", count, 2), expect("one of them", to[0] == second || to[1] == second, 1);
  OK(cudaGraphClone(&clone, graph));
  cudaGraphNode_t copy;
  OK(cudaGraphNodeFindInClone(&copy, second, clone));
  OK(cudaGraphNodeGetDependentNodes(copy, nullptr, nullptr, &count));
  expect("behind the copy", count, 1);

  OK(cudaGraphRemoveDependencies(graph, &first, &third, nullptr, 1));
  expect("an edge that there is not", cudaGraphRemoveDependencies(graph, &first, &third, nullptr, 1), cudaErrorInvalidValue), cudaGetLastError();
  const char* const path = "nodes.dot";
  OK(cudaGraphDebugDotPrint(graph, path, 0));
  char text[4096] = {};
  std::FILE* const file = std::fopen(path, "r");
  expect("file", file != nullptr, 1);
  if (file != nullptr) std::fread(text, 1, sizeof text - 1, file), std::fclose(file), std::remove(path);
  int arrows = 0;
  for (const char* at = text; (at = std::strstr(at, "->")) != nullptr; ++at) ++arrows;
  expect("arrows", arrows, 2), expect("names", std::strstr(text, "KERNEL") != nullptr, 1);

  OK(cudaGraphDestroyNode(second));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  expect("edges without the second", count, 0);
  const cudaGraphExec_t made = instantiated(graph), of_clone = instantiated(clone);
  launch(made);
  expect("first", numbers[0], 1), expect("no second", numbers[1], 0), expect("third", numbers[2], 100);
  unsigned enabled = 0;
  OK(cudaGraphNodeGetEnabled(made, third, &enabled));
  expect("enabled", enabled, 1);
  OK(cudaGraphNodeSetEnabled(made, third, 0));
  launch(made);
  expect("first again", numbers[0], 2), expect("third not again", numbers[2], 100);
  launch(of_clone);
  expect("of the clone", numbers[1], 10);
  cudaKernelNodeAttrValue value{};
  value.priority = 3;
  OK(cudaGraphKernelNodeSetAttribute(first, cudaLaunchAttributePriority, &value));
  OK(cudaGraphKernelNodeCopyAttributes(third, first));
  value.priority = 0;
  OK(cudaGraphKernelNodeGetAttribute(third, cudaLaunchAttributePriority, &value));
  expect("priority", value.priority, 3);
  unsigned long long flags = 1;
  OK(cudaGraphExecGetFlags(made, &flags));
  expect("flags", flags, 0);
  OK(cudaGraphExecDestroy(made)), OK(cudaGraphExecDestroy(of_clone)), OK(cudaGraphDestroy(graph)), OK(cudaGraphDestroy(clone));
}

static void events_and_symbols(int* numbers) {
  cudaGraph_t graph;
  cudaEvent_t begin, end;
  OK(cudaEventCreate(&begin)), OK(cudaEventCreate(&end)), OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t first, last, wait, to, from;
  OK(cudaGraphAddEventRecordNode(&first, graph, nullptr, 0, begin));
  const cudaGraphNode_t kernel = add_kernel(graph, &first, numbers, 5);
  OK(cudaGraphAddEventRecordNode(&last, graph, &kernel, 1, end));
  OK(cudaGraphAddEventWaitNode(&wait, graph, &last, 1, end));
  OK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, &wait, 1, variable, numbers, sizeof(int), 4, cudaMemcpyDefault));
  OK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, numbers + 1, variable, sizeof(int), 4, cudaMemcpyDefault));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(wait, &type));
  expect("type", type, cudaGraphNodeTypeWaitEvent);
  cudaEvent_t found;
  OK(cudaGraphEventRecordNodeGetEvent(last, &found));
  expect("event", found == end, 1);
  numbers[0] = numbers[1] = 0;
  const cudaGraphExec_t made = instantiated(graph);
  launch(made);
  float time = -1;
  OK(cudaEventElapsedTime(&time, begin, end));
  expect("time", time >= 0, 1), expect("by the variable", numbers[1], 5);
  int there = 0;
  OK(cudaMemcpyFromSymbol(&there, variable, sizeof there, 4));
  expect("the variable", there, 5);
  OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(made, to, variable, numbers, sizeof(int), 8, cudaMemcpyDefault));
  OK(cudaGraphExecEventRecordNodeSetEvent(made, last, begin));
  launch(made);
  OK(cudaMemcpyFromSymbol(&there, variable, sizeof there, 8));
  expect("its next element", there, 10), expect("the element before", numbers[1], 5);
  OK(cudaEventDestroy(begin)), OK(cudaEventDestroy(end)), OK(cudaGraphExecDestroy(made)), OK(cudaGraphDestroy(graph));
}

static int destroyed = 0;
static void destroy(void* amount) { destroyed += *static_cast<int*>(amount); }
static void objects() {
  static int one = 1, ten = 10;
  cudaUserObject_t object, moved;
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaUserObjectCreate(&object, &one, destroy, 1, cudaUserObjectNoDestructorSync));
  OK(cudaUserObjectCreate(&moved, &ten, destroy, 1, cudaUserObjectNoDestructorSync));
  OK(cudaGraphRetainUserObject(graph, object, 2, 0)), OK(cudaGraphRetainUserObject(graph, moved, 1, cudaGraphUserObjectMove));
  OK(cudaUserObjectRelease(object, 1));
  expect("of the graph", destroyed, 0);
  OK(cudaGraphReleaseUserObject(graph, object, 1));
  expect("still the graph's", destroyed, 0);
  OK(cudaGraphReleaseUserObject(graph, object, 1));
  expect("nobody's", destroyed, 1);
  const cudaGraphExec_t made = instantiated(graph);
  OK(cudaGraphDestroy(graph));
  expect("of what was instantiated", destroyed, 1);
  OK(cudaGraphExecDestroy(made));
  expect("gone with it", destroyed, 11);
}

/// Adds 1, then doubles in a capture behind it, to which a node is added by hand.
static void captures(int* numbers) {
  cudaStream_t stream;
  cudaGraph_t graph, captured, same;
  OK(cudaStreamCreate(&stream)), OK(cudaGraphCreate(&graph, 0));
  numbers[0] = 4;
  const cudaGraphNode_t first = add_kernel(graph, nullptr, numbers, 1);
  OK(cudaStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, cudaStreamCaptureModeGlobal));
  twice<<<1, 1, 0, stream>>>(numbers);
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* after;
  unsigned long long id;
  size_t count = 0;
  OK(cudaStreamGetCaptureInfo(stream, &status, &id, &captured, &after, nullptr, &count));
  expect("active", status, cudaStreamCaptureStatusActive), expect("the graph", captured == graph, 1), expect("one node", count, 1);
  cudaGraphNode_t by_hand = add_kernel(captured, after, numbers, 100);
  OK(cudaStreamUpdateCaptureDependencies(stream, &by_hand, nullptr, 1, cudaStreamSetCaptureDependencies));
  twice<<<1, 1, 0, stream>>>(numbers);
  OK(cudaStreamEndCapture(stream, &same));
  expect("the same graph", same == graph, 1);
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  expect("nodes", count, 4);
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  expect("edges of the capture", count, 3);
  const cudaGraphExec_t made = instantiated(graph);
  launch(made);
  expect("((4 + 1) * 2 + 100) * 2", numbers[0], 220);
  OK(cudaGraphExecDestroy(made)), OK(cudaGraphDestroy(graph)), OK(cudaStreamDestroy(stream));
}

/// Of the driver: a condition that chooses the second of three bodies.
static void by_driver(int* numbers) {
  CUgraph graph;
  CUcontext context;
  cuCtxGetCurrent(&context);
  expect("cuGraphCreate", cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  CUgraphConditionalHandle which;
  expect("handle", cuGraphConditionalHandleCreate(&which, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT), CUDA_SUCCESS);
  CUgraphNodeParams node{};
  CUgraphNode made;
  node.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  node.conditional.handle = which, node.conditional.type = CU_GRAPH_COND_TYPE_SWITCH, node.conditional.size = 3, node.conditional.ctx = context;
  expect("node", cuGraphAddNode(&made, graph, nullptr, nullptr, 0, &node), CUDA_SUCCESS);
  for (int i = 0; i < 3; ++i) add_kernel(node.conditional.phGraph_out[i], nullptr, numbers + i, 1), numbers[i] = 0;
  CUgraphNodeParams set{};
  set.type = CU_GRAPH_NODE_TYPE_MEMSET;
  set.memset.dst = reinterpret_cast<CUdeviceptr>(numbers + 1), set.memset.value = 50, set.memset.elementSize = 4, set.memset.width = 1, set.memset.height = 1;
  CUgraphNode before;
  expect("memset", cuGraphAddNode(&before, graph, nullptr, nullptr, 0, &set), CUDA_SUCCESS);
  OK(cudaGraphAddDependencies(graph, &before, &made, nullptr, 1));
  CUgraphNodeParams kernel{};
  int *to = numbers + 3, what = 7;
  void* arguments[] = {&to, &what};
  CUfunction function;
  OK(cudaGetFuncBySymbol(reinterpret_cast<cudaFunction_t*>(&function), reinterpret_cast<const void*>(add)));
  kernel.type = CU_GRAPH_NODE_TYPE_KERNEL;
  kernel.kernel.func = function, kernel.kernel.gridDimX = kernel.kernel.gridDimY = kernel.kernel.gridDimZ = 1;
  kernel.kernel.blockDimX = kernel.kernel.blockDimY = kernel.kernel.blockDimZ = 1, kernel.kernel.kernelParams = arguments;
  numbers[3] = 0;
  expect("kernel", cuGraphAddNode(&before, graph, &made, nullptr, 1, &kernel), CUDA_SUCCESS);
  const cudaGraphExec_t executable = instantiated(graph);
  launch(executable);
  expect("by the driver's kernel", numbers[3], 7);
  expect("first body", numbers[0], 0), expect("second body", numbers[1], 51), expect("third body", numbers[2], 0);
  OK(cudaGraphExecDestroy(executable)), OK(cudaGraphDestroy(graph));
}

int main() {
  int* numbers;
  OK(cudaMallocManaged(&numbers, 64 * sizeof(int)));
  parameters(numbers);
  edges(numbers);
  events_and_symbols(numbers);
  objects();
  captures(numbers);
  by_driver(numbers);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
