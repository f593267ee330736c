#pragma once
// The PTX instructions that have a counterpart in passes/cuda/include/warpscope/ptx.
#include <optional>
#include <string>
#include <vector>

#include "passes/source/instructions.h"

namespace warpscope::ptx {

/// How C++ text is made of an instruction.
enum class Shape {
  Plain,   ///< name<types>(operands)
  Carry,   ///< name<types>(the carry flag, operands)
  Load,    ///< load<type, space, cache>(address, destinations)
  Store,   ///< store<type, space, cache>(address, values)
  Atomic,  ///< name<type, space>(destination, address, operands)
  Reduce,  ///< an atomic without a destination
  Compare, ///< setp<type, comparison>(destinations, operands)
  Convert, ///< cvt<types, rounding>(destination, source)
  Move,    ///< mov, also from and to parts in braces
  Product, ///< mma<shape, saturates, types>(words of A, B and C, destinations)
  Matrix,  ///< ldmatrix<count, transposed>(address, destinations)
  Copy,    ///< cp_async<bytes, cache>(address, address, bytes)
  Nothing, ///< a hint that changes no result
};

struct Form {
  Shape shape;
  std::string function;           ///< name in namespace warpscope_ptx
  std::vector<std::string> types; ///< C++ types: "unsigned int", …
};

/// None if the instruction is not known or has a modifier that is not.
std::optional<Form> form_of(const Instruction &instruction);

/// C++ type of a PTX type ("u32"), as registers of it are declared.
std::optional<std::string> type_of(const std::string &name);

} // namespace warpscope::ptx
