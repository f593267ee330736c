// Graphs drawn at random, of kernels, fills, copies, host functions, events and child graphs, whose nodes are added in any order: what they leave in
// memory is what the same operations leave one after the other on the host. Then instances are changed, parts of them disabled, and graphs updated,
// cloned and reduced. Operations that touch the same memory are ordered by an edge, and by nothing else.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#if CUDART_VERSION < 13000
#define OF_EDGES
#else
#define OF_EDGES nullptr,  // what an edge carries
#endif

constexpr int kInts = 32, kBuffers = 5, kRows = 3;
static int wrong = 0;
static void expect(const char* what, long got, long wanted) {
  if (got == wanted) return;
  if (++wrong < 20) std::printf("%s: %ld, expected %ld\n", what, got, wanted);
}

static unsigned long long state;
static unsigned draw(unsigned below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<unsigned>(state >> 33) % below;
}

/// What there is: buffers of the device, and rows of the host's memory. Sources are only read.
struct Memory {
  unsigned device[kBuffers][kInts], rows[kRows][kInts];
};
static unsigned* buffers;
static unsigned rows[kRows][kInts], sources[2][kInts];
static Memory reference;

__global__ void mix(unsigned* to, const unsigned* from, unsigned more) {
  to[threadIdx.x] = to[threadIdx.x] * 3 + from[threadIdx.x] + more;
}
struct RowCall {
  unsigned* row;
  unsigned more;
};
static void mix_row(void* call) {
  const RowCall& of = *static_cast<RowCall*>(call);
  for (int i = 0; i < kInts; ++i) of.row[i] = of.row[i] * 5 + of.more;
}

enum Kind { kKernel, kFill, kCopy, kIn, kOut, kHost, kRecord, kEmpty, kChild, kKinds };
struct Op {
  Kind kind;
  int to = 0, from = 0;  // buffers; of kIn a source, of kOut and kHost a row
  unsigned value = 0, first = 0, count = kInts, bytes = 4;
  cudaEvent_t event = nullptr;
  std::vector<Op> children = {};
  RowCall* call = nullptr;  // a graph keeps its address
  bool is_enabled = true;
};
static unsigned* buffer(int which) { return buffers + which * kInts; }

/// What an operation reads and writes: bits of buffers, then of rows.
struct Touched {
  unsigned reads = 0, writes = 0;
};
static Touched touched(const Op& op) {
  const unsigned to = 1U << op.to, from = 1U << op.from, row = 1U << (kBuffers + op.to);
  Touched of;
  switch (op.kind) {
    case kKernel:
    case kCopy: return {to | from, to};
    case kFill:
    case kIn: return {0, to};
    case kOut: return {from, row};
    case kHost: return {row, row};
    case kChild:
      for (const Op& child : op.children) of.reads |= touched(child).reads, of.writes |= touched(child).writes;
      return of;
    default: return of;
  }
}

static void apply(const Op& op) {
  if (!op.is_enabled) return;
  unsigned *to = reference.device[op.to], *row = reference.rows[op.to % kRows];
  const unsigned* from = reference.device[op.from];
  switch (op.kind) {
    case kKernel:
      for (int i = 0; i < kInts; ++i) to[i] = to[i] * 3 + from[i] + op.value;
      break;
    case kFill:
      for (unsigned i = 0; i < op.count; ++i) std::memcpy(reinterpret_cast<char*>(to + op.first) + i * op.bytes, &op.value, op.bytes);
      break;
    case kCopy: std::memmove(to + op.first, from + op.first, op.count * 4); break;
    case kIn: std::memcpy(to + op.first, sources[op.from] + op.first, op.count * 4); break;
    case kOut: std::memcpy(row + op.first, from + op.first, op.count * 4); break;
    case kHost:
      for (int i = 0; i < kInts; ++i) row[i] = row[i] * 5 + op.value;
      break;
    case kChild:
      for (const Op& child : op.children) apply(child);
      break;
    default: break;
  }
}

static Op drawn(bool is_child) {
  Op op;
  op.kind = static_cast<Kind>(draw(is_child ? kRecord : kKinds));
  op.to = static_cast<int>(draw(op.kind == kOut || op.kind == kHost ? kRows : kBuffers)), op.from = static_cast<int>(draw(op.kind == kIn ? 2 : kBuffers));
  if (op.kind == kKernel || op.kind == kCopy) op.from = (op.to + 1 + static_cast<int>(draw(kBuffers - 1))) % kBuffers;
  op.value = draw(1 << 30), op.first = draw(kInts / 2), op.count = 1 + draw(kInts / 2);
  if (op.kind == kFill) op.bytes = 1U << draw(3), op.value &= op.bytes == 4 ? ~0U : (1U << 8 * op.bytes) - 1;
  if (op.kind == kRecord) cudaEventCreate(&op.event);
  if (op.kind == kHost) op.call = new RowCall{rows[op.to], op.value};
  for (unsigned left = op.kind == kChild ? 1 + draw(4) : 0; left > 0; --left) op.children.push_back(drawn(true));
  return op;
}

/// The parameters that CUDA has for an operation.
struct Described {
  unsigned *to, *from;
  void* arguments[3];
  cudaKernelNodeParams call = {};
  cudaMemsetParams fill = {};
  cudaHostNodeParams work = {};
  const void* source = nullptr;
  void* target = nullptr;
  cudaMemcpyKind direction = cudaMemcpyDeviceToDevice;
  Op op;
  explicit Described(const Op& of) : to(buffer(of.to)), from(buffer(of.from)), op(of) {
    arguments[0] = &to, arguments[1] = &from, arguments[2] = &op.value;
    call.func = reinterpret_cast<void*>(mix), call.gridDim = dim3(1), call.blockDim = dim3(kInts), call.kernelParams = arguments;
    fill.dst = to + op.first, fill.elementSize = op.bytes, fill.value = op.value, fill.width = op.count, fill.height = 1;
    if (op.call != nullptr) work.fn = mix_row, work.userData = op.call;
    target = to + op.first, source = from + op.first;
    if (op.kind == kIn) source = sources[op.from % 2] + op.first, direction = cudaMemcpyHostToDevice;
    if (op.kind == kOut) target = rows[op.to % kRows] + op.first, direction = cudaMemcpyDeviceToHost;
  }
};

static cudaGraph_t graph_of(const std::vector<Op>& ops, std::vector<cudaGraphNode_t>& nodes);
static cudaGraphNode_t add(cudaGraph_t graph, const Op& op) {
  Described how(op);
  cudaGraphNode_t node = nullptr;
  cudaError_t status = cudaSuccess;
  if (op.kind == kKernel) status = cudaGraphAddKernelNode(&node, graph, nullptr, 0, &how.call);
  if (op.kind == kFill) status = cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &how.fill);
  if (op.kind == kCopy || op.kind == kIn || op.kind == kOut) status = cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, how.target, how.source, op.count * 4, how.direction);
  if (op.kind == kHost) status = cudaGraphAddHostNode(&node, graph, nullptr, 0, &how.work);
  if (op.kind == kRecord) status = cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, op.event);
  if (op.kind == kEmpty) status = cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
  if (op.kind == kChild) {
    std::vector<cudaGraphNode_t> within;
    cudaGraph_t child = graph_of(op.children, within);
    status = cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child), cudaGraphDestroy(child);
  }
  expect("add", status, cudaSuccess);
  return node;
}
/// Nodes in any order; an edge for every two operations that may not change places, and some more.
static cudaGraph_t graph_of(const std::vector<Op>& ops, std::vector<cudaGraphNode_t>& nodes) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  std::vector<size_t> order(ops.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draw(static_cast<unsigned>(i))]);
  nodes.assign(ops.size(), nullptr);
  for (size_t which : order) nodes[which] = add(graph, ops[which]);
  for (size_t later = 0; later < ops.size(); ++later)
    for (size_t first = 0; first < later; ++first) {
      const Touched a = touched(ops[first]), b = touched(ops[later]);
      const bool meet = (a.writes & (b.reads | b.writes)) != 0 || (b.writes & a.reads) != 0;
      if (meet || draw(8) == 0) expect("edge", cudaGraphAddDependencies(graph, &nodes[first], &nodes[later], OF_EDGES 1), cudaSuccess);
    }
  return graph;
}

static void begin() {
  for (int i = 0; i < kBuffers * kInts; ++i) reference.device[0][i] = draw(1 << 30);
  for (int i = 0; i < kRows * kInts; ++i) rows[0][i] = reference.rows[0][i] = draw(1 << 30);
  cudaMemcpy(buffers, reference.device, sizeof reference.device, cudaMemcpyHostToDevice);
}
static void launch(const char* what, cudaGraphExec_t run, const std::vector<Op>& ops, unsigned seed) {
  const int before = wrong;
  expect(what, cudaGraphLaunch(run, nullptr), cudaSuccess), expect(what, cudaDeviceSynchronize(), cudaSuccess);
  for (const Op& op : ops) apply(op);
  Memory found;
  cudaMemcpy(found.device, buffers, sizeof found.device, cudaMemcpyDeviceToHost), std::memcpy(found.rows, rows, sizeof found.rows);
  expect(what, std::memcmp(&found, &reference, sizeof found), 0);
  if (wrong != before) std::printf("  in graph %u\n", seed);
}

/// Another value, source, range of the same memory, or event.
static void change(Op& op) {
  op.value = op.kind == kFill && op.bytes < 4 ? draw(1U << 8 * op.bytes) : draw(1 << 30), op.first = draw(kInts / 2), op.count = 1 + draw(kInts / 2);
  if (op.kind == kIn) op.from = static_cast<int>(draw(2));
  if (op.kind == kHost) op.call = new RowCall{rows[op.to], op.value};
  if (op.kind == kRecord) cudaEventCreate(&op.event);
  for (Op& child : op.children) change(child);
}
static void set_in_instance(cudaGraphExec_t run, cudaGraphNode_t node, const Op& op, const std::vector<Op>& drawn_children, unsigned long long order) {
  Described how(op);
  cudaError_t status = cudaSuccess;
  if (op.kind == kKernel) status = cudaGraphExecKernelNodeSetParams(run, node, &how.call);
  if (op.kind == kFill) status = cudaGraphExecMemsetNodeSetParams(run, node, &how.fill);
  if (op.kind == kCopy || op.kind == kIn || op.kind == kOut) status = cudaGraphExecMemcpyNodeSetParams1D(run, node, how.target, how.source, op.count * 4, how.direction);
  if (op.kind == kHost) status = cudaGraphExecHostNodeSetParams(run, node, &how.work);
  if (op.kind == kRecord) status = cudaGraphExecEventRecordNodeSetEvent(run, node, op.event);
  if (op.kind == kChild) {
    // The same drawn order of nodes and edges, so that it is the same graph.
    const unsigned long long after = state;
    std::vector<cudaGraphNode_t> within;
    state = order;
    cudaGraph_t child = graph_of(drawn_children, within);
    status = cudaGraphExecChildGraphNodeSetParams(run, node, child), cudaGraphDestroy(child);
    state = after;
  }
  expect("change the instance", status, cudaSuccess);
}
static void set_in_graph(cudaGraphNode_t node, const Op& op) {
  Described how(op);
  cudaError_t status = cudaSuccess;
  if (op.kind == kKernel) status = cudaGraphKernelNodeSetParams(node, &how.call);
  if (op.kind == kFill) status = cudaGraphMemsetNodeSetParams(node, &how.fill);
  if (op.kind == kCopy || op.kind == kIn || op.kind == kOut) status = cudaGraphMemcpyNodeSetParams1D(node, how.target, how.source, op.count * 4, how.direction);
  if (op.kind == kHost) status = cudaGraphHostNodeSetParams(node, &how.work);
  if (op.kind == kRecord) status = cudaGraphEventRecordNodeSetEvent(node, op.event);
  expect("change the graph", status, cudaSuccess);
}
static bool can_be_disabled(const Op& op) {
  return op.kind == kKernel || op.kind == kFill || op.kind == kCopy || op.kind == kIn || op.kind == kOut;
}
static void recorded(const char* what, const std::vector<Op>& ops) {
  float time = 0;
  for (const Op& op : ops)
    if (op.kind == kRecord) expect(what, cudaEventElapsedTime(&time, op.event, op.event), cudaSuccess);
}

static void test(unsigned seed) {
  state = seed * 7919ULL + 1;
  begin();
  std::vector<Op> ops;
  for (unsigned left = 3 + draw(14); left > 0; --left) ops.push_back(drawn(false));
  std::vector<cudaGraphNode_t> nodes;
  cudaGraph_t graph = graph_of(ops, nodes);
  cudaGraphExec_t run;
  expect("instantiate", cudaGraphInstantiate(&run, graph, 0), cudaSuccess);
  launch("as drawn", run, ops, seed), launch("once more", run, ops, seed), recorded("an event", ops);

  // The instance, not the graph.
  std::vector<Op> changed = ops;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (draw(2) == 0 || changed[i].kind == kChild) continue;
    change(changed[i]);
    set_in_instance(run, nodes[i], changed[i], {}, 0);
  }
  launch("changed", run, changed, seed), recorded("another event", changed);
  for (size_t i = 0; i < ops.size(); ++i)
    if (can_be_disabled(changed[i]) && draw(3) == 0) changed[i].is_enabled = false, expect("disable", cudaGraphNodeSetEnabled(run, nodes[i], 0), cudaSuccess);
  launch("in part", run, changed, seed);
  for (size_t i = 0; i < ops.size(); ++i)
    if (can_be_disabled(changed[i])) {
      unsigned is_enabled = 2;
      expect("ask", cudaGraphNodeGetEnabled(run, nodes[i], &is_enabled), cudaSuccess), expect("enabled", is_enabled, changed[i].is_enabled);
      changed[i].is_enabled = true, expect("enable", cudaGraphNodeSetEnabled(run, nodes[i], 1), cudaSuccess);
    }
  launch("whole again", run, changed, seed);

  // The graph, then the instance by it; its clone has one node less.
  cudaGraphExec_t old, less;
  expect("instantiate", cudaGraphInstantiate(&old, graph, 0), cudaSuccess);
  std::vector<Op> next = ops;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (draw(2) == 0 || next[i].kind == kChild) continue;
    change(next[i]);
    set_in_graph(nodes[i], next[i]);
  }
  launch("as it was", old, ops, seed), launch("as it was changed", run, changed, seed);
#if CUDART_VERSION < 12000
  cudaGraphExecUpdateResult result;
  expect("update", cudaGraphExecUpdate(run, graph, nullptr, &result), cudaSuccess);
#else
  cudaGraphExecUpdateResultInfo information;
  expect("update", cudaGraphExecUpdate(run, graph, &information), cudaSuccess);
#endif
  launch("updated", run, next, seed), recorded("the next event", next);
  cudaGraph_t clone;
  cudaGraphNode_t found = nullptr;
  const size_t gone = draw(static_cast<unsigned>(ops.size()));
  expect("clone", cudaGraphClone(&clone, graph), cudaSuccess), expect("find", cudaGraphNodeFindInClone(&found, nodes[gone], clone), cudaSuccess);
  expect("instantiate", cudaGraphInstantiate(&less, clone, 0), cudaSuccess), launch("the clone", less, next, seed), cudaGraphExecDestroy(less);
  expect("remove", cudaGraphDestroyNode(found), cudaSuccess), cudaGraphDestroy(graph), next.erase(next.begin() + static_cast<std::ptrdiff_t>(gone));
  expect("instantiate", cudaGraphInstantiate(&less, clone, 0), cudaSuccess), launch("with one less", less, next, seed);
  cudaGraphDestroy(clone), cudaGraphExecDestroy(run), cudaGraphExecDestroy(old), cudaGraphExecDestroy(less);
}

/// Child graphs of an instance get another graph's parameters.
static void test_child(unsigned seed) {
  state = seed * 104729ULL + 3;
  begin();
  Op child;
  child.kind = kChild;
  for (unsigned left = 2 + draw(6); left > 0; --left) child.children.push_back(drawn(true));
  const unsigned long long order = state;
  std::vector<cudaGraphNode_t> nodes;
  cudaGraph_t outer, inner = graph_of(child.children, nodes);
  cudaGraphNode_t node;
  cudaGraphExec_t run;
  cudaGraphCreate(&outer, 0), expect("child", cudaGraphAddChildGraphNode(&node, outer, nullptr, 0, inner), cudaSuccess), cudaGraphDestroy(inner);
  expect("instantiate", cudaGraphInstantiate(&run, outer, 0), cudaSuccess), launch("a child", run, {child}, seed);
  Op changed = child;
  for (Op& op : changed.children) change(op);
  set_in_instance(run, node, changed, changed.children, order), launch("a changed child", run, {changed}, seed);
  cudaGraphDestroy(outer), cudaGraphExecDestroy(run);
}

/// The operations as two streams are given them; what touches the same memory is ordered by an event.
static cudaGraph_t captured(const std::vector<Op>& ops) {
  cudaStream_t streams[2];
  cudaStreamCreate(&streams[0]), cudaStreamCreate(&streams[1]);
  std::vector<cudaEvent_t> done(ops.size() + 1);
  std::vector<unsigned> on(ops.size());
  for (cudaEvent_t& event : done) cudaEventCreate(&event);
  cudaGraph_t graph = nullptr;
  expect("begin", cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaEventRecord(done.back(), streams[0]), cudaStreamWaitEvent(streams[1], done.back(), 0);
  for (size_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    const Described how(op);
    const cudaStream_t stream = streams[on[i] = draw(2)];
    const Touched own = touched(op);
    for (size_t first = 0; first < i; ++first) {
      const Touched other = touched(ops[first]);
      if (on[first] != on[i] && ((other.writes & (own.reads | own.writes)) != 0 || (own.writes & other.reads) != 0)) cudaStreamWaitEvent(stream, done[first], 0);
    }
    if (op.kind == kKernel) mix<<<1, kInts, 0, stream>>>(how.to, how.from, op.value);
    if (op.kind == kFill) cudaMemsetAsync(how.target, static_cast<int>(op.value), op.count, stream);
    if (op.kind == kCopy || op.kind == kIn || op.kind == kOut) cudaMemcpyAsync(how.target, how.source, op.count * 4, how.direction, stream);
    if (op.kind == kHost) cudaLaunchHostFunc(stream, mix_row, op.call);
    cudaEventRecord(done[i], stream);
  }
  cudaEventRecord(done.back(), streams[1]), cudaStreamWaitEvent(streams[0], done.back(), 0);
  expect("end", cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
  for (cudaEvent_t event : done) cudaEventDestroy(event);
  cudaStreamDestroy(streams[0]), cudaStreamDestroy(streams[1]);
  return graph;
}
/// An instance is updated by what was captured once more, with other values; and its nodes have the parameters that the streams were given.
static void test_capture(unsigned seed) {
  state = seed * 15485863ULL + 5;
  begin();
  std::vector<Op> ops;
  for (unsigned left = 2 + draw(10); left > 0; --left) {
    ops.push_back(drawn(true));
    if (ops.back().kind == kFill) ops.back().bytes = 1, ops.back().value &= 255;
  }
  std::vector<Op> next = ops;
  for (Op& op : next) change(op);
  const unsigned long long order = state;
  cudaGraph_t graph = captured(ops);
  state = order;
  cudaGraph_t again = captured(next);
  cudaGraphExec_t run;
  expect("instantiate", cudaGraphInstantiate(&run, graph, 0), cudaSuccess), launch("captured", run, ops, seed);
#if CUDART_VERSION < 12000
  cudaGraphExecUpdateResult result;
  expect("update", cudaGraphExecUpdate(run, again, nullptr, &result), cudaSuccess);
#else
  cudaGraphExecUpdateResultInfo information;
  expect("update", cudaGraphExecUpdate(run, again, &information), cudaSuccess);
#endif
  launch("captured again", run, next, seed);
  std::vector<cudaGraphNode_t> nodes(ops.size());
  size_t count = nodes.size();
  expect("nodes", cudaGraphGetNodes(graph, nodes.data(), &count), cudaSuccess), expect("one for each", static_cast<long>(count), static_cast<long>(ops.size()));
  for (size_t i = 0; i < ops.size(); ++i) set_in_instance(run, nodes[i], ops[i], {}, 0);
  launch("as at first", run, ops, seed);
  cudaGraphDestroy(graph), cudaGraphDestroy(again), cudaGraphExecDestroy(run);
}

int main(int count, char** words) {
  const unsigned graphs = count > 1 ? static_cast<unsigned>(std::atoi(words[1])) : 40;
  cudaMalloc(&buffers, sizeof reference.device);
  for (int i = 0; i < 2 * kInts; ++i) sources[0][i] = 0x9e3779b9U * static_cast<unsigned>(i + 1);
  for (unsigned seed = 0; seed < graphs; ++seed) test(seed), test_child(seed), test_capture(seed);
  expect("no error", cudaGetLastError(), cudaSuccess);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
