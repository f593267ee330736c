#pragma once
// Graphs, and streams that are captured to them (CUDA Runtime API, "Graph Management"). A graph is a list of work that
// is done, in one of the orders that its edges allow, when it is launched.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "wrapper/cuda/api.h"
#include "wrapper/cuda/launch.h"

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

 private:
  LaunchRequest with_arguments(std::vector<void*>& pointers) const;

  LaunchRequest request_;
  std::vector<std::vector<char>> values_;
  mutable std::vector<void*> pointers_;
};

}  // namespace warpscope::cuda

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<void()> work;  ///< empty: nothing
  std::optional<warpscope::cuda::KernelCall> kernel = std::nullopt;
  std::vector<CUgraphNode_st*> after = {};  ///< predecessors in the same graph
  std::function<void()> start = {};         ///< done before any node of a launch; empty: nothing
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

  CUgraphNode_st* add(CUgraphNode_st node);
  [[nodiscard]] bool has(const CUgraphNode_st* node) const;
  /// The nodes in the order in which they were added, but none before those that it comes after. Throws
  /// Failure(cudaErrorInvalidValue) if edges form a ring.
  [[nodiscard]] std::vector<CUgraphNode_st*> in_order() const;
  /// A graph of its own with copies of all nodes.
  [[nodiscard]] std::unique_ptr<CUgraph_st> copy() const;
};

namespace warpscope::cuda {

/// Work of a graph in its order, as it was when the graph was instantiated.
using Plan = std::vector<CUgraphNode_st>;
Plan plan_of(const CUgraph_st& graph);
void run_plan(const Plan& plan);
/// What a launch begins with.
void start_plan(const Plan& plan);

/// Streams that put their work into a graph instead of doing it. Thread-safe. Functions throw Failure with the errors of
/// cudaStreamBeginCapture() and its relatives.
class Captures {
 public:
  static Captures& get();

  void begin(cudaStream_t stream);
  /// Null if the capture became invalid: then it throws when it has ended.
  std::unique_ptr<CUgraph_st> end(cudaStream_t stream);
  /// A number of the capture, 0 = none.
  [[nodiscard]] std::uint64_t id_of(cudaStream_t stream);
  [[nodiscard]] bool is_invalid(cudaStream_t stream);

  /// False: the stream is not captured, and the work is to be done now.
  bool add(cudaStream_t stream, CUgraphNode_st node);
  /// The event stands for what the stream has been given so far.
  void record(cudaEvent_t event, cudaStream_t stream);
  /// What the stream is given from here on comes after the event; if that is of a capture, the stream joins it.
  void wait(cudaStream_t stream, cudaEvent_t event);
  /// A captured stream cannot be waited for: the capture becomes invalid, and Failure is thrown.
  void refuse_wait(cudaStream_t stream);
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

}  // namespace warpscope::cuda
