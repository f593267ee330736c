// Texture and surface objects: the runtime's are addresses, those of machine code are numbers.
#include "passes/cuda/include/warpscope/texture_types.h"
#include "wrapper/cuda/releases/core.h"

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  const cudaError_t status = WARPSCOPE_CORE(cudaCreateTextureObject)(object, resource, texture, view);
  if (status == cudaSuccess) *object = warpscopeAddTexture(*object, resource, 0);
  return status;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  warpscopeRemoveTexture(object);
  return WARPSCOPE_CORE(cudaDestroyTextureObject)(object);
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  const cudaError_t status = WARPSCOPE_CORE(cudaCreateSurfaceObject)(object, resource);
  if (status == cudaSuccess) *object = warpscopeAddTexture(*object, resource, 1);
  return status;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  warpscopeRemoveTexture(object);
  return WARPSCOPE_CORE(cudaDestroySurfaceObject)(object);
}
// NOLINTEND(readability-identifier-naming)
}
