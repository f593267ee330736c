// Memory that graphs allocate (CUDA Runtime API, "Graph Management").
#include "wrapper/cuda/graphs/graph_memory.h"

#include <cstdint>
#include <cstring>

#include "wrapper/cuda/api/graphs.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

void check_device(int device) {
  require(device == 0, cudaErrorInvalidDevice);
}

/// A node without work.
void add_mark(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
              cudaGraphNodeType type, const Parameters& parameters) {
  add_node(node, graph, after, count, {type, {}, {}, {}, {}, parameters});
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
    AllocatedMemory made{*memory, {}, {}};
    if (memory->accessDescs != nullptr)
      made.access.assign(memory->accessDescs, memory->accessDescs + memory->accessDescCount);
    add_mark(node, graph, after, count, cudaGraphNodeTypeMemAlloc, made);
    auto& added = described_as<AllocatedMemory>(**node);
    added.block = GraphMemory::get().add(memory->bytesize, take_next_name());
    added.given.dptr = memory->dptr = added.block->pointer();
  });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* memory) {
  return run([&] {
    const AllocatedMemory& made = described_as<AllocatedMemory>(checked(node));
    room(memory) = made.given;
    memory->accessDescs = made.access.empty() ? nullptr : made.access.data();
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    std::size_t count, void* pointer) {
  return run([&] {
    require(pointer != nullptr && Memory::get().find(pointer).has_value());
    add_mark(node, graph, after, count, cudaGraphNodeTypeMemFree, FreedMemory{pointer});
  });
}
/// `pointer` is where it is put.
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return run([&] {
    void* const freed = described_as<FreedMemory>(checked(node)).pointer;
    std::memcpy(&room(static_cast<char*>(pointer)), &freed, sizeof freed);
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
    const bool is_now =
        attribute == cudaGraphMemAttrUsedMemCurrent || attribute == cudaGraphMemAttrReservedMemCurrent;
    const std::uint64_t bytes = is_now ? GraphMemory::get().used() : GraphMemory::get().most_used();
    std::memcpy(value, &bytes, sizeof bytes);
  });
}
/// The marks of the highest use can only be set to that of now.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return run([&] {
    check_device(device);
    require(value != nullptr &&
            (attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh));
    GraphMemory::get().reset_most_used();
  });
}
}
