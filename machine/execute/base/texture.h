#pragma once
// What a launch binds to the handles of textures and surfaces. On a GPU it is in headers and samplers that NVIDIA does not describe; here a
// handle is a number from 1 on.
#include <algorithm>
#include <array>
#include <cstdint>

namespace warpscope::machine {

enum class TexelKind : std::uint8_t { Signed, Unsigned, Floating };
/// As cudaTextureAddressMode numbers them.
enum class AddressMode : std::uint8_t { Wrap, Clamp, Mirror, Border };

/// Elements lie in rows, rows in planes or layers: CUDA C++ Programming Guide, "Texture Memory".
struct Texture {
  static constexpr unsigned kMostLevels = 16;
  std::uint64_t address = 0;                   ///< of the first element, in global memory
  std::array<std::uint32_t, 3> size{1, 1, 1};  ///< elements, rows, and planes or layers
  unsigned dimensions = 1;                     ///< 1 to 3, without layers
  bool has_layers = false;                     ///< size[2] is their number
  std::uint64_t pitch = 0, slice = 0;          ///< bytes from row to row, and from plane to plane
  unsigned channels = 1;                       ///< of an element: 1, 2 or 4
  unsigned channel_bytes = 4;                  ///< 1, 2 or 4
  TexelKind kind = TexelKind::Floating;
  bool is_surface = false;
  bool is_normalized = false;  ///< coordinates are 0 to 1
  bool is_linear = false;      ///< filtering
  bool is_fraction = false;    ///< integers are read as parts of their largest value
  std::array<AddressMode, 3> modes{AddressMode::Clamp, AddressMode::Clamp, AddressMode::Clamp};
  /// Levels of a mipmapped one: each is half as wide, high and deep (not of layers) as the one before, at least 1, without gaps.
  unsigned levels = 1;
  std::array<std::uint64_t, kMostLevels>
      level_address{};                                    ///< of each level's first element; [0] is `address`
  bool blends_levels = false;                             ///< linear filtering between two levels
  float level_bias = 0, least_level = 0, most_level = 0;  ///< added to the level of detail, and its limits

  [[nodiscard]] unsigned element_bytes() const { return channels * channel_bytes; }
  /// A level as a texture of its own; below `levels`.
  [[nodiscard]] Texture level(unsigned number) const {
    if (number == 0) return *this;
    Texture one = *this;
    one.address = level_address[number];
    for (unsigned axis = 0; axis < (has_layers ? 2 : 3); ++axis)
      one.size[axis] = std::max(size[axis] >> number, 1U);
    one.pitch = std::uint64_t{one.size[0]} * element_bytes();
    one.slice = one.pitch * one.size[1];
    return one;
  }
};

/// The bits of a handle that are the number of its header; the others are a sampler's.
constexpr std::uint32_t kTextureHandleMask = 0xfffff;

}  // namespace warpscope::machine
