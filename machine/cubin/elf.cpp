#include "machine/cubin/elf.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/base/printable.h"

namespace warpscope::machine {
namespace {

constexpr std::uint32_t kSymbolTable = 2;
constexpr std::uint32_t kRela = 4;
constexpr std::uint32_t kNoBits = 8;
constexpr std::uint32_t kRel = 9;
constexpr std::uint64_t kHeaderBytes = 64;
constexpr std::uint64_t kSymbolBytes = 24;

}  // namespace

bool ElfFile::is_elf(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 4 && bytes[0] == 0x7f && bytes[1] == 'E' && bytes[2] == 'L' && bytes[3] == 'F';
}

ElfFile::ElfFile(ByteView bytes) : bytes_(std::move(bytes)) {
  read_header();
  read_sections();
  name_sections();
  read_symbols();
}

void ElfFile::read_header() {
  if (!is_elf(bytes_.bytes())) bytes_.fail("not an ELF file, expected one that begins with 7f 45 4c 46");
  if (bytes_.read<std::uint8_t>(4, "the ELF header") != 2 ||
      bytes_.read<std::uint8_t>(5, "the ELF header") != 1)
    bytes_.fail("an ELF file of 32 bits or of big-endian numbers, expected 64 bits, little-endian");
  os_abi_ = bytes_.read<std::uint8_t>(7, "the ELF header");
  abi_version_ = bytes_.read<std::uint8_t>(8, "the ELF header");
  machine_ = bytes_.read<std::uint16_t>(18, "the ELF header");
  section_headers_ = bytes_.read<std::uint64_t>(40, "the ELF header");
  flags_ = bytes_.read<std::uint32_t>(48, "the ELF header");
  section_header_bytes_ = bytes_.read<std::uint16_t>(58, "the ELF header");
  section_count_ = bytes_.read<std::uint16_t>(60, "the ELF header");
  names_section_ = bytes_.read<std::uint16_t>(62, "the ELF header");
  if (section_headers_ == 0) return;
  if (section_header_bytes_ < kHeaderBytes)
    bytes_.fail(
        fmt::format("section headers have {} bytes, expected {}", section_header_bytes_, kHeaderBytes));
  // More sections than 16 bits can count: the first header says how many, and where their names are.
  if (section_count_ == 0) {
    const auto count = bytes_.read<std::uint64_t>(section_headers_ + 32, "the number of sections");
    if (count > bytes_.size() / kHeaderBytes)
      bytes_.fail(fmt::format("{} sections in {} bytes, expected fewer", count, bytes_.size()));
    section_count_ = static_cast<std::uint32_t>(count);
  }
  if (names_section_ == 0xffff)
    names_section_ = bytes_.read<std::uint32_t>(section_headers_ + 40, "the number of the section of names");
}

void ElfFile::read_sections() {
  if (section_headers_ == 0) return;
  const ByteView table = bytes_.part(section_headers_, std::uint64_t{section_count_} * section_header_bytes_,
                                     "the table of sections");
  sections_.resize(section_count_);
  for (std::uint32_t number = 0; number < section_count_; ++number) {
    const std::uint64_t at = std::uint64_t{number} * section_header_bytes_;
    ElfSection& section = sections_[number];
    section.type = table.read<std::uint32_t>(at + 4, "a section header");
    section.flags = table.read<std::uint64_t>(at + 8, "a section header");
    section.size = table.read<std::uint64_t>(at + 32, "a section header");
    section.link = table.read<std::uint32_t>(at + 40, "a section header");
    section.info = table.read<std::uint32_t>(at + 44, "a section header");
    if (section.type == 0 || section.type == kNoBits) continue;
    section.content =
        bytes_.part(table.read<std::uint64_t>(at + 24, "a section header"), section.size, "a section");
  }
}

void ElfFile::name_sections() {
  if (sections_.empty()) return;
  if (names_section_ >= sections_.size())
    bytes_.fail(fmt::format("names are in section {}, expected one of the {} sections", names_section_,
                            sections_.size()));
  const ByteView names = sections_[names_section_].content;
  for (std::uint32_t number = 0; number < section_count_; ++number) {
    const auto at = bytes_.read<std::uint32_t>(
        section_headers_ + std::uint64_t{number} * section_header_bytes_, "a section header");
    ElfSection& section = sections_[number];
    if (names.size() != 0) section.name = names.text(at, "a section's name");
    section.content = section.content.renamed(bytes_.name() + ": section " + quotable(section.name));
  }
}

void ElfFile::read_symbols() {
  const auto table = std::find_if(sections_.begin(), sections_.end(),
                                  [](const ElfSection& section) { return section.type == kSymbolTable; });
  if (table == sections_.end()) return;
  if (table->link >= sections_.size())
    table->content.fail(fmt::format("names are in section {}, expected one of the {} sections", table->link,
                                    sections_.size()));
  const ByteView& names = sections_[table->link].content;
  symbols_.resize(table->content.size() / kSymbolBytes);
  for (std::size_t number = 0; number < symbols_.size(); ++number) {
    const std::uint64_t at = number * kSymbolBytes;
    ElfSymbol& symbol = symbols_[number];
    const auto name = table->content.read<std::uint32_t>(at, "a symbol");
    const auto info = table->content.read<std::uint8_t>(at + 4, "a symbol");
    symbol.type = info & 0xf;
    symbol.bind = info >> 4;
    symbol.other = table->content.read<std::uint8_t>(at + 5, "a symbol");
    symbol.section = table->content.read<std::uint16_t>(at + 6, "a symbol");
    symbol.value = table->content.read<std::uint64_t>(at + 8, "a symbol");
    symbol.size = table->content.read<std::uint64_t>(at + 16, "a symbol");
    if (name != 0) symbol.name = names.text(name, "a symbol's name");
  }
}

const ElfSection* ElfFile::section(std::string_view name) const {
  for (const ElfSection& section : sections_)
    if (section.name == name) return &section;
  return nullptr;
}

std::vector<ElfRelocation> ElfFile::relocations(std::uint32_t target) const {
  std::vector<ElfRelocation> found;
  for (const ElfSection& section : sections_) {
    if ((section.type != kRel && section.type != kRela) || section.info != target) continue;
    const std::uint64_t bytes = section.type == kRela ? 24 : 16;
    for (std::uint64_t at = 0; at + bytes <= section.content.size(); at += bytes) {
      ElfRelocation one;
      one.offset = section.content.read<std::uint64_t>(at, "a relocation");
      one.type = section.content.read<std::uint32_t>(at + 8, "a relocation");
      one.symbol = section.content.read<std::uint32_t>(at + 12, "a relocation");
      if (bytes == 24)
        one.addend = static_cast<std::int64_t>(section.content.read<std::uint64_t>(at + 16, "a relocation"));
      if (one.symbol >= symbols_.size())
        section.content.fail(fmt::format("a relocation names symbol {}, expected one of the {} symbols",
                                         one.symbol, symbols_.size()));
      found.push_back(one);
    }
  }
  return found;
}

}  // namespace warpscope::machine
