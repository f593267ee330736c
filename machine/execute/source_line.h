#pragma once
// The source line of an instruction.
#include <cstdint>
#include <string>

#include "machine/execute/code.h"

namespace warpscope::machine {

struct SourceLine {
  std::string file;  ///< without directories
  std::uint32_t line = 0;
};

/// Of an instruction, by its number; line 0: without -lineinfo.
SourceLine source_line(const Code& code, std::uint32_t place);

}  // namespace warpscope::machine
