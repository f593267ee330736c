#pragma once
// .debug_line of a cubin built with -lineinfo or -G: DWARF 2, with NVIDIA's extension for inlined code.
#include <cstdint>
#include <string>
#include <vector>

#include "machine/cubin/elf.h"

namespace warpscope::machine {

/// From `address` on, up to the next row. `file` and `line` are 0 where the table says nothing.
struct LineRow {
  std::uint64_t address = 0;  ///< in the section of code
  std::uint32_t file = 0;     ///< in LineTable::files
  std::uint32_t line = 0;
  std::uint32_t inlined_at =
      0;  ///< row of this function that called what was inlined, from 1; 0: not inlined
};

/// The rows of one section of code, in ascending order of addresses.
struct LineSequence {
  std::uint32_t section = 0;  ///< number in the ELF file
  std::vector<LineRow> rows;
  std::vector<LineRow> contexts;  ///< rows in the order of the table, which `inlined_at` counts
};

struct LineTable {
  std::vector<std::string> files;  ///< paths; the first is "" (unknown)
  std::vector<LineSequence> sequences;

  /// nullptr: the section has no lines.
  [[nodiscard]] const LineSequence* of_section(std::uint32_t section) const;
};

/// The row that holds at `address`; nullptr in front of the first one.
const LineRow* row_at(const LineSequence& sequence, std::uint64_t address);

/// Empty without .debug_line. Throws InputError where the section is malformed.
LineTable read_line_table(const ElfFile& elf);

}  // namespace warpscope::machine
