#include "wrapper/cuda/graphs/plan.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "wrapper/cuda/graphs/graph_memory.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

char* row_in(const cudaPitchedPtr& where, const cudaPos& start) {
  return static_cast<char*>(where.ptr) + (start.z * where.ysize + start.y) * where.pitch + start.x;
}

/// What a node with parameters does.
struct Doing {
  const Step& step;

  void operator()(std::monostate /*none*/) const {
    if (step.node.work) step.node.work();
  }
  void operator()(const cudaMemcpy3DParms& copy) const {
    const bool has_array = copy.srcArray != nullptr || copy.dstArray != nullptr;
    if (has_array || copy.extent.height != 1 || copy.extent.depth != 1)
      require_success(cudaMemcpy3D(&copy));
    else  // one row may be longer than any pitch
      require_success(cudaMemcpy(row_in(copy.dstPtr, copy.dstPos), row_in(copy.srcPtr, copy.srcPos),
                                 copy.extent.width, copy.kind));
  }
  void operator()(const cudaMemsetParams& set) const { fill(set); }
  void operator()(const cudaHostNodeParams& call) const { call.fn(call.userData); }
  void operator()(const RecordedEvent& recorded) const {
    require_success(cudaEventRecord(recorded.event, nullptr));
  }
  // Whatever was recorded is done.
  void operator()(const AwaitedEvent& /*awaited*/) const {}
  void operator()(const ChildGraph& /*child*/) const { run_plan(step.child); }
  void operator()(const AllocatedMemory& memory) const { GraphMemory::get().allocate(memory.given.dptr); }
  // What is no graph's memory is needed again when the graph is launched again.
  void operator()(const FreedMemory& memory) const { GraphMemory::get().release(memory.pointer); }
};

bool may_become(const cudaMemcpy3DParms& now, const cudaMemcpy3DParms& next) {
  return (now.srcArray == nullptr) == (next.srcArray == nullptr) &&
         (now.dstArray == nullptr) == (next.dstArray == nullptr);
}
bool may_become(const cudaMemsetParams& now, const cudaMemsetParams& next) {
  if (now.height <= 1) return next.height <= 1;
  return now.height == next.height && now.width == next.width && now.elementSize == next.elementSize &&
         now.pitch == next.pitch;
}

/// Pairs of the nodes of two graphs, from those that nothing comes after along the edges to those that come after nothing.
class Pairing {
 public:
  Pairing(const Plan& old_plan, const Plan& new_plan)
      : old_(old_plan),
        new_(new_plan),
        pair_of_new_(new_plan.steps.size(), kNone),
        is_paired_(old_plan.steps.size()) {}

  UpdateResult find() {
    if (old_.steps.size() != new_.steps.size()) return wrong(cudaGraphExecUpdateErrorTopologyChanged, kNone);
    const std::vector<std::size_t> old_ends = ends_of(old_), new_ends = ends_of(new_);
    if (old_ends.size() != new_ends.size())
      return wrong(cudaGraphExecUpdateErrorTopologyChanged, new_ends.empty() ? kNone : new_ends.back());
    for (std::size_t i = 0; i < new_ends.size(); ++i) pair(old_ends[i], new_ends[i]);
    for (std::size_t at = 0; at < order_.size(); ++at) {
      const std::size_t next = order_[at];
      const auto& after = new_.steps[next].after;
      const auto& old_after = old_.steps[pair_of_new_[next]].after;
      if (after.size() != old_after.size()) return wrong(cudaGraphExecUpdateErrorTopologyChanged, next);
      for (std::size_t i = 0; i < after.size(); ++i)
        if (!pair(old_after[i], after[i]))
          return wrong(cudaGraphExecUpdateErrorTopologyChanged, next, after[i]);
    }
    return {};
  }
  [[nodiscard]] std::size_t old_of(std::size_t step) const { return pair_of_new_[step]; }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  static std::vector<std::size_t> ends_of(const Plan& plan) {
    std::vector<bool> has_later(plan.steps.size());
    for (const Step& step : plan.steps)
      for (const std::size_t first : step.after) has_later[first] = true;
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < has_later.size(); ++i)
      if (!has_later[i]) ends.push_back(i);
    return ends;
  }
  /// False if either has another one already.
  bool pair(std::size_t old_step, std::size_t new_step) {
    if (pair_of_new_[new_step] != kNone || is_paired_[old_step]) return pair_of_new_[new_step] == old_step;
    pair_of_new_[new_step] = old_step;
    is_paired_[old_step] = true;
    order_.push_back(new_step);
    return true;
  }
  [[nodiscard]] UpdateResult wrong(cudaGraphExecUpdateResult result, std::size_t step,
                                   std::size_t from = kNone) const {
    const auto handle = [&](std::size_t at) { return at != kNone ? new_.steps[at].handle : nullptr; };
    return {result, handle(step), handle(from)};
  }

  const Plan &old_, &new_;
  std::vector<std::size_t> pair_of_new_;
  std::vector<bool> is_paired_;
  std::vector<std::size_t> order_;
};

cudaGraphExecUpdateResult difference(const CUgraphNode_st& now, const CUgraphNode_st& next) {
  if (now.type != next.type) return cudaGraphExecUpdateErrorNodeTypeChanged;
  if (now.kernel && next.kernel &&
      now.kernel->request().is_cooperative != next.kernel->request().is_cooperative)
    return cudaGraphExecUpdateErrorAttributesChanged;
  if (!may_become(now.parameters, next.parameters)) return cudaGraphExecUpdateErrorParametersChanged;
  return cudaGraphExecUpdateSuccess;
}

/// Puts into `next` what stays of `now`, and says what keeps it from taking its place.
UpdateResult take_over(const Plan& now, Plan& next) {
  Pairing pairing(now, next);
  if (const UpdateResult topology = pairing.find(); topology.result != cudaGraphExecUpdateSuccess)
    return topology;
  for (std::size_t i = 0; i < next.steps.size(); ++i) {
    Step& step = next.steps[i];
    const Step& previous = now.steps[pairing.old_of(i)];
    const cudaGraphExecUpdateResult result = difference(previous.node, step.node);
    if (result != cudaGraphExecUpdateSuccess) return {result, step.handle, nullptr};
    if (const UpdateResult within = take_over(previous.child, step.child);
        within.result != cudaGraphExecUpdateSuccess)
      return within;
    step.node.id = previous.node.id;
    step.is_enabled = previous.is_enabled;
  }
  return {};
}

}  // namespace

Plan plan_of(const CUgraph_st& graph) {
  Plan plan;
  plan.objects = graph.objects;
  std::map<const CUgraphNode_st*, std::size_t> places;
  for (CUgraphNode_st* node : graph.in_order()) {
    Step step{*node, {}, true, {}, node};
    for (const CUgraphNode_st* first : node->after) step.after.push_back(places.at(first));
    if (auto* const child = std::get_if<ChildGraph>(&step.node.parameters))
      step.child = plan_of(*std::exchange(child->graph, nullptr));  // which the node alone has
    places[node] = plan.steps.size();
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

void start_plan(const Plan& plan) {
  for (const Step& step : plan.steps) {
    if (step.node.start) step.node.start();
    start_plan(step.child);
  }
}

void run_plan(const Plan& plan) {
  for (const Step& step : plan.steps) {
    if (!step.is_enabled) continue;
    if (step.node.kernel)
      step.node.kernel->run();
    else
      std::visit(Doing{step}, step.node.parameters);
  }
}

Step& step_of(Plan& plan, std::uint64_t id) {
  std::vector<Plan*> plans = {&plan};
  for (std::size_t at = 0; at < plans.size(); ++at)
    for (Step& step : plans[at]->steps) {
      if (step.node.id == id) return step;
      if (!step.child.steps.empty()) plans.push_back(&step.child);
    }
  throw Failure{cudaErrorInvalidValue};
}

UpdateResult update_plan(Plan& plan, const CUgraph_st& graph) {
  Plan next = plan_of(graph);
  const UpdateResult result = take_over(plan, next);
  if (result.result == cudaGraphExecUpdateSuccess) plan = std::move(next);
  return result;
}

bool may_become(const Parameters& now, const Parameters& next) {
  if (now.index() != next.index()) return false;
  if (const auto* copy = std::get_if<cudaMemcpy3DParms>(&now))
    return may_become(*copy, std::get<cudaMemcpy3DParms>(next));
  if (const auto* set = std::get_if<cudaMemsetParams>(&now))
    return may_become(*set, std::get<cudaMemsetParams>(next));
  return true;
}

void fill(const cudaMemsetParams& set) {
  const std::size_t width = set.width * set.elementSize;
  require(set.elementSize == 1 || set.elementSize == 2 || set.elementSize == 4);
  // Checks the memory and the pitch, and is all for bytes.
  const int byte = set.elementSize == 1 ? static_cast<unsigned char>(set.value) : 0;
  require_success(cudaMemset2D(set.dst, set.pitch, byte, width, set.height));
  if (set.elementSize == 1) return;
  for (std::size_t row = 0; row < set.height; ++row) {
    char* const begin = static_cast<char*>(set.dst) + row * set.pitch;
    for (std::size_t at = 0; at < width; at += set.elementSize)
      std::memcpy(begin + at, &set.value, set.elementSize);
  }
}

cudaMemcpy3DParms rows_copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                            std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {const_cast<void*>(from), from_pitch, width, height};
  copy.dstPtr = {to, to_pitch, width, height};
  copy.extent = {width, height, 1};
  copy.kind = kind;
  return copy;
}

}  // namespace warpscope::cuda

warpscope::cuda::Plan& CUgraphExec_st::changeable() {
  if (plan.use_count() > 1) plan = std::make_shared<warpscope::cuda::Plan>(*plan);
  return *plan;
}
