#pragma once
// Which accesses to local memory are spilled registers, and which are of arrays.
#include <cstdint>
#include <span>
#include <vector>

#include "machine/isa/decoder.h"

namespace warpscope::machine {

/// One flag per instruction. Where the stack pointer R1 is used for nothing but the addresses of LDL and STL, everything on the stack is a
/// spilled register. Else it holds an array, too: ptxas puts arrays below spilled registers, and marks the last load of a spilled register
/// (LDL.LU), so that spills begin at the lowest place that such a load reads.
std::vector<bool> spill_accesses(const Decoder& decoder, std::span<const Instruction> code);

}  // namespace warpscope::machine
