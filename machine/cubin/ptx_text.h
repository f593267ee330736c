#pragma once
// What PTX text says of kernels that machine code does not: names and types of parameters, names of shared arrays. PTX ISA, "State Spaces" and
// "Kernel and Function Directives".
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::machine {

/// A variable or a parameter as it is declared.
struct PtxVariable {
  std::string name;
  std::string type;             ///< "u64", "f32", "b8"
  std::uint32_t alignment = 1;  ///< in bytes
  std::uint64_t bytes = 0;      ///< 0 of an array without a size: extern
  bool is_array = false;
};

struct PtxParameter : PtxVariable {
  bool is_pointer = false;  ///< it is declared as one, or the kernel makes a global address of it
  std::string loaded_as;    ///< "f32" of ld.param.f32; empty: never loaded as a whole
};

struct PtxKernel {
  std::string name;
  std::vector<PtxParameter> parameters;
  std::vector<PtxVariable>
      shared;  ///< arrays in the order of their declarations: those of the file that it names, then its own
  std::vector<std::string>
      variables;       ///< of the file, in global and constant memory, without content, that it names
  bool calls = false;  ///< it calls functions, which may name more
};

/// The kernels of a PTX text. What is not understood is passed over: an assembler has the last word.
std::vector<PtxKernel> read_ptx(std::string_view text);

/// "sm_80", "sm_90a" of the directive .target; "" without one.
std::string ptx_target(std::string_view text);

}  // namespace warpscope::machine
