#pragma once
// Where this installation of Warpscope is. A build folder and an installed prefix have the same layout, so that one way to
// look finds everything in both, wherever the prefix is moved to:
//   bin/                    the programs
//   lib/warpscope/          the pass plug-in and the OpenCL layer, which are loaded at run time
//   share/warpscope/        gpus/ (presets), cuda/ (headers for .cu files)
#include <string>

namespace warpscope {

/// PREFIX/`relative` of the running program (PREFIX/bin/NAME). In a traced program, which is not ours, PREFIX is that
/// of our library that is loaded into it (PREFIX/lib/warpscope/NAME). If neither has it, the path where it was looked
/// for first: the caller says what is missing. Not empty; absolute unless the path of the program cannot be read.
std::string installed_path(const std::string& relative);

}  // namespace warpscope
