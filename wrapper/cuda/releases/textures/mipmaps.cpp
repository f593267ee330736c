// Mipmapped arrays, and views of arrays (CUDA Runtime API, cudaMallocMipmappedArray, cudaResourceViewDesc): an array for each level.
#include <algorithm>
#include <bit>
#include <memory>

#include "wrapper/cuda/releases/array_formats.h"
#include "wrapper/cuda/releases/driver.h"
#include "wrapper/cuda/releases/textures/texture_objects.h"
#include "wrapper/cuda/state/arrays.h"

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* description, cudaExtent extent,
                              unsigned flags);
cudaError_t cudaFreeArray(cudaArray_t array);
}
// NOLINTEND(readability-identifier-naming)

namespace warpscope::cuda::releases {
namespace {

/// As many as there are, until one has a single element.
unsigned most_levels(const cudaExtent& extent, unsigned flags) {
  const bool is_layered = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
  const std::size_t side =
      std::max({extent.width, extent.height, is_layered ? std::size_t{1} : extent.depth});
  return static_cast<unsigned>(std::bit_width(side));
}

cudaExtent extent_of(const cudaExtent& first, unsigned flags, unsigned level) {
  const bool is_layered = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
  const auto half = [&](std::size_t size) { return size == 0 ? 0 : std::max<std::size_t>(size >> level, 1); };
  return {half(first.width), half(first.height), is_layered ? first.depth : half(first.depth)};
}

void free_levels(const MipmappedArray& mipmap) {
  for (cudaArray_t level : mipmap.levels) cudaFreeArray(level);
}

cudaError_t make_levels(MipmappedArray** made, const cudaChannelFormatDesc& channels,
                        const cudaExtent& extent, unsigned count, unsigned flags) {
  auto mipmap = std::make_unique<MipmappedArray>();
  mipmap->channels = channels;
  mipmap->flags = flags;
  count = std::clamp(count, 1U, most_levels(extent, flags));
  for (unsigned level = 0; level < count; ++level) {
    const cudaError_t status =
        cudaMalloc3DArray(&mipmap->levels.emplace_back(), &channels, extent_of(extent, flags, level), flags);
    if (status == cudaSuccess) continue;
    mipmap->levels.pop_back();
    free_levels(*mipmap);
    return status;
  }
  *made = mipmap.release();
  return cudaSuccess;
}

/// cudaResourceViewFormat, without compressed ones: 8, 16 and 32 bits, unsigned and signed, then halves and floats; of each 1, 2 and 4 channels.
bool channels_of_view(int format, cudaChannelFormatDesc* channels) {
  static constexpr int kFormats[] = {U8, S8, U16, S16, U32, S32, Half, Float};
  static constexpr unsigned kChannels[] = {1, 2, 4};
  constexpr int kFirstCompressed = 25;
  if (format < 1 || format >= kFirstCompressed) return false;
  return channels_of(kFormats[(format - 1) / 3], kChannels[(format - 1) % 3], channels);
}

/// Puts into `found` what the view leaves of the levels; its sizes are those of the array.
cudaError_t look(const cudaResourceViewDesc& view, const std::vector<cudaArray_t>& levels,
                 LevelsOfTexture* found) {
  const cudaArray& whole = *levels.front();
  const bool is_same = view.width == whole.width && view.height == whole.height && view.depth == whole.depth;
  if (!is_same || view.firstMipmapLevel > view.lastMipmapLevel || view.lastMipmapLevel >= levels.size())
    return cudaErrorInvalidValue;
  if (view.format != 0) {
    if (!channels_of_view(view.format, &found->channels))
      return warpscopeNotSupported("cudaCreateTextureObject of a view in a compressed format");
    const unsigned bits = static_cast<unsigned>(found->channels.x) * format_of(found->channels).channels;
    if (bits != whole.element_bytes * 8) return cudaErrorInvalidValue;
    found->levels.format = &found->channels;
  }
  if (whole.is_layered()) {
    if (view.firstLayer > view.lastLayer || view.lastLayer >= whole.depth) return cudaErrorInvalidValue;
    found->levels.first_layer = view.firstLayer;
    found->levels.layers = view.lastLayer - view.firstLayer + 1;
  }
  found->levels.count = view.lastMipmapLevel - view.firstMipmapLevel + 1;
  std::copy_n(levels.begin() + view.firstMipmapLevel, found->levels.count, found->levels.levels);
  return cudaSuccess;
}

}  // namespace

cudaError_t levels_of(const cudaResourceDesc& resource, const cudaTextureDesc& texture,
                      const cudaResourceViewDesc* view, LevelsOfTexture* found) {
  const bool is_mipmap = resource.resType == cudaResourceTypeMipmappedArray;
  if ((!is_mipmap && resource.resType != cudaResourceTypeArray) || resource.res.array.array == nullptr)
    return cudaErrorInvalidValue;
  std::vector<cudaArray_t> levels{resource.res.array.array};
  if (is_mipmap) levels = reinterpret_cast<const MipmappedArray*>(resource.res.array.array)->levels;
  found->levels.count = static_cast<unsigned>(levels.size());
  std::ranges::copy(levels, found->levels.levels);
  if (view != nullptr)
    if (const cudaError_t wrong = look(*view, levels, found); wrong != cudaSuccess) return wrong;
  found->first.resType = cudaResourceTypeArray;
  found->first.res.array.array = found->levels.levels[0];
  // What the elements are as numbers is said with the levels.
  found->sampler = texture;
  found->sampler.readMode = cudaReadModeElementType;
  return cudaSuccess;
}

}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {

cudaError_t cudaMallocMipmappedArray(MipmappedArray** made, const cudaChannelFormatDesc* channels,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
  if (made == nullptr || channels == nullptr) return cudaErrorInvalidValue;
  return make_levels(made, *channels, extent, levels, flags);
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, const MipmappedArray* mipmap, unsigned number) {
  if (mipmap == nullptr) return cudaErrorInvalidResourceHandle;
  if (level == nullptr || number >= mipmap->levels.size()) return cudaErrorInvalidValue;
  *level = mipmap->levels[number];
  return cudaSuccess;
}
cudaError_t cudaFreeMipmappedArray(MipmappedArray* mipmap) {
  if (mipmap == nullptr) return cudaSuccess;
  free_levels(*mipmap);
  delete mipmap;
  return cudaSuccess;
}

/// CUDA_ARRAY3D_DESCRIPTOR; its flags have the runtime's numbers.
struct DriverExtent {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
CUresult cuMipmappedArrayCreate(MipmappedArray** made, const DriverExtent* from, unsigned levels) {
  cudaChannelFormatDesc channels;
  if (made == nullptr || from == nullptr || !channels_of(from->format, from->channels, &channels))
    return CUDA_ERROR_INVALID_VALUE;
  return as_result(
      make_levels(made, channels, {from->width, from->height, from->depth}, levels, from->flags));
}
CUresult cuMipmappedArrayGetLevel(cudaArray_t* level, const MipmappedArray* mipmap, unsigned number) {
  return as_result(cudaGetMipmappedArrayLevel(level, mipmap, number));
}
CUresult cuMipmappedArrayDestroy(MipmappedArray* mipmap) {
  return mipmap == nullptr ? CUDA_ERROR_INVALID_HANDLE : as_result(cudaFreeMipmappedArray(mipmap));
}
}
// NOLINTEND(readability-identifier-naming)
