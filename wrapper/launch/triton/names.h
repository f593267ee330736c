#pragma once
// Names and types of a kernel's arguments by Triton's IR, which its cache has next to the cubin.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "wrapper/launch/kernel_signatures.h"

namespace warpscope {

/// An argument of a function in Triton's IR.
struct TritonArgument {
  std::string name;  ///< "x_ptr"; "arg0" where the IR has no name
  std::string type;  ///< "float" of f32 and of !tt.ptr<f32>; "" of what has no such type here
  bool is_pointer = false;
};

/// Those of the public function `kernel`; empty where the text has none. Text that is not understood ends the list.
std::vector<TritonArgument> triton_arguments(const std::string& text, const std::string& kernel);

/// Gives the first `count` parameters their names and types, if the file is there and has as many arguments; else they stay as they are.
void name_by_ttir(const std::filesystem::path& path, std::size_t count, KernelSignature& kernel);

}  // namespace warpscope
