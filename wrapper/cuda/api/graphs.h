#pragma once
// What the functions of graphs share.
#include <cstddef>

#include "wrapper/cuda/graph.h"
#include "wrapper/cuda/graphs/plan.h"
#include "wrapper/cuda/handles.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {

/// Graphs that the program has to destroy: not those of child nodes and of streams that are captured.
inline Handles<CUgraph_st>& graphs() {
  return Handles<CUgraph_st>::get();
}
inline Handles<CUgraphExec_st>& executables() {
  return Handles<CUgraphExec_st>::get();
}

// Throw Failure(cudaErrorInvalidValue) for a handle that is not live.
inline CUgraph_st& checked(cudaGraph_t graph) {
  require(is_live(graph));
  return *graph;
}
inline CUgraphNode_st& checked(cudaGraphNode_t node) {
  require(is_live(node));
  return *node;
}
inline CUgraphExec_st& checked(cudaGraphExec_t executable) {
  return executables().check(executable, cudaErrorInvalidValue);
}

/// Throws Failure(cudaErrorInvalidValue) if there is no description.
template <class Description>
const Description& given(const Description* description) {
  require(description != nullptr);
  return *description;
}
template <class Result>
Result& room(Result* result) {
  require(result != nullptr);
  return *result;
}

/// The node's parameters of this kind; Failure(cudaErrorInvalidValue) for a node of another kind.
template <class Kind>
Kind& described_as(CUgraphNode_st& node) {
  auto* const parameters = std::get_if<Kind>(&node.parameters);
  require(parameters != nullptr);
  return *parameters;
}

/// Throws Failure(cudaErrorInvalidValue) for a graph, a predecessor, or a place for the handle that there is not, and predecessors given twice.
void add_node(cudaGraphNode_t* handle, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
              CUgraphNode_st node);

// What nodes are given, checked as when they are added. Errors of the function that adds such a node.
KernelCall kernel_call(const cudaKernelNodeParams& node);
cudaMemsetParams checked_fill(const cudaMemsetParams* set);
cudaHostNodeParams checked_call(const cudaHostNodeParams* call);
cudaMemcpy3DParms line_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaMemcpy3DParms copy_into_symbol(const void* symbol, const void* from, std::size_t bytes,
                                   std::size_t offset, cudaMemcpyKind kind);
cudaMemcpy3DParms copy_out_of_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                     cudaMemcpyKind kind);
cudaEvent_t checked_event(cudaEvent_t event);

}  // namespace warpscope::cuda
