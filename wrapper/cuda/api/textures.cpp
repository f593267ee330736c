// Arrays and textures (CUDA Runtime API, "Texture Object Management"). An array's elements lie in rows, one row
// behind the other; a GPU's order is not published.
#include <algorithm>
#include <cstring>

#include "passes/cuda/include/warpscope/texture_types.h"
#include "wrapper/cuda/api.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/status.h"
// clang-format off
#include "passes/cuda/include/warpscope/texture_host.h"
// clang-format on

struct cudaArray {
  cudaChannelFormatDesc description;
  std::size_t width, height, element_bytes;  // height 1: one-dimensional
  char* data;
};

namespace warpscope::cuda {
namespace {

constexpr int kBitsPerByte = 8;

std::size_t element_bytes(const cudaChannelFormatDesc& description) {
  const int bits = description.x + description.y + description.z + description.w;
  require(bits > 0 && bits % kBitsPerByte == 0, cudaErrorInvalidChannelDescriptor);
  return static_cast<std::size_t>(bits / kBitsPerByte);
}

std::size_t row_bytes(const cudaArray& array) {
  return array.width * array.element_bytes;
}

/// The place in an array, with `bytes` of the row behind it.
char* place_in(const cudaArray* array, std::size_t x_bytes, std::size_t y, std::size_t bytes,
               std::size_t rows) {
  require(array != nullptr, cudaErrorInvalidResourceHandle);
  require(x_bytes + bytes <= row_bytes(*array) && y + rows <= array->height);
  return array->data + y * row_bytes(*array) + x_bytes;
}

/// Bytes that may run over several rows (cudaMemcpyToArray).
char* run_in(const cudaArray* array, std::size_t x_bytes, std::size_t y, std::size_t bytes) {
  char* const place = place_in(array, x_bytes, y, 0, 1);
  require(y * row_bytes(*array) + x_bytes + bytes <= row_bytes(*array) * array->height);
  return place;
}

void describe(warpscope_texture& place, const cudaResourceDesc& resource, const cudaTextureDesc& how) {
  require(how.filterMode == cudaFilterModePoint, cudaErrorNotSupported);
  place = {};
  place.is_normalized = how.normalizedCoords;
  std::copy(how.addressMode, how.addressMode + 2, place.modes);
  switch (resource.resType) {
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      const auto allocation = Memory::get().find(linear.devPtr);
      require(allocation.has_value());
      place.data = static_cast<const char*>(linear.devPtr);
      const std::uint64_t there =
          allocation->address + allocation->bytes - reinterpret_cast<std::uintptr_t>(linear.devPtr);
      place.width = static_cast<unsigned>(std::min<std::uint64_t>(linear.sizeInBytes, there) /
                                          element_bytes(linear.desc));
      place.height = 1;
      break;
    }
    case cudaResourceTypePitch2D: {
      const auto& rows = resource.res.pitch2D;
      require(rows.height > 0);
      Memory::get().require_device(
          rows.devPtr, rows.pitchInBytes * (rows.height - 1) + rows.width * element_bytes(rows.desc));
      place = {static_cast<const char*>(rows.devPtr),
               static_cast<unsigned>(rows.width),
               static_cast<unsigned>(rows.height),
               rows.pitchInBytes,
               place.is_normalized,
               {place.modes[0], place.modes[1]}};
      break;
    }
    case cudaResourceTypeArray: {
      const cudaArray* array = resource.res.array.array;
      require(array != nullptr, cudaErrorInvalidResourceHandle);
      place = {array->data,
               static_cast<unsigned>(array->width),
               static_cast<unsigned>(array->height),
               row_bytes(*array),
               place.is_normalized,
               {place.modes[0], place.modes[1]}};
      break;
    }
    case cudaResourceTypeMipmappedArray:
      require(false, cudaErrorNotSupported);
  }
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* description, cudaArray_const_t array) {
  return run([&] {
    require(description != nullptr && array != nullptr);
    *description = array->description;
  });
}
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* description, std::size_t width,
                            std::size_t height, unsigned /*flags*/) {
  return run([&] {
    require(array != nullptr && description != nullptr && width > 0);
    const std::size_t bytes = element_bytes(*description);
    const std::size_t rows = std::max<std::size_t>(height, 1);
    auto* data =
        static_cast<char*>(Memory::get().allocate(width * rows * bytes, MemoryKind::Device, "array"));
    *array = new cudaArray{*description, width, rows, bytes, data};
  });
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  return run([&] {
    if (array == nullptr) return;
    Memory::get().release(array->data, MemoryKind::Device, MemoryKind::Device);
    delete array;
  });
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind /*kind*/) {
  return run([&] {
    require(from != nullptr);
    std::memmove(run_in(to, x_bytes, y, bytes), from, bytes);
  });
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x_bytes, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind /*kind*/) {
  return run([&] {
    require(to != nullptr);
    std::memmove(to, run_in(from, x_bytes, y, bytes), bytes);
  });
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind /*kind*/) {
  return run([&] {
    require(from != nullptr && width <= pitch);
    char* place = place_in(to, x_bytes, y, width, height);
    for (std::size_t row = 0; row < height; ++row)
      std::memmove(place + row * row_bytes(*to), static_cast<const char*>(from) + row * pitch, width);
  });
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x_bytes,
                                  std::size_t y, std::size_t width, std::size_t height,
                                  cudaMemcpyKind /*kind*/) {
  return run([&] {
    require(to != nullptr && width <= pitch);
    const char* place = place_in(from, x_bytes, y, width, height);
    for (std::size_t row = 0; row < height; ++row)
      std::memmove(static_cast<char*>(to) + row * pitch, place + row * row_bytes(*from), width);
  });
}
cudaError_t warpscopeDescribeTexture(warpscope_texture* place, const cudaResourceDesc* resource,
                                     const cudaTextureDesc* texture) {
  return run([&] { describe(*place, *resource, *texture); });
}
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  return run([&] {
    require(object != nullptr && resource != nullptr && texture != nullptr);
    require(view == nullptr && texture->readMode == cudaReadModeElementType, cudaErrorNotSupported);
    warpscope_texture place;
    describe(place, *resource, *texture);
    const void* address = place.data;
    if (resource->resType != cudaResourceTypeLinear) {
      void* const memory = Memory::get().allocate(sizeof(place), MemoryKind::Symbol, "texture");
      std::memcpy(memory, &place, sizeof(place));
      address = memory;
    }
    *object = reinterpret_cast<std::uintptr_t>(address);
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t /*object*/) {
  return run([] {});
}
}
