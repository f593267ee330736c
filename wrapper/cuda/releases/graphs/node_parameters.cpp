// Parameters of a node of any type (CUDA Runtime API and CUDA Driver API, "Graph Management": cudaGraphNodeParams, CUgraphNodeParams).
#include <cstring>

#include "wrapper/cuda/releases/graphs/driver_copy.h"
#include "wrapper/cuda/releases/graphs/driver_nodes.h"

namespace warpscope::cuda::releases {
namespace {

/// cudaGraphNodeParams.
struct RuntimeNode {
  int type;
  int reserved[3];
  union {
    cudaKernelNodeParams kernel;
    struct {
      int flags, reserved[3];
      cudaMemcpy3DParms box;
    } copy;
    cudaMemsetParams fill;
    cudaHostNodeParams call;
    cudaGraph_t graph;
    cudaEvent_t event;
    long long words[29];
  };
  RuntimeNode() : type(0), reserved{}, words{}, tail(0) {}
  long long tail;
};
/// CUgraphNodeParams: what is not as the runtime's.
struct DriverNode {
  int type;
  int reserved[3];
  union {
    DriverKernelNode kernel;
    struct {
      int flags, reserved;
      CUcontext context;
      DriverCopy box;
    } copy;
    long long words[29];
  };
  long long tail;
};
static_assert(sizeof(RuntimeNode) == 256 && sizeof(DriverNode) == 256);

/// Nodes of other types keep what they were given.
cudaError_t refused(int type) {
  if (type == cudaGraphNodeTypeEmpty) return cudaSuccess;
  return warpscopeNotSupported("parameters of a graph's node of this type");
}

cudaError_t set_parameters(cudaGraphNode_t node, const RuntimeNode& how) {
  switch (how.type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphKernelNodeSetParams(node, &how.kernel);
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphMemcpyNodeSetParams(node, &how.copy.box);
    case cudaGraphNodeTypeMemset:
      return cudaGraphMemsetNodeSetParams(node, &how.fill);
    case cudaGraphNodeTypeHost:
      return cudaGraphHostNodeSetParams(node, &how.call);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphEventRecordNodeSetEvent(node, how.event);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphEventWaitNodeSetEvent(node, how.event);
    default:
      return refused(how.type);
  }
}
cudaError_t set_parameters(cudaGraphExec_t executable, cudaGraphNode_t node, const RuntimeNode& how) {
  switch (how.type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphExecKernelNodeSetParams(executable, node, &how.kernel);
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphExecMemcpyNodeSetParams(executable, node, &how.copy.box);
    case cudaGraphNodeTypeMemset:
      return cudaGraphExecMemsetNodeSetParams(executable, node, &how.fill);
    case cudaGraphNodeTypeHost:
      return cudaGraphExecHostNodeSetParams(executable, node, &how.call);
    case cudaGraphNodeTypeGraph:
      return cudaGraphExecChildGraphNodeSetParams(executable, node, how.graph);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphExecEventRecordNodeSetEvent(executable, node, how.event);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphExecEventWaitNodeSetEvent(executable, node, how.event);
    default:
      return refused(how.type);
  }
}

/// Whether the node is of the type that the parameters are for.
cudaError_t check_type(cudaGraphNode_t node, const int* type) {
  cudaGraphNodeType found;
  if (const cudaError_t status = cudaGraphNodeGetType(node, &found); status != cudaSuccess) return status;
  return type != nullptr && *type == found ? cudaSuccess : cudaErrorInvalidValue;
}

/// The driver's parameters as the runtime's; false for a copy that cannot be.
bool as_runtime(const DriverNode& node, RuntimeNode& how) {
  std::memcpy(static_cast<void*>(&how), &node, sizeof how);
  if (node.type == cudaGraphNodeTypeKernel) how.kernel = call_of(node.kernel);
  if (node.type != cudaGraphNodeTypeMemcpy) return true;
  how.copy.flags = node.copy.flags;
  return as_runtime(node.copy.box, how.copy.box);
}

template <class... Executable>
cudaError_t set_checked(cudaGraphNode_t node, const RuntimeNode* how, Executable... executable) {
  const cudaError_t status = check_type(node, how != nullptr ? &how->type : nullptr);
  return status == cudaSuccess ? set_parameters(executable..., node, *how) : status;
}
template <class... Executable>
CUresult set_checked(cudaGraphNode_t node, const DriverNode* how, Executable... executable) {
  RuntimeNode as_there;
  if (how == nullptr || !as_runtime(*how, as_there)) return CUDA_ERROR_INVALID_VALUE;
  return as_result(set_checked(node, &as_there, executable...));
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, const RuntimeNode* how) {
  return set_checked(node, how);
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       const RuntimeNode* how) {
  return set_checked(node, how, executable);
}
CUresult cuGraphNodeSetParams(cudaGraphNode_t node, const DriverNode* how) {
  return set_checked(node, how);
}
CUresult cuGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, const DriverNode* how) {
  return set_checked(node, how, executable);
}
}
// NOLINTEND(readability-identifier-naming)
