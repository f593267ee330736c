#pragma once
// What the libraries next to the runtime (libraries/, releases/) ask of it. They are shared libraries of their own, made with it.
#include <cstddef>
#include <functional>

#include "wrapper/cuda/api.h"

// NOLINTBEGIN(readability-identifier-naming): as other functions that the library exports
extern "C" {

/// Does the work of a library's function: now, or as a host node of the graph that `stream` is captured to. A traced
/// program is told once that `library` is not traced. Returns, and notes for cudaGetLastError(), what went wrong.
cudaError_t warpscopeSubmit(cudaStream_t stream, const char* library, const std::function<void()>& work);

/// One line on standard error: "warpscope: …". Each text once.
void warpscopeComplain(const char* text);

/// Names a function that the runtime does not have, on standard error and once. Returns, and notes for cudaGetLastError(),
/// cudaErrorNotSupported.
cudaError_t warpscopeNotSupported(const char* function);

/// Kernels and copies may use this memory as the device's, until it is unmapped.
void warpscopeMapMemory(void* pointer, std::size_t bytes);
void warpscopeUnmapMemory(void* pointer);

/// What only machine code has of a texture: several levels, and another look at an array's elements.
struct WarpscopeTextureLevels {
  cudaArray_t levels[16];
  unsigned count;
  const struct cudaTextureDesc* sampler;
  const struct cudaChannelFormatDesc* format;  ///< instead of the array's own
  unsigned first_layer, layers;                ///< of layered ones; 0 layers: all
};

/// The handle for machine code of a texture's or surface's object that the runtime made of `resource`: a number from 1 on, until it is removed.
/// `levels`: of a texture of arrays, or null.
unsigned long long warpscopeAddTexture(unsigned long long object, const struct cudaResourceDesc* resource,
                                       int is_surface, const struct WarpscopeTextureLevels* levels);
void warpscopeRemoveTexture(unsigned long long handle);

/// A node of any type: `start` is called when a launch of the graph begins, `work` in its turn. Errors of cudaGraphAddEmptyNode().
cudaError_t warpscopeAddGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  size_t count, int type, const std::function<void()>& work,
                                  const std::function<void()>& start);
/// Adds edges between nodes of the graph, or takes them away, with cudaGraphEdgeData for each or null. Errors of cudaGraphAddDependencies().
cudaError_t warpscopeChangeEdges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                 const void* data, size_t count, int adds);
/// cudaGraphGetEdges() with edge data; that of one node, from those before or to those `later`.
cudaError_t warpscopeGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, void* data,
                              size_t* count);
cudaError_t warpscopeGetEdgesOfNode(cudaGraphNode_t node, cudaGraphNode_t* others, void* data, size_t* count,
                                    int later);
/// cudaGraphExecUpdate() that names the other end of a wrong edge, too.
cudaError_t warpscopeUpdateGraph(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t* wrong,
                                 cudaGraphNode_t* wrong_from, cudaGraphExecUpdateResult* result);
/// cudaStreamBeginCaptureToGraph(), whose edges have no data.
cudaError_t warpscopeBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* after,
                                         size_t count, int mode);
/// cudaGraphAddChildGraphNode() that takes the program's graph itself, which has to be one that the program would have to destroy.
cudaError_t warpscopeMoveChildGraph(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    size_t count, cudaGraph_t child);
/// Whether a fill became a node of the graph that `stream` is captured to; otherwise nothing is done. `error`: of that.
int warpscopeCaptureFill(cudaStream_t stream, const struct cudaMemsetParams* fill, cudaError_t* error);
/// The beginning of a launch, and its work, inside of `work` and `start` of another graph's node.
void warpscopeStartGraph(cudaGraph_t graph);
void warpscopeRunGraph(cudaGraph_t graph);

/// cudaLaunchKernel(), or cudaLaunchCooperativeKernel(), with work-groups in clusters of this size. Only machine code can be launched so:
/// else cudaErrorNotSupported. cudaErrorInvalidConfiguration for a grid that is no multiple, and more than 16 work-groups.
cudaError_t warpscopeLaunchInClusters(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                      size_t shared_bytes, cudaStream_t stream, int is_cooperative,
                                      dim3 cluster);

/// Kernel `index` of code that the program loads while it runs, in the order of mangled names; null behind the last one, and without such code.
const void* warpscopeKernelOf(CUmodule module, size_t index);
/// The code that has the kernel. cudaErrorInvalidResourceHandle for kernels of the program itself, cudaErrorInvalidDeviceFunction for none.
cudaError_t warpscopeModuleOf(const void* kernel, CUmodule* module);
/// Where argument `index` of a kernel lies among its arguments, and its size; both in bytes, each may be null. cudaErrorInvalidValue behind the
/// last one, cudaErrorNotSupported where the code is not NVIDIA's compiler's.
cudaError_t warpscopeParameterOf(const void* kernel, size_t index, size_t* offset, size_t* bytes);
/// Work-groups of a kernel in the largest cluster that a launch may ask for, and clusters of `cluster` work-groups that the GPU holds at once; 0
/// where it has no clusters.
cudaError_t warpscopeLargestCluster(const void* kernel, int* work_groups);
cudaError_t warpscopeClustersAtOnce(const void* kernel, dim3 block, size_t shared_bytes, dim3 cluster,
                                    int* clusters);
}
// NOLINTEND(readability-identifier-naming)
