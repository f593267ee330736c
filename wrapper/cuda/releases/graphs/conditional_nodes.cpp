// Conditional nodes of graphs (CUDA Runtime API, "Graph Management", cudaConditionalNodeParams). The handle of a condition is the address of its value in the
// device's memory, which cudaGraphSetConditional() of kernels stores (machine/execute/system.cpp). Also nodes of any type, and captures into a graph.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "wrapper/cuda/releases/graphs/driver_copy.h"
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
/// cudaChildGraphNodeParams: before release 12.9 without `ownership`, which is 0 then.
struct ChildGraphNode {
  cudaGraph_t graph;
  int ownership;
};
constexpr int kCloned = 0, kMoved = 1;
/// What CUDA_MEMCPY_NODE_PARAMS have before the copy.
constexpr std::size_t kBytesBeforeCopy = 16;
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

cudaError_t add_copy(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                     std::size_t count, const void* copy, bool by_driver) {
  if (!by_driver)
    return cudaGraphAddMemcpyNode(node, graph, after, count, static_cast<const cudaMemcpy3DParms*>(copy));
  cudaMemcpy3DParms box;
  return as_runtime(*static_cast<const DriverCopy*>(copy), box)
             ? cudaGraphAddMemcpyNode(node, graph, after, count, &box)
             : cudaErrorInvalidValue;
}
cudaError_t add_child(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                      std::size_t count, const ChildGraphNode& how) {
  if (how.ownership == kMoved) return warpscopeMoveChildGraph(node, graph, after, count, how.graph);
  return how.ownership == kCloned ? cudaGraphAddChildGraphNode(node, graph, after, count, how.graph)
                                  : cudaErrorInvalidValue;
}

/// `by_driver`: the driver has kernels and copies in another form.
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
      return add_copy(node, graph, after, count, static_cast<const char*>(what) + kBytesBeforeCopy,
                      by_driver);
    case cudaGraphNodeTypeMemset:
      return cudaGraphAddMemsetNode(node, graph, after, count, static_cast<const cudaMemsetParams*>(what));
    case cudaGraphNodeTypeHost:
      return cudaGraphAddHostNode(node, graph, after, count, static_cast<const cudaHostNodeParams*>(what));
    case cudaGraphNodeTypeGraph:
      return add_child(node, graph, after, count, *static_cast<const ChildGraphNode*>(what));
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

/// With cudaGraphEdgeData for each of `after`, or null.
cudaError_t add_with_edges(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                           const void* edges, std::size_t count, GraphNode* how, bool by_driver) {
  if (edges == nullptr || after == nullptr) return add(node, graph, after, count, how, by_driver);
  if (const cudaError_t status = add(node, graph, nullptr, 0, how, by_driver); status != cudaSuccess)
    return status;
  const std::vector<cudaGraphNode_t> to(count, *node);
  const cudaError_t status = warpscopeChangeEdges(graph, after, to.data(), edges, count, 1);
  if (status != cudaSuccess) cudaGraphDestroyNode(*node);
  return status;
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
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const void* edges, std::size_t count, GraphNode* how) {
  return add_with_edges(node, graph, after, edges, count, how, false);
}
#else
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                const void* edges, std::size_t count, GraphNode* how) {
  return add_with_edges(node, graph, after, edges, count, how, false);
}
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
                           const void* edges, std::size_t count, GraphNode* how) {
  return as_result(add_with_edges(node, graph, after, edges, count, how, true));
}
/// Work that is captured waits for the whole of what is before it.
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
