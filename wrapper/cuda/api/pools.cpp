// Memory pools (CUDA Runtime API, "Stream Ordered Memory Allocator"). A pool keeps no memory that is not used: it only
// counts.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "wrapper/cuda/api.h"
#include "wrapper/cuda/graph.h"
#include "wrapper/cuda/graphs/graph_memory.h"
#include "wrapper/cuda/handles.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/state/status.h"

struct CUmemPoolHandle_st {
  std::mutex mutex;
  std::array<int, 3> reuse = {1, 1, 1};
  std::uint64_t threshold = 0, most_used = 0;
  std::vector<std::pair<void*, std::size_t>> given;  ///< may have been freed since

  std::uint64_t used() {
    std::erase_if(given, [](const auto& one) {
      const auto allocation = warpscope::cuda::Memory::get().find(one.first);
      return !allocation || allocation->pointer() != one.first || allocation->bytes != one.second;
    });
    std::uint64_t bytes = 0;
    for (const auto& one : given) bytes += one.second;
    return bytes;
  }
};

namespace warpscope::cuda {
namespace {

using Pool = CUmemPoolHandle_st;

Handles<Pool>& pools() {
  return Handles<Pool>::get();
}
cudaMemPool_t default_pool() {
  static const cudaMemPool_t pool = pools().add(std::make_unique<Pool>());
  return pool;
}
std::atomic<cudaMemPool_t> current_pool = nullptr;  ///< null: the default one

Pool& pool_of_device() {
  const cudaMemPool_t chosen = current_pool;
  return chosen != nullptr ? pools().check(chosen, cudaErrorInvalidValue) : *default_pool();
}

void allocate_from(void** pointer, std::size_t bytes, cudaMemPool_t pool) {
  const std::string name = take_next_name();
  require(pointer != nullptr);
  Pool& from = pool != nullptr ? pools().check(pool, cudaErrorInvalidValue) : pool_of_device();
  *pointer = Memory::get().allocate(bytes, MemoryKind::Device, name);
  const std::lock_guard lock(from.mutex);
  if (bytes != 0) from.given.emplace_back(*pointer, bytes);
  from.most_used = std::max(from.most_used, from.used());
}

/// A node of the graph that the stream is captured to.
void capture_allocation(void** pointer, std::size_t bytes, cudaStream_t stream) {
  require(pointer != nullptr);
  AllocatedMemory made{};
  made.given.poolProps.allocType = cudaMemAllocationTypePinned;
  made.given.poolProps.location.type = cudaMemLocationTypeDevice;
  made.given.bytesize = bytes;
  made.block = GraphMemory::get().add(bytes, take_next_name());
  made.given.dptr = made.block->pointer();
  Captures::get().add(stream, {cudaGraphNodeTypeMemAlloc, {}, {}, {}, {}, made});
  *pointer = made.given.dptr;
}

/// `pool`: null for that of the device.
cudaError_t allocate_later(void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return run([&] {
    if (Captures::get().takes(stream) && bytes != 0)
      capture_allocation(pointer, bytes, stream);
    else
      allocate_from(pointer, bytes, pool);
  });
}

/// Runs `work` with the pool, under its lock.
template <class Work>
cudaError_t with_pool(cudaMemPool_t pool, const void* value, const Work& work) {
  return run([&] {
    Pool& known = pools().check(pool, cudaErrorInvalidValue);
    require(value != nullptr);
    const std::lock_guard lock(known.mutex);
    work(known);
  });
}

cudaError_t get_pool(cudaMemPool_t* place, int device, cudaMemPool_t pool) {
  return run([&] {
    require(device == 0, cudaErrorInvalidDevice);
    require(place != nullptr);
    *place = pool;
  });
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return run([&] {
    require(pool != nullptr && properties != nullptr &&
            properties->allocType == cudaMemAllocationTypePinned &&
            properties->location.type == cudaMemLocationTypeDevice && properties->location.id == 0);
    require(properties->handleTypes == cudaMemHandleTypeNone, cudaErrorNotSupported);
    *pool = pools().add(std::make_unique<Pool>());
  });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return run([&] {
    require(pool != default_pool());
    if (current_pool == pool) current_pool = nullptr;
    pools().remove(pool, cudaErrorInvalidValue);
  });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t /*bytes_to_keep*/) {
  return with_pool(pool, pool, [](const Pool&) {});
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, value, [&](Pool& known) {
    if (attribute >= cudaMemPoolReuseFollowEventDependencies &&
        attribute <= cudaMemPoolReuseAllowInternalDependencies) {
      std::memcpy(&known.reuse.at(static_cast<std::size_t>(attribute) - 1), value, sizeof(int));
      return;
    }
    std::uint64_t number = 0;
    std::memcpy(&number, value, sizeof(number));
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
      known.threshold = number;
      return;
    }
    // The marks of the highest use can only be set to nothing.
    const bool is_mark =
        attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    require(is_mark && number == 0);
    known.most_used = known.used();
  });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, value, [&](Pool& known) {
    require(attribute >= cudaMemPoolReuseFollowEventDependencies && attribute <= cudaMemPoolAttrUsedMemHigh);
    if (attribute <= cudaMemPoolReuseAllowInternalDependencies) {
      std::memcpy(value, &known.reuse.at(static_cast<std::size_t>(attribute) - 1), sizeof(int));
      return;
    }
    const bool is_mark =
        attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    const std::uint64_t number = attribute == cudaMemPoolAttrReleaseThreshold ? known.threshold
                                 : is_mark                                    ? known.most_used
                                                                              : known.used();
    std::memcpy(value, &number, sizeof(number));
  });
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* accesses, std::size_t count) {
  return with_pool(pool, accesses, [&](Pool&) {
    for (std::size_t i = 0; i < count; ++i) {
      require(accesses[i].location.type == cudaMemLocationTypeDevice);
      require(accesses[i].location.id == 0, cudaErrorInvalidDevice);
      // The device where a pool lies cannot lose its access.
      require(accesses[i].flags == cudaMemAccessFlagsProtReadWrite);
    }
  });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return with_pool(pool, flags, [&](Pool&) {
    require(location != nullptr && location->type == cudaMemLocationTypeDevice);
    require(location->id == 0, cudaErrorInvalidDevice);
    *flags = cudaMemAccessFlagsProtReadWrite;
  });
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return get_pool(pool, device, default_pool());
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  const cudaMemPool_t chosen = current_pool;
  return get_pool(pool, device, chosen != nullptr ? chosen : default_pool());
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return run([&] {
    require(device == 0, cudaErrorInvalidDevice);
    pools().check(pool, cudaErrorInvalidValue);
    current_pool = pool;
  });
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return allocate_later(pointer, bytes, nullptr, stream);
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return pool != nullptr ? allocate_later(pointer, bytes, pool, stream) : note(cudaErrorInvalidValue);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return run([&] {
    if (Captures::get().takes(stream))
      Captures::get().add(stream, {cudaGraphNodeTypeMemFree, {}, {}, {}, {}, FreedMemory{pointer}});
    else if (!GraphMemory::get().release(pointer))
      Memory::get().release(pointer, MemoryKind::Device, MemoryKind::Managed);
  });
}
}
