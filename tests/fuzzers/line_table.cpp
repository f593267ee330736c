// The line table of a cubin: the input is the section .debug_line, in the smallest ELF file that has one.
#include "machine/cubin/line_table.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;
constexpr std::string_view kNames("\0.debug_line\0.rela.debug_line\0.symtab\0", 38);
constexpr std::uint32_t kLineName = 1, kRelaName = 13, kSymbolsName = 30;
constexpr std::uint32_t kProgram = 1, kSymbolTable = 2, kStrings = 3, kRela = 4;
constexpr std::uint32_t kSections = 5;  ///< none, names, lines, symbols, relocations

class Writer {
 public:
  template <class Number>
  void put(std::uint64_t at, Number value) {
    if (bytes_.size() < at + sizeof value) bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  /// Where the bytes begin.
  std::uint64_t append(std::span<const std::uint8_t> content) {
    const std::uint64_t at = bytes_.size();
    bytes_.insert(bytes_.end(), content.begin(), content.end());
    return at;
  }
  void section(std::uint32_t number, std::uint32_t name, std::uint32_t type,
               std::span<const std::uint8_t> content, std::uint32_t link = 0, std::uint32_t info = 0) {
    const std::uint64_t offset = append(content);
    const std::uint64_t at = kHeaderBytes * (1 + number);
    put<std::uint32_t>(at, name);
    put<std::uint32_t>(at + 4, type);
    put<std::uint64_t>(at + 24, offset);
    put<std::uint64_t>(at + 32, content.size());
    put<std::uint32_t>(at + 40, link);
    put<std::uint32_t>(at + 44, info);
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// A relocation to symbol 0 for every DW_LNE_set_address (DWARF 2, 6.2.5.3: 0, 9, 2 and the address).
std::vector<std::uint8_t> relocations(Bytes lines) {
  Writer table;
  std::uint64_t count = 0;
  for (std::uint64_t at = 0; at + 11 <= lines.size(); ++at)
    if (lines[at] == 0 && lines[at + 1] == 9 && lines[at + 2] == 2) {
      table.put<std::uint64_t>(24 * count, at + 3);
      table.put<std::uint64_t>(24 * count + 16, 0);
      ++count;
    }
  return table.take();
}

std::vector<std::uint8_t> elf_of(Bytes lines) {
  Writer elf;
  constexpr std::array<std::uint8_t, 9> kIdentity = {0x7f, 'E', 'L', 'F', 2, 1, 1, 51, 7};
  for (std::size_t i = 0; i < kIdentity.size(); ++i) elf.put<std::uint8_t>(i, kIdentity[i]);
  elf.put<std::uint16_t>(18, 190);
  elf.put<std::uint64_t>(40, kHeaderBytes);
  elf.put<std::uint16_t>(58, kHeaderBytes);
  elf.put<std::uint16_t>(60, kSections);
  elf.put<std::uint16_t>(62, 1);
  elf.put<std::uint8_t>(kHeaderBytes * (1 + kSections) - 1, 0);
  Writer symbol;  // symbol 0, of the section of lines
  symbol.put<std::uint16_t>(6, 2);
  symbol.put<std::uint64_t>(16, 0);
  elf.section(1, 0, kStrings, {reinterpret_cast<const std::uint8_t*>(kNames.data()), kNames.size()});
  elf.section(2, kLineName, kProgram, lines);
  elf.section(3, kSymbolsName, kSymbolTable, symbol.take(), 1);
  elf.section(4, kRelaName, kRela, relocations(lines), 3, 2);
  return elf.take();
}

}  // namespace

void fuzz_line_table(Bytes input) {
  const std::vector<std::uint8_t> bytes = elf_of(input);
  allow_refusal([&] {
    const machine::LineTable table =
        machine::read_line_table(machine::ElfFile(machine::ByteView(bytes, "input")));
    for (const machine::LineSequence& sequence : table.sequences) {
      for (const machine::LineRow& row : sequence.rows)
        if (row.file >= table.files.size()) std::abort();
      (void)machine::row_at(sequence, 0);
    }
  });
}

}  // namespace warpscope::fuzzing
