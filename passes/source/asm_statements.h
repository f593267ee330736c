#pragma once
// asm statements in preprocessed C++ text.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::ptx {

struct Operand {
  std::string name;       ///< symbolic name, as in `[name] "r"(x)`; or empty
  std::string constraint; ///< "=r", "+f", "l", "0", …
  std::string expression; ///< C++ text between the parentheses
};

/// `asm volatile("text" : outputs : inputs : clobbers)`, without the semicolon behind it.
struct AsmStatement {
  std::size_t begin = 0, end = 0; ///< offsets in the text; `end` is behind the closing parenthesis
  std::string text;               ///< all literals, with escapes replaced
  std::vector<Operand> outputs, inputs;
  bool has_operands = false; ///< whether a colon follows the text
};

/// The first asm statement at or behind `from`. Names of symbols (`void f() asm("g")`) and asm goto
/// are none; text that cannot be read as a statement is passed over. None: the text has no more.
std::optional<AsmStatement> find_asm(std::string_view text, std::size_t from);

/// Whether a symbol gets a name with `part` in it that does not begin with `but`, as by
/// `void f() asm("part_of")`, or one with escapes, which may be anything.
bool names_symbol(std::string_view text, std::string_view part, std::string_view but);

} // namespace warpscope::ptx
