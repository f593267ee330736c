// Graphs and stream capture (CUDA Runtime API, "Graph Management", "Stream Management").
#include <algorithm>
#include <cstring>
#include <utility>

#include "wrapper/cuda/api/devices.h"
#include "wrapper/cuda/graph.h"
#include "wrapper/cuda/handles.h"
#include "wrapper/cuda/library_calls.h"
#include "wrapper/cuda/state/status.h"

struct CUgraphExec_st {
  /// Shared with captures that this was launched into.
  std::shared_ptr<warpscope::cuda::Plan> plan;
  std::vector<const CUgraphNode_st*> nodes;  ///< nodes of the graph in the plan's order; may be destroyed
};

namespace warpscope::cuda {
namespace {

Handles<CUgraph_st>& graphs() {
  return Handles<CUgraph_st>::get();
}
Handles<CUgraphExec_st>& executables() {
  return Handles<CUgraphExec_st>::get();
}
CUgraph_st& checked(cudaGraph_t graph) {
  return graphs().check(graph, cudaErrorInvalidValue);
}
CUgraphExec_st& checked(cudaGraphExec_t executable) {
  return executables().check(executable, cudaErrorInvalidValue);
}

cudaError_t add_node(cudaGraphNode_t* handle, cudaGraph_t graph, const cudaGraphNode_t* after,
                     std::size_t count, CUgraphNode_st node) {
  return run([&] {
    CUgraph_st& to = checked(graph);
    require(handle != nullptr && (count == 0 || after != nullptr));
    for (std::size_t i = 0; i < count; ++i) {
      require(to.has(after[i]));
      node.after.push_back(after[i]);
    }
    *handle = to.add(std::move(node));
  });
}

/// Throws Failure(cudaErrorInvalidValue) if there is no description.
template <class Description>
const Description& given(const Description* description) {
  require(description != nullptr);
  return *description;
}

KernelCall call_of(const cudaKernelNodeParams& node) {
  require(node.extra == nullptr, cudaErrorNotSupported);
  const dim3 grid = node.gridDim, block = node.blockDim;
  return KernelCall({node.func,
                     {grid.x, grid.y, grid.z},
                     {block.x, block.y, block.z},
                     node.kernelParams,
                     node.sharedMemBytes});
}

dim3 size_of(const Dim3& size) {
  return {static_cast<unsigned>(size.x), static_cast<unsigned>(size.y), static_cast<unsigned>(size.z)};
}

void fill(const cudaMemsetParams& set) {
  const std::size_t width = set.width * set.elementSize;
  require(set.elementSize == 1 || set.elementSize == 2 || set.elementSize == 4);
  if (set.height > 1) require_pitch(set.pitch, width);
  for (std::size_t row = 0; row < set.height; ++row) {
    char* const begin = static_cast<char*>(set.dst) + row * set.pitch;
    require(cudaMemset(begin, 0, width) == cudaSuccess);
    for (std::size_t at = 0; at < width; at += set.elementSize)
      std::memcpy(begin + at, &set.value, set.elementSize);
  }
}

/// How many there are, and as many as there is room for; the others are null.
void copy_nodes(const std::vector<cudaGraphNode_t>& found, cudaGraphNode_t* nodes, std::size_t* count) {
  require(count != nullptr);
  if (nodes == nullptr) {
    *count = found.size();
    return;
  }
  for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
  *count = std::min(*count, found.size());
}

cudaError_t add_checked(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                        std::size_t count, cudaGraphNodeType type, std::function<void()> work) {
  return add_node(node, graph, after, count, {type, std::move(work)});
}

/// Throws Failure(the error) of a call of the runtime inside of another one.
void require_success(cudaError_t error) {
  require(error == cudaSuccess, error);
}

/// What keeps `plan` from becoming that of `graph`.
cudaGraphExecUpdateResult difference(const Plan& old_plan, const Plan& new_plan) {
  if (old_plan.size() != new_plan.size()) return cudaGraphExecUpdateErrorTopologyChanged;
  for (std::size_t i = 0; i < old_plan.size(); ++i) {
    if (old_plan[i].type != new_plan[i].type) return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (old_plan[i].kernel && old_plan[i].kernel->request().host != new_plan[i].kernel->request().host)
      return cudaGraphExecUpdateErrorFunctionChanged;
  }
  return cudaGraphExecUpdateSuccess;
}

void instantiate(CUgraphExec_st& executable, const CUgraph_st& graph) {
  executable.plan = std::make_shared<Plan>(plan_of(graph));
  const auto order = graph.in_order();
  executable.nodes.assign(order.begin(), order.end());
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return run([&] {
    require(mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed);
    require_success(cudaStreamGetFlags(stream, std::make_unique<unsigned>().get()));
    Captures::get().begin(stream);
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return run([&] {
    require(graph != nullptr);
    *graph = nullptr;
    *graph = graphs().add(Captures::get().end(stream));
  });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id) {
  return run([&] {
    require(status != nullptr);
    const std::uint64_t number = Captures::get().id_of(stream);
    *status = number == 0                          ? cudaStreamCaptureStatusNone
              : Captures::get().is_invalid(stream) ? cudaStreamCaptureStatusInvalidated
                                                   : cudaStreamCaptureStatusActive;
    if (id != nullptr) *id = number;
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status, nullptr);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  static thread_local cudaStreamCaptureMode of_thread = cudaStreamCaptureModeGlobal;
  return run([&] {
    require(mode != nullptr && *mode >= cudaStreamCaptureModeGlobal && *mode <= cudaStreamCaptureModeRelaxed);
    std::swap(*mode, of_thread);
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return run([&] {
    require(graph != nullptr && flags == 0);
    *graph = graphs().add(std::make_unique<CUgraph_st>());
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return run([&] {
    // Conditional nodes destroy graphs of their own, which wants the list of graphs again.
    const auto nodes = std::exchange(checked(graph).nodes, {});
    graphs().remove(graph, cudaErrorInvalidValue);
  });
}
cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t graph) {
  return run([&] {
    require(copy != nullptr);
    *copy = graphs().add(checked(graph).copy());
  });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return run([&] {
    std::vector<cudaGraphNode_t> found;
    for (const auto& node : checked(graph).nodes) found.push_back(node.get());
    copy_nodes(found, nodes, count);
  });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return run([&] {
    std::vector<cudaGraphNode_t> found;
    for (const auto& node : checked(graph).nodes)
      if (node->after.empty()) found.push_back(node.get());
    copy_nodes(found, nodes, count);
  });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return run([&] {
    require(node != nullptr && type != nullptr);
    *type = node->type;
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
  return run([&] {
    const CUgraph_st& of = checked(graph);
    require(count == 0 || (from != nullptr && to != nullptr));
    for (std::size_t i = 0; i < count; ++i) require(of.has(from[i]) && of.has(to[i]) && from[i] != to[i]);
    for (std::size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count) {
  return add_checked(node, graph, after, count, cudaGraphNodeTypeEmpty, {});
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* work) {
  return run([&] {
    const cudaHostNodeParams call = given(work);
    require(call.fn != nullptr);
    require_success(
        add_checked(node, graph, after, count, cudaGraphNodeTypeHost, [call] { call.fn(call.userData); }));
  });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* copy) {
  return run([&] {
    const cudaMemcpy3DParms box = given(copy);
    require_success(add_checked(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                                [box] { require_success(cudaMemcpy3D(&box)); }));
  });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add_checked(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                     [=] { require_success(cudaMemcpy(to, from, bytes, kind)); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* set) {
  return run([&] {
    const cudaMemsetParams area = given(set);
    require_success(add_checked(node, graph, after, count, cudaGraphNodeTypeMemset, [area] { fill(area); }));
  });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       std::size_t count, cudaGraph_t child) {
  return run([&] {
    const auto plan = std::make_shared<const Plan>(plan_of(checked(child)));
    require_success(add_node(
        node, graph, after, count,
        {cudaGraphNodeTypeGraph, [plan] { run_plan(*plan); }, {}, {}, [plan] { start_plan(*plan); }}));
  });
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams* call) {
  return run([&] {
    require_success(add_node(node, graph, after, count, {cudaGraphNodeTypeKernel, {}, call_of(given(call))}));
  });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* call) {
  return run([&] {
    require(node != nullptr && node->kernel && call != nullptr);
    const LaunchRequest request = node->kernel->request();
    *call = {const_cast<void*>(request.host),
             size_of(request.grid),
             size_of(request.block),
             static_cast<unsigned>(request.shared_bytes),
             request.arguments,
             nullptr};
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* call) {
  return run([&] {
    require(node != nullptr && node->kernel);
    node->kernel = call_of(given(call));
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long /*flags*/) {
  return run([&] {
    require(executable != nullptr);
    auto made = std::make_unique<CUgraphExec_st>();
    instantiate(*made, checked(graph));
    *executable = executables().add(std::move(made));
  });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* call) {
  return run([&] {
    CUgraphExec_st& made = checked(executable);
    const auto found = std::find(made.nodes.begin(), made.nodes.end(), node);
    require(found != made.nodes.end());
    CUgraphNode_st& copy = (*made.plan)[static_cast<std::size_t>(found - made.nodes.begin())];
    require(copy.kernel.has_value() && copy.kernel->request().host == given(call).func);
    copy.kernel = call_of(*call);
  });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t* wrong,
                                cudaGraphExecUpdateResult* result) {
  return run([&] {
    CUgraphExec_st& made = checked(executable);
    const CUgraph_st& with = checked(graph);
    require(result != nullptr);
    if (wrong != nullptr) *wrong = nullptr;
    *result = difference(*made.plan, plan_of(with));
    require(*result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
    instantiate(made, with);
  });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t /*stream*/) {
  return run([&] { checked(executable); });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return run([&] {
    require(!is_sticky(), last_error(false));
    const std::shared_ptr<const Plan> plan = checked(executable).plan;
    submit(stream, cudaGraphNodeTypeGraph, [plan] {
      start_plan(*plan);
      run_plan(*plan);
    });
  });
}
cudaError_t warpscopeAddGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count, int type, const std::function<void()>& work,
                                  const std::function<void()>& start) {
  return add_node(node, graph, after, count, {static_cast<cudaGraphNodeType>(type), work, {}, {}, start});
}
void warpscopeStartGraph(cudaGraph_t graph) {
  start_plan(plan_of(checked(graph)));
}
void warpscopeRunGraph(cudaGraph_t graph) {
  run_plan(plan_of(checked(graph)));
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return run([&] { executables().remove(executable, cudaErrorInvalidValue); });
}
}
