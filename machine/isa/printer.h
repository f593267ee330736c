#pragma once
// An instruction's text as NVIDIA's disassembler has it.
#include <string>

#include "machine/isa/decoder.h"

namespace warpscope::machine {

/// "@!P0 IADD3 R6, P2, R3, c[0x0][0x170], RZ"; ".word 0x…" for a word that is not in the table.
std::string text_of(const Decoder& decoder, const Instruction& instruction);
/// Name and suffixes: "LDG.E.64.SYS".
std::string name_of(const Decoder& decoder, const Instruction& instruction);
/// The control word in CuAssembler's notation: "B01----:R-:W2:Y:S04": counters waited for, set by a read, by a write, yield, stall.
std::string control_text(const Control& control);

}  // namespace warpscope::machine
