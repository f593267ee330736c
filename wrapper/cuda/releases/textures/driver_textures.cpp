// The driver's texture and surface objects, on the runtime's (CUDA Driver API, "Texture Object Management", "Surface Object Management").
#include <algorithm>

#include "wrapper/cuda/releases/array_formats.h"
#include "wrapper/cuda/releases/driver.h"
#include "wrapper/cuda/releases/textures/texture_objects.h"
#include "wrapper/cuda/state/arrays.h"

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
}
// NOLINTEND(readability-identifier-naming)

namespace warpscope::cuda::releases {
namespace {

/// CUDA_RESOURCE_DESC: kinds have the runtime's numbers.
struct DriverResource {
  cudaResourceType kind;
  union {
    cudaArray_t array;
    struct {
      CUdeviceptr memory;
      int format;
      unsigned channels;
      std::size_t bytes;
    } linear;
    struct {
      CUdeviceptr memory;
      int format;
      unsigned channels;
      std::size_t width, height, pitch;
    } rows;
    int reserved[32];
  } of;
  unsigned flags;
};

/// CUDA_TEXTURE_DESC: address and filter modes have the runtime's numbers.
struct DriverTexture {
  cudaTextureAddressMode modes[3];
  cudaTextureFilterMode filter;
  unsigned flags, anisotropy;
  cudaTextureFilterMode filter_of_levels;
  float bias, least_level, most_level;
  float border[4];
  int reserved[12];
};
enum Flags : unsigned { AsInteger = 1, Normalized = 2, Srgb = 16 };

bool to_runtime(const DriverResource& from, cudaResourceDesc* to) {
  *to = {};
  to->resType = from.kind;
  if (from.flags != 0) return false;
  if (from.kind == cudaResourceTypeArray || from.kind == cudaResourceTypeMipmappedArray) {
    to->res.array.array = from.of.array;
    return from.of.array != nullptr;
  }
  if (from.kind == cudaResourceTypeLinear) {
    to->res.linear.devPtr = pointer_of(from.of.linear.memory);
    to->res.linear.sizeInBytes = from.of.linear.bytes;
    return channels_of(from.of.linear.format, from.of.linear.channels, &to->res.linear.desc);
  }
  if (from.kind != cudaResourceTypePitch2D) return false;
  to->res.pitch2D.devPtr = pointer_of(from.of.rows.memory);
  to->res.pitch2D.width = from.of.rows.width;
  to->res.pitch2D.height = from.of.rows.height;
  to->res.pitch2D.pitchInBytes = from.of.rows.pitch;
  return channels_of(from.of.rows.format, from.of.rows.channels, &to->res.pitch2D.desc);
}

DriverResource to_driver(const cudaResourceDesc& from) {
  DriverResource to{};
  to.kind = from.resType;
  if (from.resType == cudaResourceTypeArray || from.resType == cudaResourceTypeMipmappedArray) {
    to.of.array = from.res.array.array;
  } else if (from.resType == cudaResourceTypeLinear) {
    const ArrayFormat format = format_of(from.res.linear.desc);
    to.of.linear = {reinterpret_cast<std::uintptr_t>(from.res.linear.devPtr), format.format, format.channels,
                    from.res.linear.sizeInBytes};
  } else {
    const auto& rows = from.res.pitch2D;
    const ArrayFormat format = format_of(rows.desc);
    to.of.rows = {reinterpret_cast<std::uintptr_t>(rows.devPtr),
                  format.format,
                  format.channels,
                  rows.width,
                  rows.height,
                  rows.pitchInBytes};
  }
  return to;
}

/// Integers of 8 and 16 bits are read as fractions unless a flag says otherwise; those of 32 bits never are.
bool are_fractions(const cudaResourceDesc& resource, unsigned flags) {
  const cudaChannelFormatDesc* channels = nullptr;
  if (resource.resType == cudaResourceTypeLinear)
    channels = &resource.res.linear.desc;
  else if (resource.resType == cudaResourceTypePitch2D)
    channels = &resource.res.pitch2D.desc;
  else if (resource.resType == cudaResourceTypeMipmappedArray)
    channels = &reinterpret_cast<const MipmappedArray*>(resource.res.array.array)->channels;
  else
    channels = &resource.res.array.array->description;
  constexpr int kMostBits = 16;
  return (flags & AsInteger) == 0 && channels->f != cudaChannelFormatKindFloat && channels->x <= kMostBits;
}

cudaTextureDesc to_runtime(const DriverTexture& from, const cudaResourceDesc& resource) {
  cudaTextureDesc to{};
  std::ranges::copy(from.modes, to.addressMode);
  std::ranges::copy(from.border, to.borderColor);
  to.filterMode = from.filter;
  to.readMode = are_fractions(resource, from.flags) ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  to.sRGB = (from.flags & Srgb) != 0 ? 1 : 0;
  to.normalizedCoords = (from.flags & Normalized) != 0 ? 1 : 0;
  to.maxAnisotropy = from.anisotropy;
  to.mipmapFilterMode = from.filter_of_levels;
  to.mipmapLevelBias = from.bias;
  to.minMipmapLevelClamp = from.least_level;
  to.maxMipmapLevelClamp = from.most_level;
  return to;
}

DriverTexture to_driver(const cudaTextureDesc& from) {
  DriverTexture to{};
  std::ranges::copy(from.addressMode, to.modes);
  std::ranges::copy(from.borderColor, to.border);
  to.filter = from.filterMode;
  to.flags = (from.readMode == cudaReadModeElementType ? AsInteger : 0U) |
             (from.normalizedCoords != 0 ? Normalized : 0U) | (from.sRGB != 0 ? Srgb : 0U);
  to.anisotropy = from.maxAnisotropy;
  to.filter_of_levels = from.mipmapFilterMode;
  to.bias = from.mipmapLevelBias;
  to.least_level = from.minMipmapLevelClamp;
  to.most_level = from.maxMipmapLevelClamp;
  return to;
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {

CUresult cuTexObjectCreate(cudaTextureObject_t* object, const DriverResource* resource,
                           const DriverTexture* texture, const cudaResourceViewDesc* view) {
  cudaResourceDesc from;
  if (object == nullptr || resource == nullptr || texture == nullptr || !to_runtime(*resource, &from))
    return CUDA_ERROR_INVALID_VALUE;
  const cudaTextureDesc how = to_runtime(*texture, from);
  return as_result(cudaCreateTextureObject(object, &from, &how, view));
}
CUresult cuTexObjectDestroy(cudaTextureObject_t object) {
  return as_result(cudaDestroyTextureObject(object));
}
CUresult cuTexObjectGetResourceDesc(DriverResource* resource, cudaTextureObject_t object) {
  const auto found = description_of(object, false);
  if (resource == nullptr || !found) return CUDA_ERROR_INVALID_VALUE;
  *resource = to_driver(found->resource);
  return CUDA_SUCCESS;
}
CUresult cuTexObjectGetTextureDesc(DriverTexture* texture, cudaTextureObject_t object) {
  const auto found = description_of(object, false);
  if (texture == nullptr || !found) return CUDA_ERROR_INVALID_VALUE;
  *texture = to_driver(found->texture);
  return CUDA_SUCCESS;
}
/// Formats have the runtime's numbers.
CUresult cuTexObjectGetResourceViewDesc(cudaResourceViewDesc* view, cudaTextureObject_t object) {
  const auto found = description_of(object, false);
  if (view == nullptr || !found || !found->view) return CUDA_ERROR_INVALID_VALUE;
  *view = *found->view;
  return CUDA_SUCCESS;
}

CUresult cuSurfObjectCreate(cudaSurfaceObject_t* object, const DriverResource* resource) {
  cudaResourceDesc from;
  if (object == nullptr || resource == nullptr || !to_runtime(*resource, &from))
    return CUDA_ERROR_INVALID_VALUE;
  return as_result(cudaCreateSurfaceObject(object, &from));
}
CUresult cuSurfObjectDestroy(cudaSurfaceObject_t object) {
  return as_result(cudaDestroySurfaceObject(object));
}
CUresult cuSurfObjectGetResourceDesc(DriverResource* resource, cudaSurfaceObject_t object) {
  const auto found = description_of(object, true);
  if (resource == nullptr || !found) return CUDA_ERROR_INVALID_VALUE;
  *resource = to_driver(found->resource);
  return CUDA_SUCCESS;
}
}
// NOLINTEND(readability-identifier-naming)
