#pragma once
// Textures and surfaces as arguments of a launch: 8 bytes for the kernel, which stand for memory and how it is read.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wrapper/launch/kernel_signatures.h"

namespace warpscope {

struct LaunchDescription;

/// What the user says. Sizes are expressions.
struct TextureDescription {
  bool is_surface = false;
  std::vector<std::string> sizes;         ///< 1 to 3: elements, rows, planes; the last one of layers
  std::string filter, coordinates, read;  ///< empty: points, elements, as they are
  std::vector<std::string> address;       ///< modes, of all dimensions or one for all
  bool is_layered = false;
};

struct ResolvedTexture {
  bool is_surface = false;
  std::array<std::uint32_t, 3> size{1, 1, 1};  ///< [2]: planes or layers
  unsigned dimensions = 1;                     ///< without layers
  bool has_layers = false, is_normalized = false, is_linear = false, is_fraction = false;
  std::array<std::uint8_t, 3> modes{};  ///< as cudaTextureAddressMode numbers them
  ElementType element;

  [[nodiscard]] std::uint64_t elements() const { return std::uint64_t{size[0]} * size[1] * size[2]; }
};

/// "a", "b" of "(a,b)": parts between commas, those within brackets left alone.
std::vector<std::string> parts_of(std::string text);

/// A word of --arg: "texture(64,32)", "surface(64)", or KEY=VALUE with filter, address, coordinates, read, layered. False: it is neither.
/// Throws InputError.
bool parse_texture_word(std::optional<TextureDescription>& texture, const std::string& key,
                        const std::string& value, const std::string& where);

/// `size_of` evaluates an expression. Throws InputError for what no GPU has.
ResolvedTexture resolve_texture(const TextureDescription& texture, const ElementType& element,
                                const std::function<std::uint64_t(const std::string&)>& size_of,
                                const std::string& where);

/// The parameters that are textures or surfaces as the launch says become buffers: of what they stand for. Throws InputError for pointers and
/// for values of other sizes.
void settle_textures(KernelSignature& kernel, const LaunchDescription& launch);

}  // namespace warpscope
