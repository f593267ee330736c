// The driver's nodes of graphs whose parameters are not the runtime's, and its forms of instantiation (CUDA Driver API, "Graph Management").
#include "wrapper/cuda/releases/graphs/driver_nodes.h"

#include "wrapper/cuda/releases/graphs/driver_copy.h"

namespace warpscope::cuda::releases {
namespace {

struct DriverUpdateResult {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t wrong, wrong_from;
};

/// `work` with the runtime's form of the copy.
template <class Work>
CUresult with_copy(const DriverCopy* copy, const Work& work) {
  cudaMemcpy3DParms box;
  if (copy == nullptr || !as_runtime(*copy, box)) return CUDA_ERROR_INVALID_VALUE;
  return as_result(work(box));
}
/// The same of a kernel's node.
template <class Work>
CUresult with_call(const DriverKernelNode* node, const Work& work) {
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaKernelNodeParams call = call_of(*node);
  return as_result(work(call));
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {

CUresult cuGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                              std::size_t count, const DriverCopy* copy, CUcontext /*context*/) {
  return with_copy(copy, [&](const cudaMemcpy3DParms& box) {
    return cudaGraphAddMemcpyNode(node, graph, after, count, &box);
  });
}
CUresult cuGraphMemcpyNodeGetParams(cudaGraphNode_t node, DriverCopy* copy) {
  cudaMemcpy3DParms box;
  const cudaError_t status =
      copy != nullptr ? cudaGraphMemcpyNodeGetParams(node, &box) : cudaErrorInvalidValue;
  if (status == cudaSuccess) *copy = as_driver(box);
  return as_result(status);
}
CUresult cuGraphMemcpyNodeSetParams(cudaGraphNode_t node, const DriverCopy* copy) {
  return with_copy(copy,
                   [&](const cudaMemcpy3DParms& box) { return cudaGraphMemcpyNodeSetParams(node, &box); });
}
CUresult cuGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                        const DriverCopy* copy, CUcontext /*context*/) {
  return with_copy(copy, [&](const cudaMemcpy3DParms& box) {
    return cudaGraphExecMemcpyNodeSetParams(executable, node, &box);
  });
}

CUresult cuGraphAddKernelNode_v2(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const DriverKernelNode* kernel) {
  return with_call(kernel, [&](const cudaKernelNodeParams& call) {
    return cudaGraphAddKernelNode(node, graph, after, count, &call);
  });
}
CUresult cuGraphKernelNodeSetParams_v2(cudaGraphNode_t node, const DriverKernelNode* kernel) {
  return with_call(
      kernel, [&](const cudaKernelNodeParams& call) { return cudaGraphKernelNodeSetParams(node, &call); });
}
CUresult cuGraphExecKernelNodeSetParams_v2(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const DriverKernelNode* kernel) {
  return with_call(kernel, [&](const cudaKernelNodeParams& call) {
    return cudaGraphExecKernelNodeSetParams(executable, node, &call);
  });
}
CUresult cuGraphKernelNodeGetParams_v2(cudaGraphNode_t node, DriverKernelNode* kernel) {
  if (kernel == nullptr) return CUDA_ERROR_INVALID_VALUE;
  DriverKernelNode found{};
  const cudaError_t status = cudaGraphKernelNodeGetParams(node, &found.call);
  if (status == cudaSuccess) *kernel = found;
  return as_result(status);
}

CUresult cuGraphExecUpdate_v2(cudaGraphExec_t executable, cudaGraph_t graph,
                              DriverUpdateResult* information) {
  DriverUpdateResult said{};
  const cudaError_t status =
      warpscopeUpdateGraph(executable, graph, &said.wrong, &said.wrong_from, &said.result);
  if (information != nullptr) *information = said;
  return as_result(status);
}
CUresult cuGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t* wrong, char* log,
                            std::size_t bytes) {
  if (wrong != nullptr) *wrong = nullptr;
  if (log != nullptr && bytes != 0) *log = '\0';
  return as_result(cudaGraphInstantiateWithFlags(executable, graph, 0));
}
WARPSCOPE_SAME(cuGraphInstantiate_v2, cuGraphInstantiate);
}
// NOLINTEND(readability-identifier-naming)
