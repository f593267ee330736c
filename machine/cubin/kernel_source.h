#pragma once
// What a cubin says about where its kernels come from.
#include <string>

#include "machine/cubin/cubin.h"

namespace warpscope::machine {

/// The file in which kernels are defined, and its text: next to the code, or where the compiler had it. Without lines: NAME.cu next to NAME.cubin.
struct SourceFile {
  std::string name, text;
};
/// `code`: the path of the cubin, or of the program that has it; `kernel`: which one is asked for, or "".
SourceFile source_of(const Cubin& cubin, const std::string& code, const std::string& kernel);

}  // namespace warpscope::machine
