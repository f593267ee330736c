#pragma once
// A kernel as it lies in the GPU's memory: its code and that of the functions it can reach, one behind the other, the variables and the
// constant banks, with all addresses filled in.
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "machine/cubin/cubin.h"

namespace warpscope::machine {

/// A __device__ or __constant__ variable, a text, a table of virtual functions.
struct Variable {
  std::string name;  ///< the symbol
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;  ///< at the start
  std::uint32_t bank = 0;           ///< of constants; 0: it lies in global memory
  std::uint32_t offset = 0;         ///< in the bank
  bool is_named = false;            ///< the kernel, or what it can reach, has its address
};

/// A section of code: `base` is where it lies in the image, in bytes.
struct CodeSection {
  std::uint32_t section = 0;  ///< number in the ELF file
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  ///< from kFirstCode on
};

/// Where sections of variables lie, by their number in the ELF file.
using SectionPlaces = std::map<std::uint32_t, std::uint64_t>;
/// Whether a section has variables.
bool holds_variables(const ElfSection& section);

/// Where addresses of code begin that memory and registers hold, unless the compiler made them relative to the kernel: a section's are the same for all kernels of a cubin, as
/// programs hand them from one kernel to another.
constexpr std::uint64_t kFirstCode = std::uint64_t{1} << 60;

class Image {
 public:
  /// The kernel's own section is at 0. `places`: of sections that somebody has memory for; the others get addresses from kFirstVariable
  /// on. Throws InputError for relocations that are not known.
  Image(const Cubin& cubin, const Function& kernel, SectionPlaces places = {});

  [[nodiscard]] const std::vector<std::uint8_t>& code() const { return code_; }
  [[nodiscard]] const std::vector<CodeSection>& sections() const { return sections_; }
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  [[nodiscard]] const std::map<std::uint32_t, std::vector<std::uint8_t>>& banks() const { return banks_; }
  /// Where generic addresses of constant bank 3 begin.
  [[nodiscard]] std::uint64_t constants_address() const { return constants_address_; }
  /// Targets of calls that a relocation gives: by the place of the instruction in the image, both in bytes.
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& calls() const { return calls_; }
  /// Where in the image what code calls its address is, in bytes; other numbers as they are, and all ones for code of other kernels.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t address) const {
    return address < kFirstCode ? address : place_of_code(address);
  }
  /// Functions of the system that code calls (vprintf, malloc): a place behind the code each, in this order.
  [[nodiscard]] const std::vector<std::string>& system_functions() const { return system_functions_; }

 private:
  void place_code(std::uint32_t section);
  void place_variables();
  void fill_banks();
  /// Writes addresses into the content of a section of the file.
  void relocate(std::uint32_t section, std::vector<std::uint8_t>& bytes, std::uint64_t base);
  void relocate_code(const ElfRelocation& relocation, std::uint64_t base);
  [[nodiscard]] std::uint64_t address_of(const ElfRelocation& relocation);
  [[nodiscard]] std::uint64_t place_of_code(std::uint64_t address) const;
  std::uint64_t system_function(const std::string& name);

  const Cubin& cubin_;
  const Function& kernel_;
  std::vector<std::uint8_t> code_;
  std::vector<CodeSection> sections_;
  std::vector<Variable> variables_;
  SectionPlaces addresses_;
  std::set<std::uint64_t> named_;  ///< addresses within them that relocations give
  std::map<std::uint32_t, std::vector<std::uint8_t>> banks_;
  std::map<std::uint64_t, std::uint64_t> calls_;
  std::uint64_t constants_address_ = 0;
  std::vector<std::string> system_functions_;
};

/// Attributes of all code of an image. `visit`: base in instructions, from which offsets of the record count.
void for_each_attribute(const Cubin& cubin, const Image& image,
                        const std::function<void(const InfoRecord& record, std::uint32_t base)>& visit);

}  // namespace warpscope::machine
