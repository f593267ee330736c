#pragma once
// Graphs, and streams that are captured to them (CUDA Runtime API, "Graph Management"). A graph is a list of work that
// is done, in one of the orders that its edges allow, when it is launched.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "wrapper/cuda/api.h"
#include "wrapper/cuda/launch.h"
#include "wrapper/cuda/state/user_objects.h"

namespace warpscope::cuda {

/// A launch that can be repeated: with copies of its arguments.
class KernelCall {
 public:
  /// Throws Failure as launch() for a kernel that there is not, or arguments that are missing.
  explicit KernelCall(const LaunchRequest& request);
  /// Throws Failure as launch().
  void run() const;
  /// As the program gave it; pointers live as long as this.
  [[nodiscard]] LaunchRequest request() const;

  /// cudaKernelNodeAttrValue of an attribute that nodes have; another one: Failure(cudaErrorInvalidValue).
  void set_attribute(int attribute, const void* value);
  void get_attribute(int attribute, void* value) const;
  void copy_attributes(const KernelCall& from);

 private:
  LaunchRequest with_arguments(std::vector<void*>& pointers) const;

  LaunchRequest request_;
  std::map<int, std::vector<char>> attributes_;  ///< those without effect here
  std::vector<std::vector<char>> values_;
  mutable std::vector<void*> pointers_;
};

/// cudaGraphEdgeData: what of a node an edge waits for. Nodes are done one after the other, so it is only kept.
struct EdgeData {
  unsigned char from_port, to_port, type, reserved[5];
  bool operator==(const EdgeData&) const = default;
};

struct RecordedEvent {
  cudaEvent_t event;
};
struct AwaitedEvent {
  cudaEvent_t event;
};
struct ChildGraph {
  std::shared_ptr<CUgraph_st> graph;  ///< of this node alone, but for copies in a plan
};
class GraphBlock;
struct AllocatedMemory {
  cudaMemAllocNodeParams given;
  std::vector<cudaMemAccessDesc> access;
  std::shared_ptr<GraphBlock> block;  ///< of all copies of the node
};
struct FreedMemory {
  void* pointer;
};
/// What the program may ask of a node and change.
using Parameters = std::variant<std::monostate, cudaMemcpy3DParms, cudaMemsetParams, cudaHostNodeParams,
                                RecordedEvent, AwaitedEvent, ChildGraph, AllocatedMemory, FreedMemory>;

}  // namespace warpscope::cuda

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<void()> work = {};  ///< of nodes without a kernel and parameters; empty: nothing
  std::optional<warpscope::cuda::KernelCall> kernel = std::nullopt;
  std::vector<CUgraphNode_st*> after = {};  ///< predecessors in the same graph
  std::function<void()> start = {};         ///< done before any node of a launch; empty: nothing
  warpscope::cuda::Parameters parameters = {};
  std::vector<warpscope::cuda::EdgeData> edges = {};  ///< one for each of `after`
  CUgraph_st* graph = nullptr;
  std::uint64_t id = 0;           ///< no other node ever has it
  std::uint64_t copied_from = 0;  ///< the id of the node of which a clone was made; 0: none
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  warpscope::cuda::ObjectReferences objects;

  CUgraph_st();
  CUgraph_st(const CUgraph_st&) = delete;
  CUgraph_st& operator=(const CUgraph_st&) = delete;
  ~CUgraph_st();

  CUgraphNode_st* add(CUgraphNode_st node);
  /// With all edges from and to it.
  void remove(CUgraphNode_st* node);
  [[nodiscard]] bool has(const CUgraphNode_st* node) const;
  /// The nodes in the order in which they were added, but none before those that it comes after. Throws
  /// Failure(cudaErrorInvalidValue) if edges form a ring.
  [[nodiscard]] std::vector<CUgraphNode_st*> in_order() const;
  /// A graph of its own with copies of all nodes.
  [[nodiscard]] std::unique_ptr<CUgraph_st> copy() const;
};

namespace warpscope::cuda {

/// Whether the program may pass the handle: that of a graph or node which is not destroyed. Thread-safe.
bool is_live(const CUgraph_st* graph);
bool is_live(const CUgraphNode_st* node);

/// Streams that put their work into a graph instead of doing it. Thread-safe. Functions throw Failure with the errors of
/// cudaStreamBeginCapture() and its relatives.
class Captures {
 public:
  static Captures& get();

  /// Into the graph `to`, behind its nodes `after`; null: into one of its own. `is_blocking`: the legacy stream would wait for the stream.
  void begin(cudaStream_t stream, cudaStreamCaptureMode mode, bool is_blocking, CUgraph_st* to = nullptr,
             std::vector<CUgraphNode_st*> after = {});
  /// The capture's own graph, null if it was begun into another one; `to`: that or this. Throws when an invalid capture has ended.
  std::unique_ptr<CUgraph_st> end(cudaStream_t stream, CUgraph_st*& to);
  /// A number of the capture, 0 = none.
  [[nodiscard]] std::uint64_t id_of(cudaStream_t stream);
  /// Whether work of the stream goes into a graph. Throws for the legacy stream while a blocking one is captured, whose capture becomes invalid.
  [[nodiscard]] bool takes(cudaStream_t stream);
  /// Whether it is the legacy stream, and would throw.
  [[nodiscard]] bool is_legacy_unusable(cudaStream_t stream);
  [[nodiscard]] bool is_invalid(cudaStream_t stream);
  /// The graph that grows; null if the stream is not captured.
  [[nodiscard]] CUgraph_st* graph_of(cudaStream_t stream);
  /// What the next node will come after: valid until the stream is given work. Null if it is not captured.
  [[nodiscard]] const std::vector<CUgraphNode_st*>* last_of(cudaStream_t stream);
  /// From here on the stream's work comes after `nodes`, too, or after no others (`replaces`). Nodes that are left out need not be joined.
  void set_last(cudaStream_t stream, const std::vector<CUgraphNode_st*>& nodes, bool replaces);

  /// False: the stream is not captured, and the work is to be done now.
  bool add(cudaStream_t stream, CUgraphNode_st node);
  /// The event stands for what the stream has been given so far.
  void record(cudaEvent_t event, cudaStream_t stream);
  /// What the stream is given from here on comes after the event; if that is of a capture, the stream joins it.
  void wait(cudaStream_t stream, cudaEvent_t event, bool is_recorded, bool is_blocking);
  /// What is captured cannot be waited for: the capture becomes invalid, and Failure is thrown.
  void refuse_wait(cudaStream_t stream);
  void refuse_wait(cudaEvent_t event);
  void refuse_wait_for_all();
  /// The same of a call that a capture does not see, like cudaMalloc(), as the modes of captures and threads say.
  void refuse_unsafe();
  /// Of this thread; returns the earlier one.
  static cudaStreamCaptureMode exchange_mode(cudaStreamCaptureMode mode);
  void forget(cudaStream_t stream);
  void forget(cudaEvent_t event);

 private:
  struct Capture;
  struct Place;
  struct State;
  Captures();
  State& state_;  ///< never destroyed: a destructor of the program's may still call
};

/// Does `work` now, or puts it into the graph that the stream is captured to.
template <class Work>
void submit(cudaStream_t stream, cudaGraphNodeType type, Work work) {
  if (!Captures::get().add(stream, {type, work})) work();
}
/// The same of work that a node's parameters describe.
template <class Work>
void submit(cudaStream_t stream, cudaGraphNodeType type, Work work, const Parameters& parameters) {
  if (!Captures::get().add(stream, {type, {}, {}, {}, {}, parameters})) work();
}

}  // namespace warpscope::cuda
