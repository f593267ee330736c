// Texture and surface objects as NVIDIA's machine code knows them (releases/textures/textures.cpp).
#include "passes/cuda/include/warpscope/texture_types.h"
#include "wrapper/cuda/library_calls.h"
#include "wrapper/cuda/machine/texture_table.h"
#include "wrapper/cuda/state/arrays.h"

namespace warpscope::cuda {
namespace {

constexpr unsigned kBitsOfByte = 8;

machine::TexelKind kind_of(cudaChannelFormatKind kind) {
  if (kind == cudaChannelFormatKindSigned) return machine::TexelKind::Signed;
  return kind == cudaChannelFormatKindUnsigned ? machine::TexelKind::Unsigned : machine::TexelKind::Floating;
}

void set_channels(machine::Texture& texture, const cudaChannelFormatDesc& channels) {
  texture.channels = 0;
  for (const int bits : {channels.x, channels.y, channels.z, channels.w})
    if (bits != 0) ++texture.channels;
  texture.channel_bytes = static_cast<unsigned>(channels.x) / kBitsOfByte;
  texture.kind = kind_of(channels.f);
}

void set_array(machine::Texture& texture, const cudaArray& array) {
  set_channels(texture, array.description);
  texture.has_layers = array.is_layered();
  texture.dimensions = array.height == 0 ? 1 : array.depth == 0 || array.is_layered() ? 2 : 3;
}

/// What the runtime made of an object's description, and what only machine code asks for.
machine::Texture texture_of(const warpscope_texture& place, const cudaResourceDesc& resource) {
  machine::Texture texture;
  texture.address = reinterpret_cast<std::uintptr_t>(place.data);
  texture.size = {place.size[0], place.size[1], place.size[2]};
  texture.pitch = place.pitch;
  texture.slice = place.slice;
  texture.is_normalized = place.is_normalized != 0;
  texture.is_linear = place.is_linear != 0;
  texture.is_fraction = place.format != warpscope_as_is;
  for (std::size_t axis = 0; axis < 3; ++axis)
    texture.modes[axis] = static_cast<machine::AddressMode>(place.modes[axis]);
  if (resource.resType == cudaResourceTypeArray) {
    set_array(texture, *resource.res.array.array);
  } else if (resource.resType == cudaResourceTypePitch2D) {
    set_channels(texture, resource.res.pitch2D.desc);
    texture.dimensions = 2;
  } else {
    set_channels(texture, resource.res.linear.desc);
  }
  return texture;
}

void set_levels(machine::Texture& texture, const WarpscopeTextureLevels& from) {
  const cudaTextureDesc& sampler = *from.sampler;
  if (from.format != nullptr) set_channels(texture, *from.format);
  texture.is_fraction = sampler.readMode == cudaReadModeNormalizedFloat && texture.channel_bytes <= 2 &&
                        texture.kind != machine::TexelKind::Floating;
  if (from.layers != 0) texture.size[2] = from.layers;
  texture.levels = from.count;
  for (unsigned level = 0; level < from.count; ++level) {
    const cudaArray& array = *from.levels[level];
    texture.level_address[level] =
        reinterpret_cast<std::uintptr_t>(array.data) + from.first_layer * array.row_bytes() * array.rows();
  }
  texture.address = texture.level_address[0];
  texture.blends_levels = sampler.mipmapFilterMode == cudaFilterModeLinear;
  texture.level_bias = sampler.mipmapLevelBias;
  texture.least_level = sampler.minMipmapLevelClamp;
  texture.most_level = sampler.maxMipmapLevelClamp;
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

unsigned long long warpscopeAddTexture(unsigned long long object, const cudaResourceDesc* resource,
                                       int is_surface, const WarpscopeTextureLevels* levels) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the runtime made the number of the pointer
  const auto& place = *reinterpret_cast<const warpscope_texture*>(object);
  warpscope::machine::Texture texture = texture_of(place, *resource);
  texture.is_surface = is_surface != 0;
  if (levels != nullptr) set_levels(texture, *levels);
  return TextureTable::get().add(texture);
}
void warpscopeRemoveTexture(unsigned long long handle) {
  TextureTable::get().remove(handle);
}
}
