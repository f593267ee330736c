// Graphs: captured from streams that fork and join, built by hand, changed, and what CUDA refuses.
#include <cstdio>
#include <numeric>
#include <vector>

#if CUDART_VERSION < 13000
#define OF_EDGES
#else
#define OF_EDGES nullptr,  // what an edge carries
#endif

__global__ void add(int* to, const int* from, int n, int times) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i] * times;
}
__global__ void scale(int* values, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= by;
}

constexpr int kCount = 1000, kBlocks = (kCount + 127) / 128;
int host_calls = 0, failures = 0;
int *a, *b, *c;
cudaStream_t first, second;
cudaEvent_t forked, joined;

void expect(const char* what, cudaError_t got, cudaError_t wanted = cudaSuccess) {
  if (got == wanted) return;
  std::printf("%s: %s instead of %s\n", what, cudaGetErrorName(got), cudaGetErrorName(wanted));
  ++failures;
}
void expect_value(const char* what, int got, int wanted) {
  if (got == wanted) return;
  std::printf("%s: %d instead of %d\n", what, got, wanted);
  ++failures;
}
void count_call(void* count) {
  ++*static_cast<int*>(count);
}

int value_of(const int* device) {
  int value = 0;
  cudaMemcpy(&value, device + 7, sizeof(value), cudaMemcpyDeviceToHost);
  return value;
}
void fill(int* device, int value) {
  const std::vector<int> values(kCount, value);
  cudaMemcpy(device, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
}

// b = 0; then c += 2 b on one stream while a *= 3 on another; both come together in c += a.
cudaGraph_t captured() {
  cudaGraph_t graph = nullptr;
  expect("begin", cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  expect("memset", cudaMemsetAsync(b, 0, kCount * sizeof(int), first));
  expect("fork", cudaEventRecord(forked, first));
  expect("fork", cudaStreamWaitEvent(second, forked, 0));
  scale<<<kBlocks, 128, 0, second>>>(a, kCount, 3);
  add<<<kBlocks, 128, 0, first>>>(c, b, kCount, 2);
  expect("join", cudaEventRecord(joined, second));
  expect("join", cudaStreamWaitEvent(first, joined, 0));
  add<<<kBlocks, 128, 0, first>>>(c, a, kCount, 1);
  expect("host", cudaLaunchHostFunc(first, count_call, &host_calls));
  cudaStreamCaptureStatus status;
  expect("status", cudaStreamIsCapturing(second, &status));
  expect_value("the second stream is captured", status, cudaStreamCaptureStatusActive);
  expect("end", cudaStreamEndCapture(first, &graph));
  return graph;
}

void test_capture() {
  fill(a, 1), fill(b, 5), fill(c, 0);
  cudaGraph_t graph = captured();
  expect_value("nothing has run", value_of(a) * 100 + value_of(b) * 10 + value_of(c), 150);
  size_t nodes = 0, roots = 0;
  expect("nodes", cudaGraphGetNodes(graph, nullptr, &nodes));
  expect("roots", cudaGraphGetRootNodes(graph, nullptr, &roots));
  expect_value("nodes", static_cast<int>(nodes * 10 + roots), 51);
  cudaGraphExec_t run;
  expect("instantiate", cudaGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  expect("destroy", cudaGraphDestroy(graph));
  for (int i = 0; i < 3; ++i) expect("launch", cudaGraphLaunch(run, first));
  expect("wait", cudaStreamSynchronize(first));
  expect_value("a", value_of(a), 27);
  expect_value("c", value_of(c), 3 + 9 + 27);
  expect_value("host calls", host_calls, 3);
  expect("destroy", cudaGraphExecDestroy(run));
  expect("destroy again", cudaGraphExecDestroy(run), cudaErrorInvalidValue);
}

cudaKernelNodeParams scaling(void** arguments) {
  cudaKernelNodeParams call = {};
  call.func = reinterpret_cast<void*>(scale);
  call.gridDim = dim3(kBlocks);
  call.blockDim = dim3(128);
  call.kernelParams = arguments;
  return call;
}

// a: 2, then * by, then copied to b; the edge that orders the last two is added late.
void test_by_hand() {
  int n = kCount, by = 5;
  void* arguments[] = {&a, &n, &by};
  cudaGraph_t graph;
  cudaGraphNode_t set, times, copy, nothing;
  expect("create", cudaGraphCreate(&graph, 0));
  cudaMemsetParams two = {a, 0, 2, 4, static_cast<size_t>(kCount), 1};
  expect("set", cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &two));
  expect("copy", cudaGraphAddMemcpyNode1D(&copy, graph, &set, 1, b, a, kCount * sizeof(int),
                                          cudaMemcpyDeviceToDevice));
  cudaKernelNodeParams call = scaling(arguments);
  expect("kernel", cudaGraphAddKernelNode(&times, graph, &set, 1, &call));
  expect("edge", cudaGraphAddDependencies(graph, &times, &copy, OF_EDGES 1));
  expect("empty", cudaGraphAddEmptyNode(&nothing, graph, &copy, 1));
  cudaGraphExec_t run;
  expect("instantiate", cudaGraphInstantiate(&run, graph));
  by = 100;  // the graph has its own copy
  expect("launch", cudaGraphLaunch(run, nullptr));
  expect_value("b", value_of(b), 10);
  by = 7;
  expect("change", cudaGraphExecKernelNodeSetParams(run, times, &call));
  expect("launch", cudaGraphLaunch(run, second));
  expect_value("b with 7", value_of(b), 14);
  by = 9;
  expect("change the graph", cudaGraphKernelNodeSetParams(times, &call));
  cudaGraphExecUpdateResult result;
  expect("update", cudaGraphExecUpdate(run, graph, nullptr, &result));
  expect("launch", cudaGraphLaunch(run, second));
  expect_value("b with 9", value_of(b), 18);

  cudaGraph_t twice;
  cudaGraphNode_t one, two_of;
  expect("create", cudaGraphCreate(&twice, 0));
  expect("child", cudaGraphAddChildGraphNode(&one, twice, nullptr, 0, graph));
  expect("kernel", cudaGraphAddKernelNode(&two_of, twice, &one, 1, &call));
  expect("other nodes", cudaGraphExecUpdate(run, twice, nullptr, &result), cudaErrorGraphExecUpdateFailure);
  expect_value("other nodes", result, cudaGraphExecUpdateErrorTopologyChanged);
  cudaGraphExec_t both;
  expect("instantiate", cudaGraphInstantiate(&both, twice, 0));
  expect("launch", cudaGraphLaunch(both, nullptr));
  expect_value("a", value_of(a), 2 * 9 * 9);

  expect("ring", cudaGraphAddDependencies(graph, &copy, &times, OF_EDGES 1));
  expect("ring", cudaGraphInstantiate(&both, graph), cudaErrorInvalidValue);
  expect("node of another graph", cudaGraphAddEmptyNode(&nothing, twice, &copy, 1), cudaErrorInvalidValue);
  expect("destroy", cudaGraphDestroy(graph));
  expect("destroyed", cudaGraphLaunch(nullptr, nullptr), cudaErrorInvalidValue);
}

void test_memory() {
  cudaGraph_t graph;
  cudaGraphNode_t room, times, over;
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.bytesize = kCount * sizeof(int);
  expect("create", cudaGraphCreate(&graph, 0));
  expect("allocate", cudaGraphAddMemAllocNode(&room, graph, nullptr, 0, &memory));
  int n = kCount, by = 3;
  void* arguments[] = {&memory.dptr, &n, &by};
  const cudaMemsetParams five = {memory.dptr, 0, 5, 4, static_cast<size_t>(kCount), 1};
  cudaGraphNode_t set;
  expect("set", cudaGraphAddMemsetNode(&set, graph, &room, 1, &five));
  cudaKernelNodeParams call = scaling(arguments);
  expect("kernel", cudaGraphAddKernelNode(&times, graph, &set, 1, &call));
  cudaGraphNode_t copy;
  expect("copy", cudaGraphAddMemcpyNode1D(&copy, graph, &times, 1, a, memory.dptr, kCount * sizeof(int),
                                          cudaMemcpyDeviceToDevice));
  expect("free", cudaGraphAddMemFreeNode(&over, graph, &copy, 1, memory.dptr));
  expect("free nothing", cudaGraphAddMemFreeNode(&over, graph, &times, 1, nullptr), cudaErrorInvalidValue);
  memory.bytesize = 0;
  expect("allocate nothing", cudaGraphAddMemAllocNode(&room, graph, nullptr, 0, &memory), cudaErrorInvalidValue);
  unsigned long long used = 0;
  expect("used", cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  expect_value("used", used >= kCount * sizeof(int), 1);
  expect("highest", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
  expect("trim", cudaDeviceGraphMemTrim(0));
  cudaGraphExec_t run;
  expect("instantiate", cudaGraphInstantiate(&run, graph));
  expect("launch", cudaGraphLaunch(run, nullptr));
  expect_value("its memory", value_of(a), 15);
  expect("destroy", cudaGraphExecDestroy(run));
  expect("destroy", cudaGraphDestroy(graph));
}

void test_refused() {
  cudaGraph_t graph;
  expect("end without begin", cudaStreamEndCapture(first, &graph), cudaErrorIllegalState);
  expect("legacy stream", cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
         cudaErrorStreamCaptureUnsupported);
  expect("begin", cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
  expect("begin twice", cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed), cudaErrorIllegalState);
  expect("wait", cudaStreamSynchronize(first), cudaErrorStreamCaptureUnsupported);
  expect("end", cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureInvalidated);
  expect_value("no graph", graph != nullptr, 0);

  expect("begin", cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
  cudaEventRecord(forked, first);
  cudaStreamWaitEvent(second, forked, 0);
  scale<<<1, 32, 0, second>>>(a, 32, 2);
  expect("end on the other", cudaStreamEndCapture(second, &graph), cudaErrorStreamCaptureUnmatched);
  expect("not joined", cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureUnjoined);
  expect("free again", cudaStreamSynchronize(second));
}

int main() {
  cudaMalloc(&a, kCount * sizeof(int)), cudaMalloc(&b, kCount * sizeof(int)),
      cudaMalloc(&c, kCount * sizeof(int));
  cudaStreamCreate(&first), cudaStreamCreate(&second);
  cudaEventCreate(&forked), cudaEventCreate(&joined);
  test_capture();
  test_by_hand();
  test_memory();
  test_refused();
  std::printf("%s\n", failures == 0 ? "ok" : "failed");
}
