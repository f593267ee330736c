#pragma once
// ELF64, little-endian: what cubins and host programs have in common. Section numbers are those of the file.
#include <cstdint>
#include <string>
#include <vector>

#include "machine/cubin/byte_view.h"

namespace warpscope::machine {

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t size = 0;  ///< in memory; `content` is empty for a section without bytes in the file (NOBITS)
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  ByteView content;
};

struct ElfSymbol {
  std::string name;
  std::uint8_t type = 0;   ///< STT_FUNC = 2, STT_OBJECT = 1, STT_SECTION = 3
  std::uint8_t bind = 0;   ///< STB_LOCAL = 0, STB_GLOBAL = 1, STB_WEAK = 2
  std::uint8_t other = 0;  ///< bit 4: a kernel's entry
  std::uint32_t section = 0;
  std::uint64_t value = 0;
  std::uint64_t size = 0;
};

struct ElfRelocation {
  std::uint64_t offset = 0;  ///< in the section that it changes
  std::uint32_t type = 0;
  std::uint32_t symbol = 0;
  std::int64_t addend = 0;
};

constexpr std::uint16_t kElfMachineCuda = 190;

class ElfFile {
 public:
  /// Throws InputError for what is no intact ELF64 file of little-endian numbers. The bytes have to outlive this.
  explicit ElfFile(ByteView bytes);
  /// True for bytes that begin as an ELF file does.
  static bool is_elf(std::span<const std::uint8_t> bytes);

  [[nodiscard]] std::uint8_t os_abi() const { return os_abi_; }
  [[nodiscard]] std::uint8_t abi_version() const { return abi_version_; }
  [[nodiscard]] std::uint16_t machine() const { return machine_; }
  [[nodiscard]] std::uint32_t flags() const { return flags_; }
  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }
  /// The symbols of .symtab; empty without one.
  [[nodiscard]] const std::vector<ElfSymbol>& symbols() const { return symbols_; }
  /// nullptr: no section has that name.
  [[nodiscard]] const ElfSection* section(std::string_view name) const;
  /// What .rel.NAME and .rela.NAME say about section number `target`.
  [[nodiscard]] std::vector<ElfRelocation> relocations(std::uint32_t target) const;
  [[nodiscard]] const ByteView& bytes() const { return bytes_; }

 private:
  void read_header();
  void read_sections();
  void name_sections();
  void read_symbols();

  ByteView bytes_;
  std::uint8_t os_abi_ = 0;
  std::uint8_t abi_version_ = 0;
  std::uint16_t machine_ = 0;
  std::uint32_t flags_ = 0;
  std::uint64_t section_headers_ = 0;
  std::uint16_t section_header_bytes_ = 0;
  std::uint32_t section_count_ = 0;
  std::uint32_t names_section_ = 0;
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
};

}  // namespace warpscope::machine
