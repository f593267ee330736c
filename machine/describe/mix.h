#pragma once
// Classes of instructions (traces/FORMAT.md) of machine code.
#include <string_view>

#include "machine/isa/decoder.h"

namespace warpscope::machine {

/// The class of an instruction; nullptr: it counts in none (NOP).
const char* class_of(const Decoder& decoder, const Instruction& instruction);

}  // namespace warpscope::machine
