// Graphs that are instantiated: launches, and changes that later launches see (CUDA Runtime API, "Graph Management").
#include "wrapper/cuda/api/graphs.h"
#include "wrapper/cuda/library_calls.h"

namespace warpscope::cuda {
namespace {

constexpr unsigned long long kUpload = 2, kDeviceLaunch = 4;  // cudaGraphInstantiateFlags
constexpr unsigned long long kKnownFlags = cudaGraphInstantiateFlagAutoFreeOnLaunch | kUpload |
                                           kDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;

/// The copy of the node that launches do.
Step& step_of(cudaGraphExec_t executable, cudaGraphNode_t node) {
  CUgraphExec_st& made = checked(executable);
  const std::uint64_t id = checked(node).id;
  return step_of(made.changeable(), id);
}

/// Kernels, fills and copies can be disabled.
Step& switched_step(cudaGraphExec_t executable, cudaGraphNode_t node) {
  Step& step = step_of(executable, node);
  const int type = step.node.type;
  require(type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemset ||
          type == cudaGraphNodeTypeMemcpy);
  return step;
}

/// Copies of one row only, and neither from nor to an array.
void require_line(const cudaMemcpy3DParms& copy) {
  require(copy.extent.height <= 1 && copy.extent.depth <= 1);
}

/// Of a node of the kind that the parameters are for.
void set_parameters(cudaGraphExec_t executable, cudaGraphNode_t node, const Parameters& parameters) {
  Step& step = step_of(executable, node);
  require(may_become(step.node.parameters, parameters));
  step.node.parameters = parameters;
}
void set_copy(cudaGraphExec_t executable, cudaGraphNode_t node, const cudaMemcpy3DParms& copy) {
  require(copy.extent.width > 0);
  require_line(copy);
  require_line(described_as<cudaMemcpy3DParms>(step_of(executable, node).node));
  set_parameters(executable, node, copy);
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return run([&] {
    require(executable != nullptr && (flags & ~kKnownFlags) == 0);
    auto made = std::make_unique<CUgraphExec_st>();
    made->plan = std::make_shared<Plan>(plan_of(checked(graph)));
    made->flags = flags & ~kUpload;
    *executable = executables().add(std::move(made));
  });
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
  return run([&] { room(flags) = checked(executable).flags; });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return run([&] { executables().take(executable, cudaErrorInvalidValue); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* call) {
  return run([&] {
    Step& step = step_of(executable, node);
    require(step.node.kernel.has_value());
    KernelCall next = kernel_call(given(call));
    next.copy_attributes(*step.node.kernel);
    step.node.kernel = next;
  });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* copy) {
  return run([&] { set_copy(executable, node, given(copy)); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return run([&] { set_copy(executable, node, line_copy(to, from, bytes, kind)); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                     const void* symbol, const void* from, std::size_t bytes,
                                                     std::size_t offset, cudaMemcpyKind kind) {
  return run([&] { set_copy(executable, node, copy_into_symbol(symbol, from, bytes, offset, kind)); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       void* to, const void* symbol, std::size_t bytes,
                                                       std::size_t offset, cudaMemcpyKind kind) {
  return run([&] { set_copy(executable, node, copy_out_of_symbol(to, symbol, bytes, offset, kind)); });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* set) {
  return run([&] {
    require(given(set).width > 0 && set->height > 0);
    set_parameters(executable, node, checked_fill(set));
  });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* call) {
  return run([&] { set_parameters(executable, node, checked_call(call)); });
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return run([&] { set_parameters(executable, node, RecordedEvent{checked_event(event)}); });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return run([&] { set_parameters(executable, node, AwaitedEvent{checked_event(event)}); });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return run([&] {
    Step& step = step_of(executable, node);
    described_as<ChildGraph>(step.node);
    require(update_plan(step.child, checked(child)).result == cudaGraphExecUpdateSuccess);
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned is_enabled) {
  return run([&] { switched_step(executable, node).is_enabled = is_enabled != 0; });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* is_enabled) {
  return run([&] { room(is_enabled) = switched_step(executable, node).is_enabled ? 1 : 0; });
}

cudaError_t warpscopeUpdateGraph(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t* wrong,
                                 cudaGraphNode_t* wrong_from, cudaGraphExecUpdateResult* result) {
  if (result != nullptr) *result = cudaGraphExecUpdateError;
  if (wrong != nullptr) *wrong = nullptr;
  if (wrong_from != nullptr) *wrong_from = nullptr;
  return run([&] {
    CUgraphExec_st& made = checked(executable);
    const CUgraph_st& with = checked(graph);
    const UpdateResult said = update_plan(made.changeable(), with);
    room(result) = said.result;
    if (wrong != nullptr) *wrong = said.wrong;
    if (wrong_from != nullptr) *wrong_from = said.wrong_from;
    require(said.result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
  });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t* wrong,
                                cudaGraphExecUpdateResult* result) {
  return warpscopeUpdateGraph(executable, graph, wrong, nullptr, result);
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
int warpscopeCaptureFill(cudaStream_t stream, const cudaMemsetParams* set, cudaError_t* error) {
  bool is_captured = false;
  *error = run([&] {
    const Parameters parameters = checked_fill(set);
    is_captured = Captures::get().takes(stream);  // also when the capture is invalid
    if (is_captured) Captures::get().add(stream, {cudaGraphNodeTypeMemset, {}, {}, {}, {}, parameters});
  });
  return is_captured ? 1 : 0;
}
void warpscopeStartGraph(cudaGraph_t graph) {
  start_plan(plan_of(checked(graph)));
}
void warpscopeRunGraph(cudaGraph_t graph) {
  run_plan(plan_of(checked(graph)));
}
}
