// Edges of graphs with what they wait for (cudaGraphEdgeData, CUDA Runtime API, "Graph Management"), which release 12.3 has under other names and
// release 13 under the old ones. Their exported names are by asm: the runtime's own declarations are without the data.
#include <cstdint>
#include <vector>

#include "wrapper/cuda/releases/driver.h"

#if WARPSCOPE_RELEASE == 13
#define WARPSCOPE_WITH_EDGES(name) __asm__(#name)
#else
#define WARPSCOPE_WITH_EDGES(name) __asm__(#name "_v2")
#endif

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): named after what they are exported as
extern "C" {

cudaError_t edges_add(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                      const void* edges, std::size_t count) WARPSCOPE_WITH_EDGES(cudaGraphAddDependencies);
cudaError_t edges_add(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                      const void* edges, std::size_t count) {
  return warpscopeChangeEdges(graph, from, to, edges, count, 1);
}
cudaError_t edges_remove(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                         const void* edges, std::size_t count)
    WARPSCOPE_WITH_EDGES(cudaGraphRemoveDependencies);
cudaError_t edges_remove(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                         const void* edges, std::size_t count) {
  return warpscopeChangeEdges(graph, from, to, edges, count, 0);
}
cudaError_t edges_get(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, void* edges,
                      std::size_t* count) WARPSCOPE_WITH_EDGES(cudaGraphGetEdges);
cudaError_t edges_get(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, void* edges,
                      std::size_t* count) {
  return warpscopeGetEdges(graph, from, to, edges, count);
}
cudaError_t edges_before(cudaGraphNode_t node, cudaGraphNode_t* others, void* edges, std::size_t* count)
    WARPSCOPE_WITH_EDGES(cudaGraphNodeGetDependencies);
cudaError_t edges_before(cudaGraphNode_t node, cudaGraphNode_t* others, void* edges, std::size_t* count) {
  return warpscopeGetEdgesOfNode(node, others, edges, count, 0);
}
cudaError_t edges_behind(cudaGraphNode_t node, cudaGraphNode_t* others, void* edges, std::size_t* count)
    WARPSCOPE_WITH_EDGES(cudaGraphNodeGetDependentNodes);
cudaError_t edges_behind(cudaGraphNode_t node, cudaGraphNode_t* others, void* edges, std::size_t* count) {
  return warpscopeGetEdgesOfNode(node, others, edges, count, 1);
}

CUresult cuGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                   const void* edges, std::size_t count) {
  return as_result(warpscopeChangeEdges(graph, from, to, edges, count, 1));
}
CUresult cuGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                      const cudaGraphNode_t* to, const void* edges, std::size_t count) {
  return as_result(warpscopeChangeEdges(graph, from, to, edges, count, 0));
}
CUresult cuGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, void* edges,
                            std::size_t* count) {
  return as_result(warpscopeGetEdges(graph, from, to, edges, count));
}
CUresult cuGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t* others, void* edges,
                                       std::size_t* count) {
  return as_result(warpscopeGetEdgesOfNode(node, others, edges, count, 0));
}
CUresult cuGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t* others, void* edges,
                                         std::size_t* count) {
  return as_result(warpscopeGetEdgesOfNode(node, others, edges, count, 1));
}

/// As before release 10.1, without a mode.
CUresult cuStreamBeginCapture(CUstream stream) {
  return as_result(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
}
WARPSCOPE_SAME(cuStreamBeginCapture_ptsz, cuStreamBeginCapture);

// Streams that are captured. Work that is captured waits for the whole of what is before it: no edge has data.
cudaError_t capture_update(cudaStream_t stream, cudaGraphNode_t* nodes, const void* edges, std::size_t count,
                           unsigned flags) WARPSCOPE_WITH_EDGES(cudaStreamUpdateCaptureDependencies);
cudaError_t capture_update(cudaStream_t stream, cudaGraphNode_t* nodes, const void* /*edges*/,
                           std::size_t count, unsigned flags) {
  using Update = cudaError_t(cudaStream_t, cudaGraphNode_t*, std::size_t, unsigned);
  return core<Update>("cudaStreamUpdateCaptureDependencies")(stream, nodes, count, flags);
}
CUresult cuStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t* nodes, const void* edges,
                                              std::size_t count, unsigned flags) {
  return as_result(capture_update(stream, nodes, edges, count, flags));
}
WARPSCOPE_SAME(cuStreamUpdateCaptureDependencies_v2_ptsz, cuStreamUpdateCaptureDependencies_v2);
#if WARPSCOPE_RELEASE == 13
decltype(capture_update) capture_update_of_thread __asm__("cudaStreamUpdateCaptureDependencies_ptsz")
    __attribute__((alias("cudaStreamUpdateCaptureDependencies")));
#else
decltype(capture_update) capture_update_of_thread __asm__("cudaStreamUpdateCaptureDependencies_v2_ptsz")
    __attribute__((alias("cudaStreamUpdateCaptureDependencies_v2")));
#endif

cudaError_t capture_information(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                cudaGraph_t* graph, const cudaGraphNode_t** nodes, const void** edges,
                                std::size_t* count)
#if WARPSCOPE_RELEASE == 13
    __asm__("cudaStreamGetCaptureInfo");
decltype(capture_information) capture_information_of_thread __asm__("cudaStreamGetCaptureInfo_ptsz")
    __attribute__((alias("cudaStreamGetCaptureInfo")));
#else
    __asm__("cudaStreamGetCaptureInfo_v3");
decltype(capture_information) capture_information_of_thread __asm__("cudaStreamGetCaptureInfo_v3_ptsz")
    __attribute__((alias("cudaStreamGetCaptureInfo_v3")));
#endif
cudaError_t capture_information(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                cudaGraph_t* graph, const cudaGraphNode_t** nodes, const void** edges,
                                std::size_t* count) {
  std::size_t found = 0;
  const cudaError_t result = cudaStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, &found);
  if (result != cudaSuccess) return result;
  if (count != nullptr) *count = found;
  if (edges == nullptr) return result;
  // As many as were ever asked for, all of them without data.
  static thread_local std::vector<std::uint64_t> none;
  if (none.size() < found) none.resize(found);
  *edges = none.data();
  return result;
}
CUresult cuStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                   unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** nodes,
                                   const void** edges, std::size_t* count) {
  return as_result(capture_information(stream, status, id, graph, nodes, edges, count));
}
WARPSCOPE_SAME(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3);
}
// NOLINTEND(readability-identifier-naming)
