#pragma once
// The text of an asm statement as PTX instructions (PTX ISA, chapter 4: syntax).
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/source/asm_statements.h"

namespace warpscope::ptx {

struct Instruction {
  enum class Kind { Operation, Registers, OpenScope, CloseScope };
  Kind kind = Kind::Operation;
  std::string guard;                  ///< `@p` or `@!p` without the @; empty if there is none
  std::string name;                   ///< "add"; of registers: "reg"
  std::vector<std::string> modifiers; ///< "rn", "f32": what follows the name, without dots
  std::vector<std::string> operands;  ///< as written, without spaces around them

  [[nodiscard]] bool has(std::string_view modifier) const;
  /// "add.rn.f32"
  [[nodiscard]] std::string mnemonic() const;
};

/// How operand number `index` of an asm statement is called in instructions.
std::string operand_name(std::size_t index);

/// The instructions of a statement; its operands are called as operand_name() says, `%%` is `%`.
/// None if the text cannot be read; `problem` is what it stopped at, such as "label DONE".
std::optional<std::vector<Instruction>> read_instructions(const AsmStatement &statement,
                                                          std::string &problem);

} // namespace warpscope::ptx
