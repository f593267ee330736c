// Texture and surface objects: the runtime's are addresses, those of machine code are numbers.
#include <map>
#include <mutex>
#include <utility>

#include "passes/cuda/include/warpscope/texture_types.h"
#include "wrapper/cuda/releases/core.h"
#include "wrapper/cuda/releases/textures/texture_objects.h"

namespace warpscope::cuda::releases {
namespace {

/// Never destroyed: threads of a program go on while its process ends.
struct Objects {
  std::mutex mutex;
  std::map<std::pair<bool, unsigned long long>, ObjectDescription> made;  ///< by is_surface and number
};
Objects& objects() {
  static auto* const all = new Objects;
  return *all;
}

void note(unsigned long long object, const ObjectDescription& description) {
  const std::lock_guard lock(objects().mutex);
  objects().made[{description.is_surface, object}] = description;
}
void forget(unsigned long long object, bool is_surface) {
  const std::lock_guard lock(objects().mutex);
  objects().made.erase({is_surface, object});
}

}  // namespace

std::optional<ObjectDescription> description_of(unsigned long long object, bool is_surface) {
  const std::lock_guard lock(objects().mutex);
  const auto found = objects().made.find({is_surface, object});
  if (found == objects().made.end()) return std::nullopt;
  return found->second;
}

}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  if (object == nullptr || resource == nullptr || texture == nullptr) return cudaErrorInvalidValue;
  LevelsOfTexture found;
  const bool has_levels = view != nullptr || resource->resType == cudaResourceTypeMipmappedArray;
  if (has_levels)
    if (const cudaError_t wrong = levels_of(*resource, *texture, view, &found); wrong != cudaSuccess)
      return wrong;
  const cudaError_t status = WARPSCOPE_CORE(cudaCreateTextureObject)(
      object, has_levels ? &found.first : resource, has_levels ? &found.sampler : texture, nullptr);
  if (status != cudaSuccess) return status;
  if (has_levels) found.levels.sampler = texture;
  *object = warpscopeAddTexture(*object, has_levels ? &found.first : resource, 0,
                                has_levels ? &found.levels : nullptr);
  ObjectDescription description{*resource, *texture, false, std::nullopt};
  if (view != nullptr) description.view = *view;
  note(*object, description);
  return status;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  forget(object, false);
  warpscopeRemoveTexture(object);
  return WARPSCOPE_CORE(cudaDestroyTextureObject)(object);
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  const cudaError_t status = WARPSCOPE_CORE(cudaCreateSurfaceObject)(object, resource);
  if (status != cudaSuccess) return status;
  *object = warpscopeAddTexture(*object, resource, 1, nullptr);
  note(*object, {*resource, {}, true, std::nullopt});
  return status;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  forget(object, true);
  warpscopeRemoveTexture(object);
  return WARPSCOPE_CORE(cudaDestroySurfaceObject)(object);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  const auto found = description_of(object, false);
  if (resource == nullptr || !found) return cudaErrorInvalidValue;
  *resource = found->resource;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  const auto found = description_of(object, false);
  if (texture == nullptr || !found) return cudaErrorInvalidValue;
  *texture = found->texture;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view, cudaTextureObject_t object) {
  const auto found = description_of(object, false);
  if (view == nullptr || !found || !found->view) return cudaErrorInvalidValue;
  *view = *found->view;
  return cudaSuccess;
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  const auto found = description_of(object, true);
  if (resource == nullptr || !found) return cudaErrorInvalidValue;
  *resource = found->resource;
  return cudaSuccess;
}
// NOLINTEND(readability-identifier-naming)
}
