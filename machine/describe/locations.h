#pragma once
// Source lines of instructions.
#include <cstdint>
#include <vector>

#include "machine/execute/code.h"
#include "traces/program/kernel_info.h"

namespace warpscope::machine {

/// Of an instruction, by its number; empty: without -lineinfo. The file without directories, column 0.
std::vector<SourceLocation> locations_of(const Code& code, std::uint32_t place);

}  // namespace warpscope::machine
