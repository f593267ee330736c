// Conditional nodes of graphs (CUDA Runtime API, "Graph Management", cudaConditionalNodeParams). The handle of a condition is the address of its value in the
// device's memory, which cudaGraphSetConditional() of kernels stores (machine/execute/system.cpp).
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "wrapper/cuda/releases/core.h"

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

cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                GraphNode* how) {
  if (how == nullptr) return cudaErrorInvalidValue;
  const void* const what = &how->of;
  switch (how->type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphAddKernelNode(node, graph, after, count,
                                    static_cast<const cudaKernelNodeParams*>(what));
    case cudaGraphNodeTypeMemset:
      return cudaGraphAddMemsetNode(node, graph, after, count, static_cast<const cudaMemsetParams*>(what));
    case cudaGraphNodeTypeHost:
      return cudaGraphAddHostNode(node, graph, after, count, static_cast<const cudaHostNodeParams*>(what));
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, after, count, *static_cast<const cudaGraph_t*>(what));
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, after, count);
    case kConditional:
      return add_conditional(node, graph, after, count, how->of.conditional);
    default:
      return warpscopeNotSupported("cudaGraphAddNode of a node of this type");
  }
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
  return add(node, graph, after, count, how);
}
#else
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             std::size_t count, GraphNode* how) {
  return add(node, graph, after, count, how);
}
#endif
}
// NOLINTEND(readability-identifier-naming)
