#pragma once
// Which accesses to local memory are spilled registers, and which are of arrays.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/cubin/cubin.h"
#include "machine/isa/decoder.h"

namespace warpscope::machine {

/// One flag per instruction. Where the stack pointer R1 is used for nothing but the addresses of LDL and STL, everything on the stack is a
/// spilled register. Else it holds an array, too: ptxas puts arrays below spilled registers, and marks the last load of a spilled register
/// (LDL.LU), so that spills begin at the lowest place that such a load reads.
std::vector<bool> spill_accesses(const Decoder& decoder, std::span<const Instruction> code);

struct SpilledRegisters {
  std::uint32_t registers = 0;  ///< words of 32 bits on the stack that keep one
  std::uint64_t bytes = 0;      ///< that are stored and loaded again, by the instructions in the code
  std::string file;             ///< of the line with most spill instructions; as the compiler had it
  std::uint32_t line = 0;       ///< 0: not known
};

/// Of a kernel for an architecture that Decoder::supports().
SpilledRegisters spilled_registers(const Cubin& cubin, const Function& function);

/// Instructions in front of the functions that a kernel's section holds behind it; 0 for what is no kernel.
std::size_t own_length(const Cubin& cubin, const Function& function);

}  // namespace warpscope::machine
