#include "machine/execute/texture_accesses.h"

#include <algorithm>

#include "machine/execute/code.h"
#include "machine/isa/effects.h"
#include "machine/isa/texture_words.h"

namespace warpscope::machine {
namespace {

/// Bytes of the registers that a surface instruction moves as they are; 0: elements, as wide as the surface has them.
unsigned fixed_bytes(const Row& row, const Instruction& instruction) {
  static constexpr unsigned kSizes[] = {1, 1, 2, 2, 4, 8, 16, 16};
  if (row.name == "SURED") {
    const std::uint64_t type = instruction.field(73, 3);
    return type == 2 || type == 5 || type == 7 ? 8 : 4;
  }
  const bool is_packed = !row.items.empty() && row.items.front().text == ".P";
  return row.name.starts_with("SU") && !is_packed ? kSizes[instruction.field(73, 3)] : 0;
}

std::vector<TextureAccess> accesses_of(const Row& row, const Instruction& instruction,
                                       std::span<const Texture> textures) {
  if (const unsigned bytes = fixed_bytes(row, instruction); bytes != 0) return {{bytes, 0}};
  const bool is_surface = row.name.starts_with("SU"), is_gather = row.name == "TLD4";
  const bool filters = row.name == "TEX" || row.name == "TXD";
  std::map<unsigned, unsigned> corners;  // by bytes
  for (const Texture& texture : textures) {
    if (texture.is_surface != is_surface) continue;
    const bool is_area = is_gather || (filters && texture.is_linear);
    unsigned& most = corners[texture.element_bytes()];
    const unsigned levels = filters && texture.levels > 1 && texture.blends_levels ? 2 : 1;
    most = std::max(most, levels * (is_area ? 1U << texture.dimensions : 1U));
  }
  std::vector<TextureAccess> accesses;
  for (const auto& [bytes, count] : corners)
    for (unsigned corner = 0; corner < count; ++corner) accesses.push_back({bytes, corner});
  if (accesses.empty()) accesses.emplace_back();
  return accesses;
}

}  // namespace

TextureAccesses texture_accesses(const Code& code, std::span<const Texture> textures) {
  TextureAccesses found;
  for (std::uint32_t place = 0; place < code.instructions().size(); ++place) {
    const Instruction& instruction = code.instructions()[place];
    if (!code.operations()[place].accesses_texture) continue;
    found[place] = accesses_of(code.decoder().row(instruction), instruction, textures);
  }
  return found;
}

}  // namespace warpscope::machine
