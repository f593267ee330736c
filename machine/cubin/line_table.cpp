#include "machine/cubin/line_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpscope::machine {
namespace {

/// The header of a unit: how its program is read, and the files that it counts from 1.
struct Unit {
  std::uint8_t smallest_instruction = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::vector<std::uint8_t> operand_counts;
  std::vector<std::uint32_t> files;  ///< in LineTable::files
};

/// Reads one unit after the other.
class Reader {
 public:
  Reader(const ElfFile& elf, std::uint32_t section, LineTable& table)
      : view_(elf.sections()[section].content), table_(table) {
    for (const ElfRelocation& one : elf.relocations(section))
      symbols_[one.offset] = {elf.symbols()[one.symbol].section,
                              elf.symbols()[one.symbol].value + static_cast<std::uint64_t>(one.addend)};
  }
  void read() {
    for (std::uint64_t at = 0; at < view_.size();) {
      const std::uint64_t length = view_.read<std::uint32_t>(at, "a unit of lines");
      read_unit(at + 4, at + 4 + view_.part(at + 4, length, "a unit of lines").size());
      at += 4 + length;
    }
  }

 private:
  struct Place {
    std::uint32_t section = 0;
    std::uint64_t value = 0;
  };

  void read_unit(std::uint64_t begin, std::uint64_t end);
  Unit read_header(ByteCursor& cursor);
  void read_files(ByteCursor& cursor, Unit& unit);
  std::uint32_t file_number(const std::string& path);
  void run(ByteCursor& cursor, std::uint64_t end, const Unit& unit);
  void standard(ByteCursor& cursor, const Unit& unit, std::uint8_t opcode);
  void extended(ByteCursor& cursor);
  void add_row();
  void end_sequence();
  void advance(const Unit& unit, std::uint64_t operation) {
    row_.address += operation * unit.smallest_instruction;
  }

  ByteView view_;
  LineTable& table_;
  std::map<std::uint64_t, Place> symbols_;  ///< where in the section an address is relocated, and to what
  LineRow row_{0, 0, 1, 0};
  LineSequence sequence_;
};

Unit Reader::read_header(ByteCursor& cursor) {
  const auto version = cursor.take<std::uint16_t>("a unit of lines");
  if (version < 2 || version > 4)
    view_.fail(fmt::format("a unit of lines of DWARF {}, expected 2 to 4", version));
  const auto header_bytes = cursor.take<std::uint32_t>("a unit of lines");
  const std::uint64_t program = cursor.position() + header_bytes;
  Unit unit;
  unit.smallest_instruction = cursor.take<std::uint8_t>("a unit of lines");
  if (version >= 4) cursor.take<std::uint8_t>("a unit of lines");
  cursor.take<std::uint8_t>("a unit of lines");
  unit.line_base = static_cast<std::int8_t>(cursor.take<std::uint8_t>("a unit of lines"));
  unit.line_range = cursor.take<std::uint8_t>("a unit of lines");
  unit.opcode_base = cursor.take<std::uint8_t>("a unit of lines");
  if (unit.line_range == 0 || unit.opcode_base == 0)
    view_.fail("a unit of lines whose special opcodes span no lines, expected a range above 0");
  for (int opcode = 1; opcode < unit.opcode_base; ++opcode)
    unit.operand_counts.push_back(cursor.take<std::uint8_t>("a unit of lines"));
  read_files(cursor, unit);
  cursor.seek(program);
  return unit;
}

std::uint32_t Reader::file_number(const std::string& path) {
  const auto found = std::find(table_.files.begin(), table_.files.end(), path);
  if (found != table_.files.end()) return static_cast<std::uint32_t>(found - table_.files.begin());
  table_.files.push_back(path);
  return static_cast<std::uint32_t>(table_.files.size() - 1);
}

void Reader::read_files(ByteCursor& cursor, Unit& unit) {
  std::vector<std::string> folders{""};
  for (std::string_view folder = cursor.take_text("a folder's name"); !folder.empty();
       folder = cursor.take_text("a folder's name"))
    folders.emplace_back(folder);
  unit.files.push_back(0);
  for (std::string_view name = cursor.take_text("a file's name"); !name.empty();
       name = cursor.take_text("a file's name")) {
    const std::uint64_t folder = cursor.take_uleb("a file's folder");
    cursor.take_uleb("a file's time");
    cursor.take_uleb("a file's size");
    if (folder >= folders.size())
      view_.fail(fmt::format("a file is in folder {}, expected one of {}", folder, folders.size() - 1));
    const bool whole = name.starts_with('/') || folders[folder].empty();
    unit.files.push_back(file_number(whole ? std::string(name) : folders[folder] + "/" + std::string(name)));
  }
}

void Reader::read_unit(std::uint64_t begin, std::uint64_t end) {
  ByteCursor cursor(view_.part(0, end, "a unit of lines"));
  cursor.seek(begin);
  const Unit unit = read_header(cursor);
  row_ = {0, 0, 1, 0};
  run(cursor, end, unit);
  end_sequence();
}

void Reader::run(ByteCursor& cursor, std::uint64_t end, const Unit& unit) {
  std::uint32_t file = 1;
  while (cursor.position() < end) {
    const auto opcode = cursor.take<std::uint8_t>("a step of lines");
    if (opcode == 4 && unit.opcode_base > 4) {
      const std::uint64_t number = cursor.take_uleb("a file's number");
      if (number >= unit.files.size())
        view_.fail(fmt::format("a line of file {}, expected one of {}", number, unit.files.size() - 1));
      file = static_cast<std::uint32_t>(number);
      continue;
    }
    row_.file = file < unit.files.size() ? unit.files[file] : 0;
    if (opcode >= unit.opcode_base) {
      const int special = opcode - unit.opcode_base;
      advance(unit, static_cast<std::uint64_t>(special / unit.line_range));
      row_.line += static_cast<std::uint32_t>(unit.line_base + special % unit.line_range);
      add_row();
    } else if (opcode == 0) {
      extended(cursor);
    } else {
      standard(cursor, unit, opcode);
    }
  }
}

void Reader::standard(ByteCursor& cursor, const Unit& unit, std::uint8_t opcode) {
  switch (opcode) {
    case 1:
      return add_row();
    case 2:
      return advance(unit, cursor.take_uleb("a step of addresses"));
    case 3:
      row_.line += static_cast<std::uint32_t>(cursor.take_sleb("a step of lines"));
      return;
    case 8:
      return advance(unit, static_cast<std::uint64_t>((255 - unit.opcode_base) / unit.line_range));
    case 9:
      row_.address += cursor.take<std::uint16_t>("a step of addresses");
      return;
    default:
      break;
  }
  for (int operand = 0; operand < unit.operand_counts[opcode - 1]; ++operand)
    cursor.take_uleb("a step's operand");
}

void Reader::extended(ByteCursor& cursor) {
  constexpr std::uint8_t kEndSequence = 1;
  constexpr std::uint8_t kSetAddress = 2;
  constexpr std::uint8_t kInlined = 0x90;
  const std::uint64_t length = cursor.take_uleb("an extended step");
  if (length == 0) return;
  const std::uint64_t end = cursor.position() + length;
  const auto opcode = cursor.take<std::uint8_t>("an extended step");
  if (opcode == kEndSequence) {
    end_sequence();
  } else if (opcode == kSetAddress) {
    end_sequence();
    const auto place = symbols_.find(cursor.position());
    row_.address = cursor.take<std::uint64_t>("an address");
    if (place != symbols_.end()) {
      sequence_.section = place->second.section;
      row_.address += place->second.value;
    }
  } else if (opcode == kInlined) {
    row_.inlined_at = static_cast<std::uint32_t>(cursor.take_uleb("an inlined call"));
  }
  if (end > cursor.view().size())
    view_.fail("an extended step of lines is cut short, expected it within its unit");
  cursor.seek(end);
}

void Reader::add_row() {
  sequence_.rows.push_back(row_);
  sequence_.contexts.push_back(row_);
}

void Reader::end_sequence() {
  std::stable_sort(sequence_.rows.begin(), sequence_.rows.end(),
                   [](const LineRow& a, const LineRow& b) { return a.address < b.address; });
  if (!sequence_.rows.empty()) table_.sequences.push_back(std::move(sequence_));
  sequence_ = {};
  row_ = {0, 0, 1, 0};
}

}  // namespace

const LineSequence* LineTable::of_section(std::uint32_t section) const {
  for (const LineSequence& sequence : sequences)
    if (sequence.section == section) return &sequence;
  return nullptr;
}

const LineRow* row_at(const LineSequence& sequence, std::uint64_t address) {
  const auto after =
      std::upper_bound(sequence.rows.begin(), sequence.rows.end(), address,
                       [](std::uint64_t wanted, const LineRow& row) { return wanted < row.address; });
  return after == sequence.rows.begin() ? nullptr : &*std::prev(after);
}

LineTable read_line_table(const ElfFile& elf) {
  LineTable table;
  table.files.emplace_back();
  for (std::uint32_t number = 0; number < elf.sections().size(); ++number)
    if (elf.sections()[number].name == ".debug_line") Reader(elf, number, table).read();
  return table;
}

}  // namespace warpscope::machine
