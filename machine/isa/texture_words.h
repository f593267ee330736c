#pragma once
// Which words of its operands a texture or surface instruction takes for what, as ptxas 13.0 places them: coordinates, layer, handle, offsets.
#include "machine/isa/decoder.h"

namespace warpscope::machine {

/// The words lie in `first` registers of the operand at bit 24, the others from the operand at bit 32 on. Places are among all of them.
struct TextureWords {
  static constexpr unsigned kNone = 15;
  unsigned first = 0, second = 0;
  unsigned dimensions = 1;  ///< coordinates, without the layer
  unsigned coordinates = 0;
  unsigned layer = kNone;
  unsigned handle = kNone;     ///< none: it is a constant, or in a uniform register
  unsigned level = kNone;      ///< .LL: the level of detail
  unsigned gradients = kNone;  ///< TXD: of each dimension that along x and that along y
  unsigned offset = kNone;     ///< .AOFFI: of texels, all dimensions in one word
};

/// Of TEX, TLD, TLD4, TXD, TMML, TXQ.
TextureWords texture_words(const Row& row, const Instruction& instruction);
/// Registers of the operand in a slot of an instruction for textures or surfaces.
unsigned texture_registers(const Row& row, const Instruction& instruction, const OperandSpec& spec);

}  // namespace warpscope::machine
