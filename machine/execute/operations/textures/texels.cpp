#include "machine/execute/operations/textures/texels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "machine/execute/operations/half.h"

namespace warpscope::machine {
namespace {

/// A coordinate in elements.
float scaled(const Texture& texture, unsigned dimension, float at) {
  if (!texture.is_normalized) return at;
  const float whole = std::floor(at);
  const AddressMode mode = texture.modes[dimension];
  if (mode == AddressMode::Wrap) at -= whole;
  if (mode == AddressMode::Mirror) {
    const bool is_odd = std::fmod(whole, 2.0F) != 0;
    at = is_odd ? 1.0F - (at - whole) : at - whole;
  }
  return at * static_cast<float>(texture.size[dimension]);
}

/// Of numbers beyond those of 32 bits, and of none, some element outside.
std::int32_t element_of(float at) {
  constexpr float kMost = 1 << 30;
  return std::isnan(at) ? 0 : static_cast<std::int32_t>(std::floor(std::clamp(at, -kMost, kMost)));
}

/// The element that is taken for one that may be outside; -1: none.
std::int32_t inside(const Texture& texture, unsigned dimension, std::int32_t element) {
  const auto size = static_cast<std::int32_t>(texture.size[dimension]);
  if (element >= 0 && element < size) return element;
  const AddressMode mode = texture.modes[dimension];
  if (mode == AddressMode::Border) return -1;
  if (texture.is_normalized && mode == AddressMode::Wrap) return ((element % size) + size) % size;
  return element < 0 ? 0 : size - 1;
}

/// How much the element behind a coordinate weighs: 8 bits of fraction, and 1 exactly.
float share_of(float at) {
  at -= 0.5F;
  return std::nearbyint((at - std::floor(at)) * 256.0F) / 256.0F;
}

std::uint64_t address_of(const Texture& texture, const std::int32_t (&at)[3]) {
  return texture.address + static_cast<std::uint64_t>(at[2]) * texture.slice +
         static_cast<std::uint64_t>(at[1]) * texture.pitch +
         static_cast<std::uint64_t>(at[0]) * texture.element_bytes();
}

std::int32_t layer_in(const Texture& texture, std::int32_t layer) {
  return std::clamp(layer, 0, static_cast<std::int32_t>(texture.size[2]) - 1);
}

}  // namespace

TexelPlace texels_of(const Texture& texture, const TexelCoordinates& where, bool all) {
  const bool is_area = all || texture.is_linear;
  TexelPlace found;
  found.count = is_area ? 1U << texture.dimensions : 1;
  float share[3]{};
  std::int32_t first[3]{};
  for (unsigned i = 0; i < texture.dimensions; ++i) {
    const float at = scaled(texture, i, where.at[i]);
    share[i] = share_of(at);
    first[i] = element_of(is_area ? at - 0.5F : at) + where.offset[i];
  }
  for (unsigned corner = 0; corner < found.count; ++corner) {
    std::int32_t at[3] = {0, 0, texture.has_layers ? layer_in(texture, where.layer) : 0};
    bool is_inside = true;
    float weight = 1;
    for (unsigned i = 0; i < texture.dimensions; ++i) {
      const unsigned next = corner >> i & 1U;
      at[i] = inside(texture, i, first[i] + static_cast<std::int32_t>(next));
      is_inside = is_inside && at[i] >= 0;
      if (is_area) weight *= next != 0 ? share[i] : 1 - share[i];
    }
    found.is_inside[corner] = is_inside;
    found.weight[corner] = weight;
    if (is_inside) found.address[corner] = address_of(texture, at);
  }
  return found;
}

TexelPlace texels_of_levels(const Texture& texture, const TexelCoordinates& where, float detail) {
  if (texture.levels == 1) return texels_of(texture, where, false);
  // A number that is none is the first level, as fmax has it.
  detail = std::fmin(std::fmax(detail + texture.level_bias, texture.least_level), texture.most_level);
  detail = std::fmin(std::fmax(detail, 0.0F), static_cast<float>(texture.levels - 1));
  if (!texture.blends_levels)
    return texels_of(texture.level(static_cast<unsigned>(std::floor(detail + 0.5F))), where, false);
  constexpr float kParts = 256;
  const auto parts = static_cast<unsigned>(std::nearbyint(detail * kParts));
  const unsigned first = parts / 256;
  const float share = static_cast<float>(parts % 256) / kParts;
  TexelPlace found = texels_of(texture.level(first), where, false);
  if (share == 0) return found;
  const TexelPlace next = texels_of(texture.level(first + 1), where, false);
  const unsigned count = found.count;
  for (unsigned corner = 0; corner < count; ++corner) {
    const float weight = count == 1 ? 1 : found.weight[corner];
    found.is_inside[count + corner] = next.is_inside[corner];
    found.address[count + corner] = next.address[corner];
    found.weight[count + corner] = share * (count == 1 ? 1 : next.weight[corner]);
    found.weight[corner] = (1 - share) * weight;
  }
  found.count = 2 * count;
  return found;
}

float detail_of(const Texture& texture, const float (&along_x)[3], const float (&along_y)[3]) {
  float x = 0, y = 0;
  for (unsigned i = 0; i < texture.dimensions; ++i) {
    const float size = texture.is_normalized ? static_cast<float>(texture.size[i]) : 1;
    x += along_x[i] * size * along_x[i] * size;
    y += along_y[i] * size * along_y[i] * size;
  }
  return 0.5F * std::log2(std::max(x, y));
}

TexelPlace texel_at(const Texture& texture, const std::int32_t (&at)[3], std::int32_t layer) {
  TexelPlace found;
  found.count = 1;
  found.weight[0] = 1;
  found.is_inside[0] = true;
  std::int32_t place[3] = {0, 0, texture.has_layers ? layer_in(texture, layer) : 0};
  for (unsigned i = 0; i < texture.dimensions; ++i) {
    place[i] = at[i];
    if (at[i] < 0 || static_cast<std::uint32_t>(at[i]) >= texture.size[i]) found.is_inside[0] = false;
  }
  if (found.is_inside[0]) found.address[0] = address_of(texture, place);
  return found;
}

std::optional<std::uint64_t> surface_place(const Texture& surface, const std::int32_t (&at)[3],
                                           unsigned bytes, bool clamps) {
  const std::int64_t limits[3] = {std::int64_t{surface.size[0]} * surface.element_bytes() - bytes,
                                  std::int64_t{surface.size[1]} - 1, std::int64_t{surface.size[2]} - 1};
  std::int64_t place[3];
  for (unsigned i = 0; i < 3; ++i) {
    place[i] = std::clamp<std::int64_t>(at[i], 0, std::max<std::int64_t>(limits[i], 0));
    if (limits[i] < 0 || (place[i] != at[i] && !clamps)) return std::nullopt;
  }
  return surface.address + static_cast<std::uint64_t>(place[2]) * surface.slice +
         static_cast<std::uint64_t>(place[1]) * surface.pitch + static_cast<std::uint64_t>(place[0]);
}

std::uint32_t channel_of(const Texture& texture, const std::uint8_t* element, unsigned channel) {
  const unsigned bytes = texture.channel_bytes;
  const bool is_signed = texture.kind == TexelKind::Signed;
  std::uint32_t bits = 0;
  std::memcpy(&bits, element + std::size_t{channel} * bytes, bytes);
  if (texture.kind == TexelKind::Floating)
    return bytes == 2 ? std::bit_cast<std::uint32_t>(static_cast<float>(half_value(bits))) : bits;
  const unsigned unused = 32 - 8 * bytes;
  const auto extended = static_cast<std::int32_t>(bits << unused) >> unused;
  if (!texture.is_fraction) return is_signed ? static_cast<std::uint32_t>(extended) : bits;
  const auto largest = static_cast<float>((std::uint32_t{1} << (8 * bytes - (is_signed ? 1 : 0))) - 1);
  const float value = is_signed ? std::max(static_cast<float>(extended) / largest, -1.0F)
                                : static_cast<float>(bits) / largest;
  return std::bit_cast<std::uint32_t>(value);
}

void put_channel(const Texture& surface, std::uint8_t* element, unsigned channel, std::uint32_t value) {
  if (surface.kind == TexelKind::Floating && surface.channel_bytes == 2)
    value = half_bits(double{std::bit_cast<float>(value)});
  std::memcpy(element + std::size_t{channel} * surface.channel_bytes, &value, surface.channel_bytes);
}

}  // namespace warpscope::machine
