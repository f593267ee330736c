// Memory that graphs allocate (CUDA Runtime API, "Graph Management"). The program knows its address before the graph runs, so it is allocated with
// the node, and stays until the program frees it or ends.
#include <atomic>
#include <cstdint>
#include <cstring>

#include "wrapper/cuda/api.h"
#include "wrapper/cuda/graph.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

std::atomic<std::uint64_t> allocated = 0;  ///< bytes, by all nodes so far

void check_device(int device) {
  require(device == 0, cudaErrorInvalidDevice);
}

/// A node without work.
void add_mark(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
              cudaGraphNodeType type) {
  const cudaError_t error = cudaGraphAddEmptyNode(node, graph, after, count);
  require(error == cudaSuccess, error);
  (*node)->type = type;
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, cudaMemAllocNodeParams* memory) {
  return run([&] {
    require(memory != nullptr && memory->bytesize > 0);
    const cudaMemPoolProps& place = memory->poolProps;
    require(place.allocType == cudaMemAllocationTypePinned &&
            place.location.type == cudaMemLocationTypeDevice);
    check_device(place.location.id);
    require(place.handleTypes == cudaMemHandleTypeNone, cudaErrorNotSupported);
    add_mark(node, graph, after, count, cudaGraphNodeTypeMemAlloc);
    memory->dptr = Memory::get().allocate(memory->bytesize, MemoryKind::Device, take_next_name());
    allocated += memory->bytesize;
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    std::size_t count, void* pointer) {
  return run([&] {
    require(pointer != nullptr && Memory::get().find(pointer).has_value());
    add_mark(node, graph, after, count, cudaGraphNodeTypeMemFree);
  });
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return run([&] { check_device(device); });
}
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return run([&] {
    check_device(device);
    require(value != nullptr && attribute >= cudaGraphMemAttrUsedMemCurrent &&
            attribute <= cudaGraphMemAttrReservedMemHigh);
    const std::uint64_t bytes = allocated;
    std::memcpy(value, &bytes, sizeof bytes);
  });
}
/// The marks of the highest use can only be set to nothing; they are that of now.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return run([&] {
    check_device(device);
    require(value != nullptr &&
            (attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh));
  });
}
}
