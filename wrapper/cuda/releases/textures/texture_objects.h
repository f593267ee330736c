#pragma once
// What the texture and surface objects of a program were made of.
#include <optional>
#include <vector>

#include "passes/cuda/include/warpscope/texture_types.h"
#include "wrapper/cuda/releases/core.h"

namespace warpscope::cuda::releases {

struct ObjectDescription {
  cudaResourceDesc resource;
  cudaTextureDesc texture;  ///< of textures only
  bool is_surface = false;
  std::optional<cudaResourceViewDesc> view;
};

/// Of an object that the program made, in whichever API, and has not destroyed. Thread-safe.
std::optional<ObjectDescription> description_of(unsigned long long object, bool is_surface);

/// An array of each level: CUDA Runtime API, cudaMallocMipmappedArray.
struct MipmappedArray {
  cudaChannelFormatDesc channels{};
  unsigned flags = 0;
  std::vector<cudaArray_t> levels;
};

/// A texture of levels or with a view, whose object the runtime made of `first`, and its handle. Throws nothing; an error of CUDA for what a view
/// cannot be, or is not supported.
struct LevelsOfTexture {
  cudaResourceDesc first{};  ///< the array that the runtime makes an object of
  cudaTextureDesc sampler{};
  cudaChannelFormatDesc channels{};
  WarpscopeTextureLevels levels{};
};
cudaError_t levels_of(const cudaResourceDesc& resource, const cudaTextureDesc& texture,
                      const cudaResourceViewDesc* view, LevelsOfTexture* found);

}  // namespace warpscope::cuda::releases
