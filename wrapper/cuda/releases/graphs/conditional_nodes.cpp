// Conditional nodes of graphs (CUDA Runtime API, "Graph Management", cudaConditionalNodeParams). The handle of a condition is the address of its value in the
// device's memory, which cudaGraphSetConditional() of kernels stores (machine/execute/system.cpp). Also nodes of any type, and captures into a graph.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "wrapper/cuda/releases/graphs/driver_nodes.h"

namespace warpscope::cuda::releases {
namespace {

using Condition = unsigned long long;

/// cudaConditionalNodeParams.
struct ConditionalNode {
  Condition handle;
  int type;
  unsigned size;
  cudaGraph_t* graphs;  ///< given back
};
enum ConditionalType : int { If = 0, While = 1, Switch = 2 };

/// cudaGraphNodeParams, as far as it is read.
struct GraphNode {
  int type;
  int reserved[3];
  union {
    ConditionalNode conditional;
    cudaKernelNodeParams* none;
    long long words[29];
  } of;
};
constexpr int kConditional = 13;

/// What a condition is when a launch begins, if it has a default.
struct Conditions {
  std::mutex mutex;
  std::map<Condition, std::pair<bool, unsigned>> all;
};
Conditions& conditions() {
  static auto* const made = new Conditions;  // threads of a program go on while its process ends
  return *made;
}

unsigned& value_of(Condition condition) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): handles are addresses
  return *reinterpret_cast<unsigned*>(static_cast<std::uintptr_t>(condition));
}

/// The graphs of a node, which live as long as any copy of it.
struct Bodies {
  std::vector<cudaGraph_t> graphs;
  Bodies() = default;
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;
  ~Bodies() {
    for (cudaGraph_t graph : graphs) cudaGraphDestroy(graph);
  }
};

void run(const ConditionalNode& node, const Bodies& bodies) {
  const std::size_t count = bodies.graphs.size();
  if (node.type == While)
    while (value_of(node.handle) != 0) warpscopeRunGraph(bodies.graphs[0]);
  else if (node.type == If && value_of(node.handle) != 0)
    warpscopeRunGraph(bodies.graphs[0]);
  else if (node.type == If && count == 2)
    warpscopeRunGraph(bodies.graphs[1]);
  else if (node.type == Switch && value_of(node.handle) < count)
    warpscopeRunGraph(bodies.graphs[value_of(node.handle)]);
}

cudaError_t add_conditional(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                            std::size_t count, ConditionalNode& how) {
  const unsigned most = how.type == While ? 1 : how.type == If ? 2 : UINT32_MAX;
  if (how.type < If || how.type > Switch || how.size == 0 || how.size > most) return cudaErrorInvalidValue;
  std::pair<bool, unsigned> first;
  {
    const std::lock_guard lock(conditions().mutex);
    const auto found = conditions().all.find(how.handle);
    if (found == conditions().all.end()) return cudaErrorInvalidValue;
    first = found->second;
  }
  auto bodies = std::make_shared<Bodies>();
  for (unsigned i = 0; i < how.size; ++i)
    if (const cudaError_t status = cudaGraphCreate(&bodies->graphs.emplace_back(), 0); status != cudaSuccess)
      return status;
  const ConditionalNode made = how;
  const cudaError_t status = warpscopeAddGraphNode(
      node, graph, after, count, kConditional, [made, bodies] { run(made, *bodies); },
      [made, first, bodies] {
        if (first.first) value_of(made.handle) = first.second;
        for (cudaGraph_t body : bodies->graphs) warpscopeStartGraph(body);
      });
  if (status == cudaSuccess) how.graphs = bodies->graphs.data();
  return status;
}

/// cudaMemcpyNodeParams have flags and zeros before the copy. `by_driver`: the driver has copies in another form.
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                GraphNode* how, bool by_driver) {
  if (how == nullptr) return cudaErrorInvalidValue;
  void* const what = &how->of;
  switch (how->type) {
    case cudaGraphNodeTypeKernel:
      if (by_driver) {
        const cudaKernelNodeParams call = call_of(*static_cast<const DriverKernelNode*>(what));
        return cudaGraphAddKernelNode(node, graph, after, count, &call);
      }
      return cudaGraphAddKernelNode(node, graph, after, count,
                                    static_cast<const cudaKernelNodeParams*>(what));
    case cudaGraphNodeTypeMemcpy:
      if (by_driver) break;
      return cudaGraphAddMemcpyNode(
          node, graph, after, count,
          reinterpret_cast<const cudaMemcpy3DParms*>(static_cast<const char*>(what) + 4 * sizeof(int)));
    case cudaGraphNodeTypeMemset:
      return cudaGraphAddMemsetNode(node, graph, after, count, static_cast<const cudaMemsetParams*>(what));
    case cudaGraphNodeTypeHost:
      return cudaGraphAddHostNode(node, graph, after, count, static_cast<const cudaHostNodeParams*>(what));
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, after, count, *static_cast<const cudaGraph_t*>(what));
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, after, count, *static_cast<const cudaEvent_t*>(what));
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, after, count, *static_cast<const cudaEvent_t*>(what));
    case cudaGraphNodeTypeMemAlloc:
      return cudaGraphAddMemAllocNode(node, graph, after, count, static_cast<cudaMemAllocNodeParams*>(what));
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, after, count, *static_cast<void* const*>(what));
    case kConditional:
      return add_conditional(node, graph, after, count, how->of.conditional);
    default:
      break;
  }
  return warpscopeNotSupported(by_driver ? "cuGraphAddNode of a node of this type"
                                         : "cudaGraphAddNode of a node of this type");
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {

/// Its memory is never given back: graphs, and what was instantiated of them, may have it.
cudaError_t cudaGraphConditionalHandleCreate(Condition* condition, cudaGraph_t graph, unsigned value,
                                             unsigned flags) {
  constexpr unsigned kAssignsDefault = 1;
  std::size_t count = 0;
  if (condition == nullptr || flags > kAssignsDefault ||
      cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess)
    return cudaErrorInvalidValue;
  void* memory = nullptr;
  if (const cudaError_t status = cudaMalloc(&memory, sizeof(unsigned)); status != cudaSuccess) return status;
  *condition = reinterpret_cast<std::uintptr_t>(memory);
  value_of(*condition) = value;
  const std::lock_guard lock(conditions().mutex);
  conditions().all[*condition] = {flags == kAssignsDefault, value};
  return cudaSuccess;
}

#if WARPSCOPE_RELEASE >= 13
/// `edges`: as of cuGraphAddDependencies_v2.
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const void* /*edges*/, std::size_t count, GraphNode* how) {
  return add(node, graph, after, count, how, false);
}
#else
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             std::size_t count, GraphNode* how) {
  return add(node, graph, after, count, how, false);
}
#endif
CUresult cuGraphConditionalHandleCreate(Condition* condition, cudaGraph_t graph, CUcontext /*context*/,
                                        unsigned value, unsigned flags) {
  return as_result(cudaGraphConditionalHandleCreate(condition, graph, value, flags));
}
CUresult cuGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                        std::size_t count, GraphNode* how) {
  return as_result(add(node, graph, after, count, how, true));
}
CUresult cuGraphAddNode_v2(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                           const void* /*edges*/, std::size_t count, GraphNode* how) {
  return as_result(add(node, graph, after, count, how, true));
}
/// `edges`: as of cuGraphAddDependencies_v2.
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, const void* /*edges*/,
                                          std::size_t count, int mode) {
  return warpscopeBeginCaptureToGraph(stream, graph, after, count, mode);
}
WARPSCOPE_SAME(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);
CUresult cuStreamBeginCaptureToGraph(CUstream stream, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     const void* /*edges*/, std::size_t count, int mode) {
  return as_result(warpscopeBeginCaptureToGraph(stream, graph, after, count, mode));
}
WARPSCOPE_SAME(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph);
}
// NOLINTEND(readability-identifier-naming)
