#pragma once
// The accesses of global memory that an instruction for textures or surfaces may make: with filtering several, of elements as wide as those of
// the launch's textures. Captures have a place for each of them, with the lanes that make it.
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "machine/execute/base/texture.h"

namespace warpscope::machine {

class Code;

struct TextureAccess {
  unsigned bytes = 4;   ///< of a lane
  unsigned corner = 0;  ///< which of the elements around a point
  bool operator==(const TextureAccess&) const = default;
};

/// By number of the instruction. Of each at least one access, ascending by bytes, then by corner.
using TextureAccesses = std::map<std::uint32_t, std::vector<TextureAccess>>;

TextureAccesses texture_accesses(const Code& code, std::span<const Texture> textures);

}  // namespace warpscope::machine
