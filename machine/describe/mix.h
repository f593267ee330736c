#pragma once
// Classes of instructions (traces/FORMAT.md) of machine code.
#include <string_view>

#include "machine/isa/decoder.h"

namespace warpscope::machine {

/// The class of an instruction; nullptr: it counts in none (NOP).
const char* class_of(const Decoder& decoder, const Instruction& instruction);

/// What Nsight Compute counts an instruction as: "fp32", "fp64", "integer", "conversion", "control", "memory"; "branch", which is control; "global_load",
/// "shared_store" and the like, which are memory. Empty: as nothing of these.
std::string_view kind_of(const Decoder& decoder, const Instruction& instruction);

}  // namespace warpscope::machine
