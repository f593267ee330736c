#pragma once
// Takes a row of table/instructions.def apart (its head explains the notation).
#include <string>
#include <string_view>

#include "machine/isa/table.h"

namespace warpscope::machine {

/// A row as table/instructions.def has it.
struct RowText {
  std::string_view name;
  unsigned base;           ///< opcode; with forms: its lower nine bits
  std::string_view forms;  ///< digits 1 to 7, or "" where `base` is whole
  std::string_view when;   ///< conditions: "74=1 24.8=255 >=80 <90 u"
  Pipe pipe;
  std::string_view text;
};

/// The row for one form (0 without forms). Throws std::logic_error that names the row.
Row parse_row(const RowText& text, unsigned form);

}  // namespace warpscope::machine
