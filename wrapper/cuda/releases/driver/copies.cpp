// The driver's copies of rectangles and boxes, between the host, the device and arrays (CUDA Driver API, "Memory Management").
#include <algorithm>

#include "wrapper/cuda/releases/driver.h"
#include "wrapper/cuda/state/arrays.h"

namespace warpscope::cuda::releases {
namespace {

enum class Kind : int { Host = 1, Device = 2, Array = 3, Unified = 4 };

/// One side of a rectangle's copy, as CUDA_MEMCPY2D has it.
struct Side2D {
  std::size_t x, y;  // bytes, rows
  Kind kind;
  void* host;
  CUdeviceptr device;
  cudaArray* array;
  std::size_t pitch;
};
struct Copy2D {
  Side2D from, to;
  std::size_t width, height;
};

/// One side of a box's copy, as CUDA_MEMCPY3D has it.
struct Side3D {
  std::size_t x, y, z, level;
  Kind kind;
  void* host;
  CUdeviceptr device;
  cudaArray* array;
  void* reserved;
  std::size_t pitch, height;
};
struct Copy3D {
  Side3D from, to;
  std::size_t width, height, depth;
};

Side3D box_of(const Side2D& side) {
  return {side.x, side.y, 0, 0, side.kind, side.host, side.device, side.array, nullptr, side.pitch, 0};
}

/// Where a side's bytes are, and their pitches; false for what the documentation refuses.
bool place(const Side3D& side, const Copy3D& copy, cudaPitchedPtr& where, cudaPos& start) {
  start = {side.x, side.y, side.z};
  if (side.kind == Kind::Array) {
    if (side.array == nullptr) return false;
    where = side.array->whole();
    return side.x + copy.width <= where.pitch && side.y + copy.height <= where.ysize &&
           side.z + copy.depth <= side.array->planes();
  }
  if (side.kind != Kind::Host && side.kind != Kind::Device && side.kind != Kind::Unified) return false;
  // One row needs no pitch, one plane no height.
  const bool is_row = copy.height <= 1 && copy.depth <= 1;
  const std::size_t pitch = side.pitch == 0 && is_row ? side.x + copy.width : side.pitch;
  const std::size_t height = side.height == 0 && copy.depth <= 1 ? side.y + copy.height : side.height;
  where = {side.kind == Kind::Host ? side.host : pointer_of(side.device), pitch, pitch, height};
  return where.ptr != nullptr && side.x + copy.width <= pitch && side.y + copy.height <= height;
}

cudaMemcpyKind direction(const Copy3D& copy) {
  if (copy.from.kind == Kind::Unified || copy.to.kind == Kind::Unified) return cudaMemcpyDefault;
  if (copy.from.kind == Kind::Host)
    return copy.to.kind == Kind::Host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return copy.to.kind == Kind::Host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

/// Now, or as a node of the graph that `*stream` is captured to.
CUresult run(const Copy3D& copy, const CUstream* stream) {
  if (copy.from.level != 0 || copy.to.level != 0) return CUDA_ERROR_INVALID_VALUE;
  cudaMemcpy3DParms box{};
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return CUDA_SUCCESS;
  if (!place(copy.from, copy, box.srcPtr, box.srcPos) || !place(copy.to, copy, box.dstPtr, box.dstPos))
    return CUDA_ERROR_INVALID_VALUE;
  box.extent = {copy.width, copy.height, copy.depth};
  box.kind = direction(copy);
  return as_result(stream != nullptr ? cudaMemcpy3DAsync(&box, *stream) : cudaMemcpy3D(&box));
}
CUresult run(const Copy3D* copy, const CUstream* stream) {
  return copy != nullptr ? run(*copy, stream) : CUDA_ERROR_INVALID_VALUE;
}
CUresult run(const Copy2D* copy, const CUstream* stream) {
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return run(Copy3D{box_of(copy->from), box_of(copy->to), copy->width, copy->height, 1}, stream);
}

/// Values are aligned in each row, and a row's bytes can be counted.
template <class Value>
bool is_fillable(CUdeviceptr to, std::size_t pitch, std::size_t width) {
  return to % sizeof(Value) == 0 && pitch % sizeof(Value) == 0 && width <= SIZE_MAX / sizeof(Value);
}

template <class Value>
CUresult fill(CUdeviceptr to, std::size_t pitch, Value value, std::size_t width, std::size_t height) {
  if (!is_fillable<Value>(to, pitch, width)) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = cudaMemset2D(pointer_of(to), pitch, 0, width * sizeof(Value), height);
  for (std::size_t row = 0; row < height && error == cudaSuccess; ++row)
    std::fill_n(static_cast<Value*>(pointer_of(to + row * pitch)), width, value);
  return as_result(error);
}

/// Now, or as a node of the graph that the stream is captured to.
template <class Value>
CUresult fill_later(CUdeviceptr to, std::size_t pitch, Value value, std::size_t width, std::size_t height,
                    CUstream stream) {
  if (!is_fillable<Value>(to, pitch, width)) return CUDA_ERROR_INVALID_VALUE;
  const cudaMemsetParams set{pointer_of(to), pitch, value, sizeof value, width, height};
  cudaError_t error = cudaSuccess;
  return warpscopeCaptureFill(stream, &set, &error) != 0 ? as_result(error)
                                                         : fill(to, pitch, value, width, height);
}

Side3D in_array(cudaArray* array, std::size_t offset) {
  return {offset, 0, 0, 0, Kind::Array, nullptr, 0, array, nullptr, 0, 0};
}
Side3D on_device(CUdeviceptr address) {
  return {0, 0, 0, 0, Kind::Device, nullptr, address, nullptr, nullptr, 0, 0};
}
Side3D on_host(void* address) {
  return {0, 0, 0, 0, Kind::Host, address, 0, nullptr, nullptr, 0, 0};
}
CUresult copy_row(const Side3D& from, const Side3D& to, std::size_t bytes, const CUstream* stream = nullptr) {
  return run({from, to, bytes, 1, 1}, stream);
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {

CUresult cuMemcpy2D_v2(const Copy2D* copy) {
  return run(copy, nullptr);
}
CUresult cuMemcpy2DAsync_v2(const Copy2D* copy, CUstream stream) {
  return run(copy, &stream);
}
CUresult cuMemcpy3D_v2(const Copy3D* copy) {
  return run(copy, nullptr);
}
CUresult cuMemcpy3DAsync_v2(const Copy3D* copy, CUstream stream) {
  return run(copy, &stream);
}
WARPSCOPE_SAME(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
WARPSCOPE_SAME(cuMemcpy2D, cuMemcpy2D_v2);
WARPSCOPE_SAME(cuMemcpy2DUnaligned, cuMemcpy2D_v2);
WARPSCOPE_SAME(cuMemcpy2DAsync, cuMemcpy2DAsync_v2);
WARPSCOPE_SAME(cuMemcpy3D, cuMemcpy3D_v2);
WARPSCOPE_SAME(cuMemcpy3DAsync, cuMemcpy3DAsync_v2);
WARPSCOPE_SAME(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2);
WARPSCOPE_SAME(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2);
WARPSCOPE_SAME(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2);
WARPSCOPE_SAME(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2);
WARPSCOPE_SAME(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2);
// With contexts where the others have nothing: all contexts share the device.
WARPSCOPE_SAME(cuMemcpy3DPeer, cuMemcpy3D_v2);
WARPSCOPE_SAME(cuMemcpy3DPeerAsync, cuMemcpy3DAsync_v2);
WARPSCOPE_SAME(cuMemcpy3DPeer_ptds, cuMemcpy3D_v2);
WARPSCOPE_SAME(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DAsync_v2);

// A row of an array: its first `bytes` from an offset on.
CUresult cuMemcpyAtoA_v2(cudaArray* to, std::size_t to_offset, cudaArray* from, std::size_t offset,
                         std::size_t bytes) {
  return copy_row(in_array(from, offset), in_array(to, to_offset), bytes);
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, cudaArray* from, std::size_t offset, std::size_t bytes) {
  return copy_row(in_array(from, offset), on_device(to), bytes);
}
CUresult cuMemcpyDtoA_v2(cudaArray* to, std::size_t offset, CUdeviceptr from, std::size_t bytes) {
  return copy_row(on_device(from), in_array(to, offset), bytes);
}
CUresult cuMemcpyAtoH_v2(void* to, cudaArray* from, std::size_t offset, std::size_t bytes) {
  return copy_row(in_array(from, offset), on_host(to), bytes);
}
CUresult cuMemcpyHtoA_v2(cudaArray* to, std::size_t offset, const void* from, std::size_t bytes) {
  return copy_row(on_host(const_cast<void*>(from)), in_array(to, offset), bytes);
}
CUresult cuMemcpyAtoHAsync_v2(void* to, cudaArray* from, std::size_t offset, std::size_t bytes,
                              CUstream stream) {
  return copy_row(in_array(from, offset), on_host(to), bytes, &stream);
}
CUresult cuMemcpyHtoAAsync_v2(cudaArray* to, std::size_t offset, const void* from, std::size_t bytes,
                              CUstream stream) {
  return copy_row(on_host(const_cast<void*>(from)), in_array(to, offset), bytes, &stream);
}
WARPSCOPE_SAME(cuMemcpyAtoA_v2_ptds, cuMemcpyAtoA_v2);
WARPSCOPE_SAME(cuMemcpyAtoD_v2_ptds, cuMemcpyAtoD_v2);
WARPSCOPE_SAME(cuMemcpyDtoA_v2_ptds, cuMemcpyDtoA_v2);
WARPSCOPE_SAME(cuMemcpyAtoH_v2_ptds, cuMemcpyAtoH_v2);
WARPSCOPE_SAME(cuMemcpyHtoA_v2_ptds, cuMemcpyHtoA_v2);
WARPSCOPE_SAME(cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoHAsync_v2);
WARPSCOPE_SAME(cuMemcpyHtoAAsync_v2_ptsz, cuMemcpyHtoAAsync_v2);

// Calls end before they return, whatever the stream.
CUresult cuMemsetD2D8_v2(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                         std::size_t height) {
  return fill(to, pitch, value, width, height);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                          std::size_t height) {
  return fill(to, pitch, value, width, height);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                          std::size_t height) {
  return fill(to, pitch, value, width, height);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                           std::size_t height, CUstream stream) {
  return fill_later(to, pitch, value, width, height, stream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return fill_later(to, pitch, value, width, height, stream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return fill_later(to, pitch, value, width, height, stream);
}
WARPSCOPE_SAME(cuMemsetD2D16Async_ptsz, cuMemsetD2D16Async);
WARPSCOPE_SAME(cuMemsetD2D16_v2_ptds, cuMemsetD2D16_v2);
WARPSCOPE_SAME(cuMemsetD2D32Async_ptsz, cuMemsetD2D32Async);
WARPSCOPE_SAME(cuMemsetD2D32_v2_ptds, cuMemsetD2D32_v2);
WARPSCOPE_SAME(cuMemsetD2D8Async_ptsz, cuMemsetD2D8Async);
WARPSCOPE_SAME(cuMemsetD2D8_v2_ptds, cuMemsetD2D8_v2);
}
// NOLINTEND(readability-identifier-naming)
