#pragma once
// How many registers a lane holds of a matrix operand. Fragments: PTX ISA, chapters on mma and wgmma; 32 lanes hold a matrix of mma, 128 one
// of wgmma, in registers of 32 bits.
#include <cstddef>

#include "machine/isa/table.h"

namespace warpscope::machine {

/// Of an operand that is a register, of a row of Pipe::Tensor. `slot`: its place in Instruction::operands.
unsigned tensor_registers(const Row& row, const Instruction& instruction, std::size_t slot);

/// Columns of a product of four warps, of 64 rows: HGMMA, QGMMA, IGMMA, BGMMA.
unsigned group_columns(const Row& row, const Instruction& instruction);

}  // namespace warpscope::machine
