#pragma once
// What is instantiated of a graph (CUDA Runtime API, "Graph Management"): its nodes in an order that its edges allow, as they were then, and what has
// been changed since.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "wrapper/cuda/graph.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {

struct Step;
struct Plan {
  std::vector<Step> steps;
  ObjectReferences objects;
};
struct Step {
  CUgraphNode_st node;             ///< a copy; its `after` may be destroyed
  std::vector<std::size_t> after;  ///< steps of the same plan
  bool is_enabled = true;
  Plan child;
  CUgraphNode_st* handle = nullptr;  ///< the node, as long as the plan is made
};

/// Throws Failure(cudaErrorInvalidValue) if edges form a ring.
Plan plan_of(const CUgraph_st& graph);
/// Does what a launch begins with, and then all nodes.
void start_plan(const Plan& plan);
void run_plan(const Plan& plan);

/// The step of the node with this id, in the plan or in those of its child graphs. Throws Failure(cudaErrorInvalidValue) if there is none.
Step& step_of(Plan& plan, std::uint64_t id);

/// cudaGraphExecUpdateResultInfo.
struct UpdateResult {
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
  CUgraphNode_st *wrong = nullptr, *wrong_from = nullptr;
};
/// Gives the plan's nodes what the graph's have, if the graph has the same nodes and edges and differs as an update may; otherwise it stays as it is.
UpdateResult update_plan(Plan& plan, const CUgraph_st& graph);
/// Whether an instantiated node may get these parameters: of the same kind, and of copies and fills with the same dimensions and kinds of memory.
bool may_become(const Parameters& now, const Parameters& next);

/// Throws Failure(the error) of a call of the runtime inside of another one.
inline void require_success(cudaError_t error) {
  require(error == cudaSuccess, error);
}

/// Fills memory as a node does (cudaMemsetParams).
void fill(const cudaMemsetParams& set);
/// A copy of bytes in rows, as nodes have it.
cudaMemcpy3DParms rows_copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                            std::size_t width, std::size_t height, cudaMemcpyKind kind);

}  // namespace warpscope::cuda

struct CUgraphExec_st {
  std::shared_ptr<warpscope::cuda::Plan> plan;  ///< shared with captures that this was launched into
  unsigned long long flags = 0;

  /// The plan, for a change that only later launches see.
  warpscope::cuda::Plan& changeable();
};
