#pragma once
// What the texture and surface objects of a program were made of.
#include <optional>

#include "passes/cuda/include/warpscope/texture_types.h"

namespace warpscope::cuda::releases {

struct ObjectDescription {
  cudaResourceDesc resource;
  cudaTextureDesc texture;  ///< of textures only
  bool is_surface = false;
};

/// Of an object that the program made, in whichever API, and has not destroyed. Thread-safe.
std::optional<ObjectDescription> description_of(unsigned long long object, bool is_surface);

}  // namespace warpscope::cuda::releases
