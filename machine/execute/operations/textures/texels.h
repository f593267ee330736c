#pragma once
// Which elements a fetch needs, what each of them weighs, and what they are as numbers: CUDA C++ Programming Guide, "Texture Fetching".
#include <cstdint>
#include <optional>

#include "machine/execute/base/texture.h"

namespace warpscope::machine {

struct TexelPlace {
  static constexpr unsigned kMost = 16;
  unsigned count = 0;  ///< 1, or a power of two of neighbours, of one level or two
  std::uint64_t address[kMost]{};
  bool is_inside[kMost]{};  ///< else nothing is loaded
  float weight[kMost]{};
};

/// Coordinates as the instruction has them, and offsets in elements.
struct TexelCoordinates {
  float at[3]{};
  std::int32_t layer = 0;
  std::int32_t offset[3]{};
};

/// The element of a point, or those around it: bit i of the neighbour's number is dimension i. `all`: those around it whatever the filter is.
TexelPlace texels_of(const Texture& texture, const TexelCoordinates& where, bool all);
/// The same of the level of detail: of one level, or of two of which the second weighs what 8 bits of `detail` say.
TexelPlace texels_of_levels(const Texture& texture, const TexelCoordinates& where, float detail);
/// The level of detail of gradients along x and y, for each dimension: the binary logarithm of how many elements the larger one spans.
float detail_of(const Texture& texture, const float (&along_x)[3], const float (&along_y)[3]);
/// Of whole numbers; outside of the texture there is none.
TexelPlace texel_at(const Texture& texture, const std::int32_t (&at)[3], std::int32_t layer);
/// Of a surface; `at[0]` in bytes. Nothing: outside. `bytes`: of the access. With `clamps` the nearest one inside.
std::optional<std::uint64_t> surface_place(const Texture& surface, const std::int32_t (&at)[3],
                                           unsigned bytes, bool clamps);

/// Whether numbers of the texture are reals for a program: floats, or fractions.
inline bool gives_reals(const Texture& texture) {
  return texture.is_fraction || texture.kind == TexelKind::Floating;
}
/// A channel of an element in memory: the bits of a float, or an integer of 32 bits.
std::uint32_t channel_of(const Texture& texture, const std::uint8_t* element, unsigned channel);
/// Writes what stands in a register as a channel of an element: floats as halves, integers cut off.
void put_channel(const Texture& surface, std::uint8_t* element, unsigned channel, std::uint32_t value);

}  // namespace warpscope::machine
