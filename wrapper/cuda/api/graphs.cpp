// Graphs, their nodes' order, and stream capture (CUDA Runtime API, "Graph Management", "Stream Management").
#include "wrapper/cuda/api/graphs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "wrapper/cuda/graphs/drawing.h"
#include "wrapper/cuda/library_calls.h"

namespace warpscope::cuda {
namespace {

struct Edge {
  CUgraphNode_st *from, *to;
  EdgeData data;
};

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

/// The same of edges: `from`, `to` and `data` may be null.
void copy_edges(const std::vector<Edge>& found, cudaGraphNode_t* from, cudaGraphNode_t* to, void* data,
                std::size_t* count) {
  const std::size_t places = room(count);
  const auto has_data = [](const Edge& edge) { return edge.data != EdgeData{}; };
  require(data != nullptr || std::none_of(found.begin(), found.end(), has_data), cudaErrorLossyQuery);
  const std::size_t copied = from != nullptr || to != nullptr ? std::min(places, found.size()) : 0;
  for (std::size_t i = 0; i < places && (from != nullptr || to != nullptr); ++i) {
    const Edge edge = i < copied ? found[i] : Edge{};
    if (from != nullptr) from[i] = edge.from;
    if (to != nullptr) to[i] = edge.to;
    if (data != nullptr && i < copied) static_cast<EdgeData*>(data)[i] = edge.data;
  }
  *count = from != nullptr || to != nullptr ? copied : found.size();
}

std::vector<Edge> edges_into(CUgraphNode_st& node) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < node.after.size(); ++i) edges.push_back({node.after[i], &node, node.edges[i]});
  return edges;
}
std::vector<Edge> edges_of(const CUgraph_st& graph) {
  std::vector<Edge> edges;
  for (const auto& node : graph.nodes)
    for (const Edge& edge : edges_into(*node)) edges.push_back(edge);
  return edges;
}

bool is_mode(int mode) {
  return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed;
}
/// Whether the legacy stream waits for it. Throws Failure for a stream that there is not.
bool is_stream_blocking(cudaStream_t stream) {
  unsigned flags = 0;
  require_success(cudaStreamGetFlags(stream, &flags));
  return (flags & cudaStreamNonBlocking) == 0;
}

/// Memory that a graph allocates is there in the order that it was given.
void require_removable(const CUgraph_st& graph) {
  const auto is_memory = [](const auto& node) {
    return node->type == cudaGraphNodeTypeMemAlloc || node->type == cudaGraphNodeTypeMemFree;
  };
  require(std::none_of(graph.nodes.begin(), graph.nodes.end(), is_memory));
}

/// Only kernels have ports; only between them an edge may be of another type.
EdgeData checked_edge(const CUgraphNode_st& from, const CUgraphNode_st& to, const EdgeData* data) {
  constexpr unsigned char kMostPort = 2, kProgrammatic = 1;
  if (data == nullptr || *data == EdgeData{}) return {};
  const EdgeData reserved{data->from_port, 0, data->type, {}};
  require(*data == reserved && data->from_port <= kMostPort && data->type <= kProgrammatic);
  require(from.type == cudaGraphNodeTypeKernel && (data->type == 0 || to.type == cudaGraphNodeTypeKernel));
  return *data;
}

void connect(CUgraphNode_st& from, CUgraphNode_st& to, const EdgeData* data) {
  require(std::find(to.after.begin(), to.after.end(), &from) == to.after.end());
  const EdgeData edge = checked_edge(from, to, data);
  to.after.push_back(&from);
  to.edges.push_back(edge);
}
void disconnect(const CUgraphNode_st& from, CUgraphNode_st& to, const EdgeData* data) {
  const auto found = std::find(to.after.begin(), to.after.end(), &from);
  require(found != to.after.end());
  const auto edge = to.edges.begin() + (found - to.after.begin());
  require(*edge == (data != nullptr ? *data : EdgeData{}));
  to.edges.erase(edge);
  to.after.erase(found);
}

}  // namespace

void add_node(cudaGraphNode_t* handle, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
              CUgraphNode_st node) {
  CUgraph_st& to = checked(graph);
  require(handle != nullptr && (count == 0 || after != nullptr));
  for (std::size_t i = 0; i < count; ++i) {
    require(to.has(after[i]) && std::find(after, after + i, after[i]) == after + i);
    node.after.push_back(after[i]);
  }
  *handle = to.add(std::move(node));
}

}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return run([&] {
    require(is_mode(mode));
    Captures::get().begin(stream, mode, is_stream_blocking(stream));
  });
}
cudaError_t warpscopeBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* after,
                                         std::size_t count, int mode) {
  return run([&] {
    require(is_mode(mode));
    require(count == 0 || after != nullptr);
    CUgraph_st& to = checked(graph);
    for (std::size_t i = 0; i < count; ++i) require(to.has(after[i]));
    Captures::get().begin(stream, static_cast<cudaStreamCaptureMode>(mode), is_stream_blocking(stream), &to,
                          {after, after + count});
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return run([&] {
    require(graph != nullptr);
    *graph = nullptr;
    CUgraph_st* to = nullptr;
    if (auto own = Captures::get().end(stream, to)) graphs().add(std::move(own));
    *graph = to;
  });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id) {
  return run([&] {
    require(status != nullptr);
    require(!Captures::get().is_legacy_unusable(stream), cudaErrorStreamCaptureImplicit);
    const std::uint64_t number = Captures::get().id_of(stream);
    *status = number == 0                          ? cudaStreamCaptureStatusNone
              : Captures::get().is_invalid(stream) ? cudaStreamCaptureStatusInvalidated
                                                   : cudaStreamCaptureStatusActive;
    if (id != nullptr) *id = number;
  });
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** after, std::size_t* count) {
  const cudaError_t error = cudaStreamGetCaptureInfo(stream, status, id);
  if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive) return error;
  return run([&] {
    const auto* const ends = Captures::get().last_of(stream);
    if (graph != nullptr) *graph = Captures::get().graph_of(stream);
    if (after != nullptr) *after = ends->data();
    if (count != nullptr) *count = ends->size();
  });
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                std::size_t count, unsigned flags) {
  return run([&] {
    require((count == 0 || nodes != nullptr) && flags <= cudaStreamSetCaptureDependencies);
    Captures::get().set_last(stream, {nodes, nodes + count}, flags == cudaStreamSetCaptureDependencies);
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status, nullptr);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return run([&] {
    require(mode != nullptr && is_mode(*mode));
    *mode = Captures::exchange_mode(*mode);
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return run([&] {
    require(graph != nullptr && flags == 0);
    *graph = graphs().add(std::make_unique<CUgraph_st>());
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return run([&] { graphs().take(graph, cudaErrorInvalidValue); });
}
cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t graph) {
  return run([&] {
    require(copy != nullptr);
    *copy = graphs().add(checked(graph).copy());
  });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t node, cudaGraph_t clone) {
  return run([&] {
    require(found != nullptr);
    const std::uint64_t id = checked(node).id;
    const auto& nodes = checked(clone).nodes;
    const auto copy =
        std::find_if(nodes.begin(), nodes.end(), [&](const auto& own) { return own->copied_from == id; });
    require(copy != nodes.end());
    *found = copy->get();
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
  return run([&] { room(type) = checked(node).type; });
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return run([&] {
    CUgraph_st& graph = *checked(node).graph;
    require_removable(graph);
    graph.remove(node);
  });
}

cudaError_t warpscopeChangeEdges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                 const void* data, std::size_t count, int adds) {
  return run([&] {
    const CUgraph_st& of = checked(graph);
    require(count == 0 || (from != nullptr && to != nullptr));
    if (adds == 0 && count != 0) require_removable(of);
    for (std::size_t i = 0; i < count; ++i) require(of.has(from[i]) && of.has(to[i]) && from[i] != to[i]);
    for (std::size_t i = 0; i < count; ++i) {
      const EdgeData* const edge = data != nullptr ? static_cast<const EdgeData*>(data) + i : nullptr;
      if (adds != 0)
        connect(*from[i], *to[i], edge);
      else
        disconnect(*from[i], *to[i], edge);
    }
  });
}
cudaError_t warpscopeGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, void* data,
                              std::size_t* count) {
  return run([&] {
    require((from == nullptr) == (to == nullptr) && (data == nullptr || from != nullptr));
    copy_edges(edges_of(checked(graph)), from, to, data, count);
  });
}
cudaError_t warpscopeGetEdgesOfNode(cudaGraphNode_t node, cudaGraphNode_t* others, void* data,
                                    std::size_t* count, int later) {
  return run([&] {
    CUgraphNode_st& of = checked(node);
    require(data == nullptr || others != nullptr);
    if (later == 0) {
      copy_edges(edges_into(of), others, nullptr, data, count);
      return;
    }
    std::vector<Edge> edges = edges_of(*of.graph);
    std::erase_if(edges, [&](const Edge& edge) { return edge.from != node; });
    copy_edges(edges, nullptr, others, data, count);
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
  return warpscopeChangeEdges(graph, from, to, nullptr, count, 1);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, std::size_t count) {
  return warpscopeChangeEdges(graph, from, to, nullptr, count, 0);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              std::size_t* count) {
  return warpscopeGetEdges(graph, from, to, nullptr, count);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* earlier, std::size_t* count) {
  return warpscopeGetEdgesOfNode(node, earlier, nullptr, count, 0);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* later, std::size_t* count) {
  return warpscopeGetEdgesOfNode(node, later, nullptr, count, 1);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned flags) {
  return run([&] {
    require(path != nullptr);
    require(draw(checked(graph), path, flags), cudaErrorOperatingSystem);
  });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags) {
  return run([&] {
    require(object != nullptr && destroy != nullptr && flags == cudaUserObjectNoDestructorSync);
    *object = make_object(pointer, destroy, references);
  });
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return run([&] { retain_object(object, count); });
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return run([&] { release_object(object, count); });
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return run([&] {
    require(flags == 0 || flags == cudaGraphUserObjectMove);
    checked(graph).objects.add(object, count, flags == cudaGraphUserObjectMove);
  });
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return run([&] { checked(graph).objects.remove(object, count); });
}
}
