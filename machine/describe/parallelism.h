#pragma once
// What of a block of machine code waits for what in it (traces/FORMAT.md, "Parallelism of a block").
#include <span>

#include "machine/execute/code.h"
#include "machine/isa/effects.h"
#include "traces/program/kernel_info.h"

namespace warpscope::machine {

/// Of `count` instructions from `first` on. `effects`: of each instruction of the code.
BlockParallelism parallelism_of(const Code& code, std::span<const Effects> effects, std::uint32_t first,
                                std::uint32_t count);

}  // namespace warpscope::machine
