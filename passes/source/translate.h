#pragma once
// Inline PTX as C++ (PTX ISA, version 7.5): what clang compiles for PoCL's device knows no PTX.
#include <string>
#include <string_view>

#include "passes/source/asm_statements.h"

namespace warpscope::ptx {

/// One C++ statement, without its semicolon, that does what an asm statement does, in terms of
/// passes/cuda/include/warpscope/ptx. Accesses stand in `body`, so that it is where the asm
/// statement was.
struct Translation {
  std::string declaration; ///< text to put in front of the file's text; mostly empty
  std::string before, body, after;
};

/// What is not known becomes a call of a function whose name says so (passes/cuda/CudaToSpir.h,
/// CannotPrefix); `number`, unique in the file, is part of its C++ name.
Translation translate(const AsmStatement &statement, unsigned number);

/// Preprocessed text with each asm statement replaced; lines and columns keep their numbers, by
/// line markers. Empty: there is nothing to replace.
std::string without_inline_ptx(std::string_view text);

} // namespace warpscope::ptx
