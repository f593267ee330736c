// Where managed memory is, which has no effect here (CUDA Runtime API, "Memory Management").
#include "wrapper/cuda/api.h"
#include "wrapper/cuda/api/devices.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

/// Memory that may move, and where to: the device or the host.
void require_place(const void* pointer, std::size_t bytes, int device) {
  if (device != cudaCpuDeviceId) require_device_number(device);
  require(bytes != 0);
  Memory::get().require_device(pointer, bytes);
  // A variable may be a managed one.
  const MemoryKind kind = Memory::get().find(pointer)->kind;
  require(kind == MemoryKind::Managed || kind == MemoryKind::Symbol);
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                 cudaStream_t /*stream*/) {
  return run([&] { require_place(pointer, bytes, device); });
}
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, int device) {
  return run([&] {
    require(advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy);
    require_place(pointer, bytes, device);
  });
}
}
