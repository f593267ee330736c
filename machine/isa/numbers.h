#pragma once
// Numbers as NVIDIA's disassembler prints them.
#include <cstdint>
#include <string>

#include "machine/isa/table.h"

namespace warpscope::machine {

/// The 32 bits of an immediate.
std::string immediate_text(std::uint32_t bits, Format format);

}  // namespace warpscope::machine
