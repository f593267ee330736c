// Nodes of graphs: adding them, and what they do (CUDA Runtime API, "Graph Management").
#include <tuple>

#include "wrapper/cuda/api/driver.h"
#include "wrapper/cuda/api/graphs.h"
#include "wrapper/cuda/library_calls.h"

namespace warpscope::cuda {
namespace {

dim3 size_of(const Dim3& size) {
  return {static_cast<unsigned>(size.x), static_cast<unsigned>(size.y), static_cast<unsigned>(size.z)};
}

const cudaMemcpy3DParms& checked_copy(const cudaMemcpy3DParms* copy) {
  require(given(copy).kind >= cudaMemcpyHostToHost && copy->kind <= cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection);
  return *copy;
}

void* part_of_symbol(const void* symbol, std::size_t bytes, std::size_t offset) {
  void* address = nullptr;
  std::size_t size = 0;
  require_success(cudaGetSymbolAddress(&address, symbol));
  require_success(cudaGetSymbolSize(&size, symbol));
  require(offset <= size && bytes <= size - offset);
  return static_cast<char*>(address) + offset;
}

/// A node that its parameters describe.
CUgraphNode_st node_of(cudaGraphNodeType type, const Parameters& parameters) {
  CUgraphNode_st node;
  node.type = type;
  node.parameters = parameters;
  return node;
}

KernelCall& kernel_of(CUgraphNode_st& node) {
  require(node.kernel.has_value());
  return *node.kernel;
}

}  // namespace

KernelCall kernel_call(const cudaKernelNodeParams& node) {
  require(node.extra == nullptr || node.kernelParams == nullptr);
  std::vector<void*> in_buffer;
  if (node.extra != nullptr) in_buffer = arguments_in(node.func, node.extra);
  const dim3 grid = node.gridDim, block = node.blockDim;
  return KernelCall({node.func,
                     {grid.x, grid.y, grid.z},
                     {block.x, block.y, block.z},
                     in_buffer.empty() ? node.kernelParams : in_buffer.data(),
                     node.sharedMemBytes});
}
cudaMemsetParams checked_fill(const cudaMemsetParams* set) {
  const unsigned bytes = given(set).elementSize;
  require(bytes == 1 || bytes == 2 || bytes == 4);
  return *set;
}
cudaHostNodeParams checked_call(const cudaHostNodeParams* call) {
  require(given(call).fn != nullptr);
  return *call;
}
cudaMemcpy3DParms line_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const cudaMemcpy3DParms copy = rows_copy(to, bytes, from, bytes, bytes, 1, kind);
  return checked_copy(&copy);
}
cudaMemcpy3DParms copy_into_symbol(const void* symbol, const void* from, std::size_t bytes,
                                   std::size_t offset, cudaMemcpyKind kind) {
  require(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection);
  return line_copy(part_of_symbol(symbol, bytes, offset), from, bytes, kind);
}
cudaMemcpy3DParms copy_out_of_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                     cudaMemcpyKind kind) {
  require(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection);
  return line_copy(to, part_of_symbol(symbol, bytes, offset), bytes, kind);
}
cudaEvent_t checked_event(cudaEvent_t event) {
  require(cudaEventQuery(event) == cudaSuccess);  // says whether there is such an event
  return event;
}

}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count) {
  return run([&] { add_node(node, graph, after, count, {}); });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams* call) {
  return run([&] {
    add_node(node, graph, after, count, {cudaGraphNodeTypeKernel, {}, kernel_call(given(call))});
  });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* call) {
  return run([&] {
    const LaunchRequest request = kernel_of(checked(node)).request();
    room(call) = {const_cast<void*>(request.host),
                  size_of(request.grid),
                  size_of(request.block),
                  static_cast<unsigned>(request.shared_bytes),
                  request.arguments,
                  nullptr};
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* call) {
  return run([&] {
    KernelCall& now = kernel_of(checked(node));
    KernelCall next = kernel_call(given(call));
    next.copy_attributes(now);
    now = next;
  });
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue* value) {
  return run([&] { kernel_of(checked(node)).set_attribute(attribute, value); });
}
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            cudaKernelNodeAttrValue* value) {
  return run([&] { kernel_of(checked(node)).get_attribute(attribute, value); });
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return run([&] { kernel_of(checked(to)).copy_attributes(kernel_of(checked(from))); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* copy) {
  return run(
      [&] { add_node(node, graph, after, count, node_of(cudaGraphNodeTypeMemcpy, checked_copy(copy))); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return run([&] {
    add_node(node, graph, after, count, node_of(cudaGraphNodeTypeMemcpy, line_copy(to, from, bytes, kind)));
  });
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  return run([&] {
    add_node(node, graph, after, count,
             node_of(cudaGraphNodeTypeMemcpy, copy_into_symbol(symbol, from, bytes, offset, kind)));
  });
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, std::size_t count, void* to,
                                             const void* symbol, std::size_t bytes, std::size_t offset,
                                             cudaMemcpyKind kind) {
  return run([&] {
    add_node(node, graph, after, count,
             node_of(cudaGraphNodeTypeMemcpy, copy_out_of_symbol(to, symbol, bytes, offset, kind)));
  });
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* copy) {
  return run([&] { room(copy) = described_as<cudaMemcpy3DParms>(checked(node)); });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* copy) {
  return run([&] { described_as<cudaMemcpy3DParms>(checked(node)) = checked_copy(copy); });
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return run([&] { described_as<cudaMemcpy3DParms>(checked(node)) = line_copy(to, from, bytes, kind); });
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* from,
                                                 std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return run([&] {
    described_as<cudaMemcpy3DParms>(checked(node)) = copy_into_symbol(symbol, from, bytes, offset, kind);
  });
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol,
                                                   std::size_t bytes, std::size_t offset,
                                                   cudaMemcpyKind kind) {
  return run([&] {
    described_as<cudaMemcpy3DParms>(checked(node)) = copy_out_of_symbol(to, symbol, bytes, offset, kind);
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* set) {
  return run(
      [&] { add_node(node, graph, after, count, node_of(cudaGraphNodeTypeMemset, checked_fill(set))); });
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* set) {
  return run([&] { room(set) = described_as<cudaMemsetParams>(checked(node)); });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* set) {
  return run([&] { described_as<cudaMemsetParams>(checked(node)) = checked_fill(set); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* call) {
  return run(
      [&] { add_node(node, graph, after, count, node_of(cudaGraphNodeTypeHost, checked_call(call))); });
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* call) {
  return run([&] { room(call) = described_as<cudaHostNodeParams>(checked(node)); });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* call) {
  return run([&] { described_as<cudaHostNodeParams>(checked(node)) = checked_call(call); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       std::size_t count, cudaGraph_t child) {
  return run([&] {
    std::shared_ptr<CUgraph_st> copy = checked(child).copy();
    std::ignore = copy->in_order();  // a ring is an error of this call
    add_node(node, graph, after, count, node_of(cudaGraphNodeTypeGraph, ChildGraph{std::move(copy)}));
  });
}
cudaError_t warpscopeMoveChildGraph(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    std::size_t count, cudaGraph_t child) {
  return run([&] {
    require(graph != child);
    std::ignore = graphs().check(child, cudaErrorInvalidValue).in_order();
    add_node(node, graph, after, count, {cudaGraphNodeTypeGraph});
    // Only now: an error leaves it the program's.
    (*node)->parameters = ChildGraph{graphs().take(child, cudaErrorInvalidValue)};
  });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return run([&] { room(graph) = described_as<ChildGraph>(checked(node)).graph.get(); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, std::size_t count, cudaEvent_t event) {
  return run([&] {
    add_node(node, graph, after, count,
             node_of(cudaGraphNodeTypeEventRecord, RecordedEvent{checked_event(event)}));
  });
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return run([&] { room(event) = described_as<RecordedEvent>(checked(node)).event; });
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return run([&] { described_as<RecordedEvent>(checked(node)).event = checked_event(event); });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      std::size_t count, cudaEvent_t event) {
  return run([&] {
    add_node(node, graph, after, count,
             node_of(cudaGraphNodeTypeWaitEvent, AwaitedEvent{checked_event(event)}));
  });
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return run([&] { room(event) = described_as<AwaitedEvent>(checked(node)).event; });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return run([&] { described_as<AwaitedEvent>(checked(node)).event = checked_event(event); });
}

cudaError_t warpscopeAddGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count, int type, const std::function<void()>& work,
                                  const std::function<void()>& start) {
  return run([&] {
    add_node(node, graph, after, count, {static_cast<cudaGraphNodeType>(type), work, {}, {}, start});
  });
}
}
