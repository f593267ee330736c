#pragma once
// Textures with their elements as numbers, for tests of textures and surfaces. Repeated and mirrored textures are infinite ones here.
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {

constexpr unsigned kItems = 64;
using Four = std::array<float, 4>;
using Whole = std::array<std::int32_t, 4>;

/// A texture with its elements as numbers: [plane][row][column][channel].
struct Picture {
  Texture texture;
  std::vector<double> numbers;

  [[nodiscard]] double number(int x, int y, int z, unsigned channel) const {
    if (channel >= texture.channels) return channel == 3 ? 1 : 0;
    const auto at =
        (static_cast<std::size_t>(z) * texture.size[1] + static_cast<std::size_t>(y)) * texture.size[0] +
        static_cast<std::size_t>(x);
    return numbers[at * texture.channels + channel];
  }
  /// The index within the texture; -1: outside of a border.
  [[nodiscard]] int folded(unsigned axis, int index) const {
    const int size = static_cast<int>(texture.size[axis]);
    const AddressMode mode = texture.modes[axis];
    if (mode == AddressMode::Border) return index < 0 || index >= size ? -1 : index;
    if (texture.is_normalized && mode == AddressMode::Wrap) return (index % size + size) % size;
    if (texture.is_normalized && mode == AddressMode::Mirror) {
      const int place = (index % (2 * size) + 2 * size) % (2 * size);
      return place < size ? place : 2 * size - 1 - place;
    }
    return std::min(std::max(index, 0), size - 1);
  }
  /// Of the point in elements; `found` hears of each element, in the order of the fetch.
  template <class F>
  double at(const std::array<double, 3>& point, const std::array<int, 3>& offset, int layer, unsigned channel,
            F found) const {
    double sum = 0;
    const bool linear = texture.is_linear;
    for (unsigned corner = 0; corner < (linear ? 1U << texture.dimensions : 1U); ++corner) {
      int place[3] = {0, 0, texture.has_layers ? std::min(layer, static_cast<int>(texture.size[2]) - 1) : 0};
      double weight = 1;
      bool inside = true;
      for (unsigned axis = 0; axis < texture.dimensions; ++axis) {
        const double back = linear ? point[axis] - 0.5 : point[axis], first = std::floor(back);
        const int next = static_cast<int>(corner >> axis & 1U);
        if (linear) weight *= next != 0 ? back - first : 1 - (back - first);
        place[axis] = folded(axis, static_cast<int>(first) + next + offset[axis]);
        inside = inside && place[axis] >= 0;
      }
      if (inside) found(corner, place);
      if (inside) sum += weight * number(place[0], place[1], place[2], channel);
    }
    return sum;
  }
};

/// Elements as bytes.
inline std::vector<std::uint8_t> bytes_of(const Picture& picture) {
  std::vector<std::uint8_t> bytes;
  const Texture& texture = picture.texture;
  for (double number : picture.numbers) {
    std::uint32_t bits = 0;
    const double largest = std::ldexp(1, static_cast<int>(8 * texture.channel_bytes) -
                                             (texture.kind == TexelKind::Signed ? 1 : 0)) -
                           1;
    if (texture.kind != TexelKind::Floating)
      bits = static_cast<std::uint32_t>(
          static_cast<std::int64_t>(std::lround(texture.is_fraction ? number * largest : number)));
    else if (texture.channel_bytes == 4)
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    else  // whole numbers below 2,048 as halves
      bits = number == 0 ? 0
                         : static_cast<std::uint32_t>(
                               (std::ilogb(number) + 15) << 10 |
                               static_cast<int>((number / std::ldexp(1, std::ilogb(number)) - 1) * 1024));
    for (unsigned byte = 0; byte < texture.channel_bytes; ++byte)
      bytes.push_back(static_cast<std::uint8_t>(bits >> 8 * byte));
  }
  return bytes;
}

inline Picture picture_of(Texture texture, std::mt19937& random) {
  Picture picture{texture, {}};
  const std::size_t count =
      std::size_t{texture.size[0]} * texture.size[1] * texture.size[2] * texture.channels;
  const bool is_signed = texture.kind == TexelKind::Signed;
  const double largest = std::ldexp(1, static_cast<int>(8 * texture.channel_bytes) - (is_signed ? 1 : 0)) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (texture.is_fraction)
      picture.numbers.push_back((static_cast<double>(random() % 255) - (is_signed ? 127 : 0)) / largest);
    else
      picture.numbers.push_back(static_cast<double>(random() % 200) - (is_signed ? 100 : 0));
  }
  return picture;
}

/// Odd multiples of 1/128: weights have 8 bits, and no point is between two elements.
inline Four point_near(const Texture& texture, std::mt19937& random) {
  Four point{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    const auto size = static_cast<int>(texture.size[axis]);
    const int steps = static_cast<int>(random() % static_cast<unsigned>(3 * size * 64)) - size * 64;
    point[axis] = static_cast<float>(2 * steps + 1) / 128;
    if (texture.is_normalized) point[axis] /= static_cast<float>(size);
  }
  point[3] = static_cast<float>(random() % (texture.size[2] + 2));
  return point;
}

inline std::string file_of(std::uint32_t architecture) {
  return "executed/textures_sm" + std::to_string(architecture) + ".cubin";
}

inline Texture texture_with(unsigned dimensions, bool has_layers = false) {
  Texture texture;
  texture.dimensions = dimensions;
  texture.size = {16, dimensions > 1 ? 8U : 1U, dimensions > 2 || has_layers ? 4U : 1U};
  texture.has_layers = has_layers;
  texture.channels = 4;
  return texture;
}

}  // namespace warpscope::machine
