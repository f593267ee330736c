// Arrays and textures (CUDA Runtime API, "Texture Object Management"). An array's elements lie in rows, one row
// behind the other; a GPU's order is not published.
#include <algorithm>
#include <cstring>

#include "passes/cuda/include/warpscope/texture_types.h"
#include "wrapper/cuda/api.h"
#include "wrapper/cuda/graph.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/state/arrays.h"
#include "wrapper/cuda/state/status.h"
// clang-format off
#include "passes/cuda/include/warpscope/texture_host.h"
// clang-format on

namespace warpscope::cuda {
namespace {

constexpr int kBitsPerByte = 8;
constexpr std::size_t kMostLinearElements = std::size_t{1} << 27;  ///< maxTexture1DLinear

std::size_t element_bytes(const cudaChannelFormatDesc& description) {
  const int bits = description.x + description.y + description.z + description.w;
  require(bits > 0 && bits % kBitsPerByte == 0, cudaErrorInvalidChannelDescriptor);
  return static_cast<std::size_t>(bits / kBitsPerByte);
}

/// The place in an array, with `bytes` of the row behind it.
char* place_in(const cudaArray* array, std::size_t x_bytes, std::size_t y, std::size_t bytes,
               std::size_t rows) {
  require(array != nullptr, cudaErrorInvalidResourceHandle);
  require(x_bytes + bytes <= array->row_bytes() && y + rows <= array->rows());
  return array->data + y * array->row_bytes() + x_bytes;
}

/// Bytes that may run over several rows (cudaMemcpyToArray).
char* run_in(const cudaArray* array, std::size_t x_bytes, std::size_t y, std::size_t bytes) {
  char* const place = place_in(array, x_bytes, y, 0, 1);
  require(y * array->row_bytes() + x_bytes + bytes <= array->row_bytes() * array->rows());
  return place;
}

void copy_rows(char* to, std::size_t to_pitch, const char* from, std::size_t from_pitch, std::size_t width,
               std::size_t height) {
  for (std::size_t row = 0; row < height; ++row)
    std::memmove(to + row * to_pitch, from + row * from_pitch, width);
}

// Copies, to be done now or in the order of a stream.

auto to_array(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from, std::size_t bytes) {
  return [=] {
    require(from != nullptr);
    std::memmove(run_in(to, x_bytes, y, bytes), from, bytes);
  };
}
auto from_array(void* to, cudaArray_const_t from, std::size_t x_bytes, std::size_t y, std::size_t bytes) {
  return [=] {
    require(to != nullptr);
    std::memmove(to, run_in(from, x_bytes, y, bytes), bytes);
  };
}
auto rows_to_array(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from, std::size_t pitch,
                   std::size_t width, std::size_t height) {
  return [=] {
    require(from != nullptr && width <= pitch);
    copy_rows(place_in(to, x_bytes, y, width, height), to->row_bytes(), static_cast<const char*>(from), pitch,
              width, height);
  };
}
auto rows_from_array(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x_bytes, std::size_t y,
                     std::size_t width, std::size_t height) {
  return [=] {
    require(to != nullptr && width <= pitch);
    copy_rows(static_cast<char*>(to), pitch, place_in(from, x_bytes, y, width, height), from->row_bytes(),
              width, height);
  };
}
template <class Work>
cudaError_t copy_later(cudaStream_t stream, const Work& work) {
  return run([&] { submit(stream, cudaGraphNodeTypeMemcpy, work); });
}
/// In the legacy stream, for which the call waits.
template <class Work>
cudaError_t copy_now(const Work& work) {
  return run([&] {
    require(!Captures::get().takes(nullptr), cudaErrorStreamCaptureUnsupported);
    work();
  });
}
void require_within_device(cudaMemcpyKind kind) {
  require(kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection);
}

unsigned as_unsigned(std::size_t size) {
  return static_cast<unsigned>(size);
}

void describe_linear(warpscope_texture& place, const cudaResourceDesc& resource) {
  const auto& linear = resource.res.linear;
  require(Memory::get().find(linear.devPtr).has_value());
  place.data = static_cast<const char*>(linear.devPtr);
  place.element_bytes = as_unsigned(element_bytes(linear.desc));
  place.size[0] = as_unsigned(std::min(linear.sizeInBytes / place.element_bytes, kMostLinearElements));
}

void describe_rows(warpscope_texture& place, const cudaResourceDesc& resource) {
  const auto& rows = resource.res.pitch2D;
  require(rows.height > 0);
  place.element_bytes = as_unsigned(element_bytes(rows.desc));
  Memory::get().require_device(rows.devPtr,
                               rows.pitchInBytes * (rows.height - 1) + rows.width * place.element_bytes);
  place.data = static_cast<const char*>(rows.devPtr);
  place.size[0] = as_unsigned(rows.width);
  place.size[1] = as_unsigned(rows.height);
  place.pitch = rows.pitchInBytes;
}

void describe_array(warpscope_texture& place, const cudaArray* array) {
  require(array != nullptr, cudaErrorInvalidResourceHandle);
  place.data = array->data;
  place.element_bytes = as_unsigned(array->element_bytes);
  place.size[0] = as_unsigned(array->width);
  place.size[1] = as_unsigned(array->rows());
  place.size[2] = as_unsigned(array->planes());
  place.pitch = array->row_bytes();
  place.slice = array->row_bytes() * array->rows();
}

const cudaChannelFormatDesc& channels_of(const cudaResourceDesc& resource) {
  switch (resource.resType) {
    case cudaResourceTypeLinear:
      return resource.res.linear.desc;
    case cudaResourceTypePitch2D:
      return resource.res.pitch2D.desc;
    default:
      require(resource.res.array.array != nullptr, cudaErrorInvalidResourceHandle);
      return resource.res.array.array->description;
  }
}

/// Integers of 8 and 16 bits can be read as fractions; what is a float already stays one.
warpscope_texel_format fractions_of(const cudaChannelFormatDesc& channels) {
  const bool is_signed = channels.f == cudaChannelFormatKindSigned;
  if (channels.f == cudaChannelFormatKindFloat) return warpscope_as_is;
  require(channels.x == 8 || channels.x == 16);
  if (channels.x == 8) return is_signed ? warpscope_fractions_s8 : warpscope_fractions_u8;
  return is_signed ? warpscope_fractions_s16 : warpscope_fractions_u16;
}

void describe(warpscope_texture& place, const cudaResourceDesc& resource, const cudaTextureDesc& how) {
  const bool has_border_colour =
      std::any_of(how.borderColor, how.borderColor + 4, [](float part) { return part != 0; });
  require(resource.resType != cudaResourceTypeMipmappedArray && !has_border_colour && how.sRGB == 0,
          cudaErrorNotSupported);
  place = {};
  place.size[1] = place.size[2] = 1;
  place.is_normalized = how.normalizedCoords;
  place.is_linear = how.filterMode == cudaFilterModeLinear ? 1 : 0;
  if (how.readMode == cudaReadModeNormalizedFloat) place.format = fractions_of(channels_of(resource));
  std::copy(how.addressMode, how.addressMode + 3, place.modes);
  if (resource.resType == cudaResourceTypeLinear)
    describe_linear(place, resource);
  else if (resource.resType == cudaResourceTypePitch2D)
    describe_rows(place, resource);
  else
    describe_array(place, resource.res.array.array);
}

/// A description that kernels find behind the object's number.
std::uintptr_t in_device_memory(const warpscope_texture& place, const char* name) {
  void* const memory = Memory::get().allocate(sizeof(place), MemoryKind::Symbol, name);
  std::memcpy(memory, &place, sizeof(place));
  return reinterpret_cast<std::uintptr_t>(memory);
}

void allocate_array(cudaArray_t* array, const cudaChannelFormatDesc* description, const cudaExtent& extent,
                    unsigned flags) {
  require(array != nullptr && description != nullptr && extent.width > 0);
  Captures::get().refuse_unsafe();
  if ((flags & cudaArrayCubemap) != 0) {
    constexpr std::size_t kFaces = 6;
    require(extent.width == extent.height && extent.depth > 0 && extent.depth % kFaces == 0);
    require(extent.depth == kFaces || (flags & cudaArrayLayered) != 0);
  }
  cudaArray made{*description, extent.width, extent.height, extent.depth, flags, element_bytes(*description),
                 nullptr};
  const std::size_t bytes = made.row_bytes() * made.rows() * made.planes();
  made.data = static_cast<char*>(Memory::get().allocate(bytes, MemoryKind::Device, "array"));
  *array = new cudaArray(made);
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
                            std::size_t height, unsigned flags) {
  return run([&] { allocate_array(array, description, {width, height, 0}, flags); });
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* description, cudaExtent extent,
                              unsigned flags) {
  return run([&] { allocate_array(array, description, extent, flags); });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* description, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  return run([&] {
    require(array != nullptr, cudaErrorInvalidResourceHandle);
    if (description != nullptr) *description = array->description;
    if (extent != nullptr) *extent = {array->width, array->height, array->depth};
    if (flags != nullptr) *flags = array->flags;
  });
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  return run([&] {
    if (array == nullptr) return;
    Captures::get().refuse_unsafe();
    Memory::get().release(array->data, MemoryKind::Device, MemoryKind::Device);
    delete array;
  });
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind /*kind*/) {
  return copy_now(to_array(to, x_bytes, y, from, bytes));
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from,
                                   std::size_t bytes, cudaMemcpyKind /*kind*/, cudaStream_t stream) {
  return copy_later(stream, to_array(to, x_bytes, y, from, bytes));
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x_bytes, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind /*kind*/) {
  return copy_now(from_array(to, from, x_bytes, y, bytes));
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t x_bytes, std::size_t y,
                                     std::size_t bytes, cudaMemcpyKind /*kind*/, cudaStream_t stream) {
  return copy_later(stream, from_array(to, from, x_bytes, y, bytes));
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind /*kind*/) {
  return copy_now(rows_to_array(to, x_bytes, y, from, pitch, width, height));
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind /*kind*/, cudaStream_t stream) {
  return copy_later(stream, rows_to_array(to, x_bytes, y, from, pitch, width, height));
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x_bytes,
                                  std::size_t y, std::size_t width, std::size_t height,
                                  cudaMemcpyKind /*kind*/) {
  return copy_now(rows_from_array(to, pitch, from, x_bytes, y, width, height));
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x_bytes, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind /*kind*/, cudaStream_t stream) {
  return copy_later(stream, rows_from_array(to, pitch, from, x_bytes, y, width, height));
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, std::size_t to_x_bytes, std::size_t to_y,
                                   cudaArray_const_t from, std::size_t from_x_bytes, std::size_t from_y,
                                   std::size_t bytes, cudaMemcpyKind kind) {
  return copy_now([&] {
    require_within_device(kind);
    const char* const source = run_in(from, from_x_bytes, from_y, bytes);
    std::memmove(run_in(to, to_x_bytes, to_y, bytes), source, bytes);
  });
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x_bytes, std::size_t to_y,
                                     cudaArray_const_t from, std::size_t from_x_bytes, std::size_t from_y,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy_now([&] {
    require_within_device(kind);
    const char* const source = place_in(from, from_x_bytes, from_y, width, height);
    copy_rows(place_in(to, to_x_bytes, to_y, width, height), to->row_bytes(), source, from->row_bytes(),
              width, height);
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
    require(view == nullptr, cudaErrorNotSupported);
    warpscope_texture place;
    describe(place, *resource, *texture);
    const bool is_linear_memory = resource->resType == cudaResourceTypeLinear;
    require(!is_linear_memory || (place.format == warpscope_as_is && place.is_linear == 0),
            cudaErrorNotSupported);
    *object = in_device_memory(place, "texture");
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t /*object*/) {
  return run([] {});
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return run([&] {
    require(object != nullptr && resource != nullptr && resource->resType == cudaResourceTypeArray);
    warpscope_texture place;
    describe(place, *resource, {});
    *object = in_device_memory(place, "surface");
  });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t /*object*/) {
  return run([] {});
}
}
