#include "wrapper/cuda/releases/graphs/driver_copy.h"

#include "wrapper/cuda/state/arrays.h"

namespace warpscope::cuda::releases {
namespace {

constexpr int kHost = 1, kDevice = 2, kArray = 3, kUnified = 4;  // CUmemorytype

bool place(const DriverCopySide& side, const DriverCopy& copy, cudaArray_t& array, cudaPos& start,
           cudaPitchedPtr& where) {
  if (side.level != 0) return false;
  if (side.memory == kArray) {
    if (side.array == nullptr || side.x % side.array->element_bytes != 0) return false;
    array = side.array;
    start = {side.x / array->element_bytes, side.y, side.z};
    return true;
  }
  if (side.memory != kHost && side.memory != kDevice && side.memory != kUnified) return false;
  // One row needs no pitch, one plane no height.
  const bool is_row = copy.height <= 1 && copy.depth <= 1;
  const std::size_t pitch = side.pitch == 0 && is_row ? side.x + copy.width : side.pitch;
  const std::size_t height = side.height == 0 && copy.depth <= 1 ? side.y + copy.height : side.height;
  start = {side.x, side.y, side.z};
  where = {side.memory == kHost ? side.host : pointer_of(side.device), pitch, pitch, height};
  return where.ptr != nullptr && side.x + copy.width <= pitch && side.y + copy.height <= height;
}

cudaMemcpyKind direction(int from, int to) {
  if (from == kUnified || to == kUnified) return cudaMemcpyDefault;
  if (from == kHost) return to == kHost ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to == kHost ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

DriverCopySide side_of(cudaArray_t array, const cudaPos& start, const cudaPitchedPtr& where, int memory) {
  DriverCopySide side{};
  side.y = start.y, side.z = start.z;
  if (array != nullptr) {
    side.x = start.x * array->element_bytes, side.memory = kArray, side.array = array;
    return side;
  }
  side.x = start.x, side.memory = memory, side.pitch = where.pitch, side.height = where.ysize;
  if (memory == kHost)
    side.host = where.ptr;
  else
    side.device = reinterpret_cast<CUdeviceptr>(where.ptr);
  return side;
}

}  // namespace

bool as_runtime(const DriverCopy& copy, cudaMemcpy3DParms& box) {
  box = {};
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return false;
  if (!place(copy.from, copy, box.srcArray, box.srcPos, box.srcPtr) ||
      !place(copy.to, copy, box.dstArray, box.dstPos, box.dstPtr))
    return false;
  const cudaArray_t array = box.dstArray != nullptr ? box.dstArray : box.srcArray;
  const std::size_t element = array != nullptr ? array->element_bytes : 1;
  box.extent = {copy.width / element, copy.height, copy.depth};
  box.kind = direction(copy.from.memory, copy.to.memory);
  return copy.width % element == 0;
}

DriverCopy as_driver(const cudaMemcpy3DParms& box) {
  const bool from_host = box.kind == cudaMemcpyHostToHost || box.kind == cudaMemcpyHostToDevice;
  const bool to_host = box.kind == cudaMemcpyHostToHost || box.kind == cudaMemcpyDeviceToHost;
  const int other = box.kind == cudaMemcpyDefault ? kUnified : kDevice;
  const cudaArray_t array = box.dstArray != nullptr ? box.dstArray : box.srcArray;
  return {side_of(box.srcArray, box.srcPos, box.srcPtr, from_host ? kHost : other),
          side_of(box.dstArray, box.dstPos, box.dstPtr, to_host ? kHost : other),
          box.extent.width * (array != nullptr ? array->element_bytes : 1), box.extent.height,
          box.extent.depth};
}

}  // namespace warpscope::cuda::releases
