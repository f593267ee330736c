#pragma once
// Who reads what an instruction writes.
#include <cstdint>
#include <span>
#include <vector>

#include "machine/execute/code.h"
#include "machine/isa/effects.h"

namespace warpscope::machine {

/// The first instructions, on every way from `producer` on, that read a register or predicate which it writes, ascending. `successors`:
/// and `effects` are of each instruction.
std::vector<std::uint32_t> first_uses(const Code& code, std::span<const Effects> effects,
                                      const std::vector<std::vector<std::uint32_t>>& successors,
                                      std::uint32_t producer);

/// The instructions that may follow each, from those that are reached.
std::vector<std::vector<std::uint32_t>> successors_of(const Code& code, const class CodeFlow& flow);

}  // namespace warpscope::machine
