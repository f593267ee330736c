#include "machine/execute/base/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/cubin/source_name.h"
#include "machine/execute/base/device_memory.h"
#include "traces/base/error.h"

namespace warpscope::machine {
namespace {

/// Relocations as ptxas 11.8 and 13.0 write them. The names are those of NVIDIA's tools.
constexpr std::uint32_t kAddress64 = 2;      // R_CUDA_64: of a variable or of code
constexpr std::uint32_t kGeneric64 = 4;      // R_CUDA_G64
constexpr std::uint32_t kDescriptor64 = 35;  // R_CUDA_FUNC_DESC_64: of a kernel that device code can launch
constexpr std::uint32_t kDescriptors[] = {62, 63};  // the same in two instructions: low and high half
constexpr std::uint32_t kLowOfImmediate = 56;       // R_CUDA_ABS32_LO_32: bits 32 to 63 of the word
constexpr std::uint32_t kHighOfImmediate = 57;      // R_CUDA_ABS32_HI_32
constexpr std::uint32_t kCallTargets[] = {58, 75};  // R_CUDA_ABS47_34, R_CUDA_ABS55_16_34: CALL.ABS

/// Of all variables of a program together.
constexpr std::uint64_t kMostVariableBytes = 512U << 20U;

constexpr std::uint8_t kFunctionSymbol = 2, kObjectSymbol = 1;

}  // namespace

bool holds_variables(const ElfSection& section) {
  return section.name == ".nv.global" || section.name == ".nv.global.init" || section.name == ".nv.constant3";
}

Image::Image(const Cubin& cubin, const Function& kernel, SectionPlaces places)
    : cubin_(cubin), kernel_(kernel), addresses_(std::move(places)) {
  place_code(kernel.section);
  // What code or variables name by an address can be called.
  for (std::size_t next = 0; next < sections_.size(); ++next)
    for (const ElfRelocation& one : cubin.elf().relocations(sections_[next].section))
      place_code(cubin.elf().symbols()[one.symbol].section);
  const auto& sections = cubin.elf().sections();
  for (std::uint32_t number = 0; number < sections.size(); ++number)
    if (holds_variables(sections[number]) || sections[number].name == ".nv.constant4")
      for (const ElfRelocation& one : cubin.elf().relocations(number))
        if (one.type != kDescriptor64) place_code(cubin.elf().symbols()[one.symbol].section);
  for (std::size_t next = 0; next < sections_.size(); ++next)
    for (const ElfRelocation& one : cubin.elf().relocations(sections_[next].section))
      place_code(cubin.elf().symbols()[one.symbol].section);
  place_variables();
  fill_banks();
  for (const CodeSection& one : sections_)
    for (const ElfRelocation& relocation : cubin.elf().relocations(one.section))
      relocate_code(relocation, one.base);
  for (Variable& variable : variables_) {
    const auto first = named_.lower_bound(variable.address);
    variable.is_named = first != named_.end() && *first < variable.address + variable.bytes.size();
  }
}

void Image::place_code(std::uint32_t section) {
  if (section >= cubin_.elf().sections().size()) return;
  const ElfSection& found = cubin_.elf().sections()[section];
  if (!found.name.starts_with(".text.")) return;
  for (const CodeSection& one : sections_)
    if (one.section == section) return;
  std::uint64_t address = kFirstCode;
  for (std::uint32_t before = 0; before < section; ++before)
    if (const ElfSection& one = cubin_.elf().sections()[before]; one.name.starts_with(".text."))
      address += one.content.size();
  sections_.push_back({section, code_.size(), found.content.size(), address});
  code_.insert(code_.end(), found.content.bytes().begin(), found.content.bytes().end());
}

void Image::place_variables() {
  std::uint64_t next = kFirstVariable;
  const auto& sections = cubin_.elf().sections();
  for (std::uint32_t number = 0; number < sections.size(); ++number) {
    if (!holds_variables(sections[number]) || !addresses_.try_emplace(number, next).second) continue;
    const std::uint64_t size = sections[number].size;
    if (size > kMostVariableBytes || next + size - kFirstVariable > kMostVariableBytes)
      throw InputError(fmt::format("section {}: {} bytes of variables, at most {} in all",
                                   sections[number].name, size, kMostVariableBytes));
    next += (size + 511) / 512 * 512 + 512;
  }
  for (const auto& [number, address] : addresses_) {
    std::vector<std::uint8_t> content(sections[number].content.bytes().begin(),
                                      sections[number].content.bytes().end());
    content.resize(sections[number].size);
    relocate(number, content, 0);
    const bool is_constant = sections[number].name == ".nv.constant3";
    if (is_constant) {
      banks_[3] = content;
      constants_address_ = address;
    }
    for (const ElfSymbol& symbol : cubin_.elf().symbols()) {
      if (symbol.section != number || symbol.type != kObjectSymbol || symbol.size == 0) continue;
      if (symbol.value > content.size() || symbol.size > content.size() - symbol.value)
        throw InputError(fmt::format("variable '{}' has {} bytes at {}, its section {}", symbol.name,
                                     symbol.size, symbol.value, content.size()));
      const auto from = content.begin() + static_cast<std::ptrdiff_t>(symbol.value);
      variables_.push_back({symbol.name,
                            address + symbol.value,
                            {from, from + static_cast<std::ptrdiff_t>(symbol.size)},
                            is_constant ? 3U : 0U,
                            static_cast<std::uint32_t>(symbol.value)});
    }
  }
}

void Image::fill_banks() {
  for (const ConstantBank& bank : kernel_.constants) {
    if (bank.number == 3) continue;
    std::vector<std::uint8_t>& bytes = banks_[bank.number];
    bytes.assign(bank.bytes.bytes().begin(), bank.bytes.bytes().end());
    const std::string common = fmt::format(".nv.constant{}", bank.number);
    const auto& sections = cubin_.elf().sections();
    for (std::uint32_t number = 0; number < sections.size(); ++number)
      if (sections[number].name == common || sections[number].name == common + "." + kernel_.name)
        relocate(number, bytes, 0);
  }
}

void Image::relocate(std::uint32_t section, std::vector<std::uint8_t>& bytes, std::uint64_t base) {
  for (const ElfRelocation& one : cubin_.elf().relocations(section)) {
    if (one.type == kDescriptor64) continue;  // only who launches kernels reads it
    if (one.type != kAddress64 && one.type != kGeneric64)
      throw InputError(fmt::format("section {}: a relocation of type {}, which is not known",
                                   cubin_.elf().sections()[section].name, one.type));
    if (base + one.offset + 8 > bytes.size())
      throw InputError(fmt::format("section {}: a relocation at {}, behind its end",
                                   cubin_.elf().sections()[section].name, one.offset));
    const std::uint64_t value = address_of(one);
    std::memcpy(bytes.data() + base + one.offset, &value, 8);
  }
}

void Image::relocate_code(const ElfRelocation& one, std::uint64_t base) {
  const std::uint64_t at = base + one.offset;
  if (at + 16 > code_.size()) throw InputError(fmt::format("a relocation at {}, behind the code", at));
  if (std::ranges::count(kDescriptors, one.type) != 0)
    throw InputError(fmt::format("kernel {}: it launches kernel {}: kernels that launch kernels are not run",
                                 source_name(kernel_.name),
                                 source_name(cubin_.elf().symbols()[one.symbol].name)));
  const std::uint64_t value = address_of(one);
  if (one.type == kLowOfImmediate || one.type == kHighOfImmediate) {
    const auto word = static_cast<std::uint32_t>(one.type == kLowOfImmediate ? value : value >> 32);
    std::memcpy(code_.data() + at + 4, &word, 4);
    return;
  }
  for (const std::uint32_t type : kCallTargets)
    if (one.type == type) {
      calls_[at] = place_of(value);
      return;
    }
  throw InputError(
      fmt::format("code of kernel {}: a relocation of type {}, which is not known", kernel_.name, one.type));
}

std::uint64_t Image::address_of(const ElfRelocation& relocation) {
  const ElfSymbol& symbol = cubin_.elf().symbols()[relocation.symbol];
  const std::uint64_t at = symbol.value + static_cast<std::uint64_t>(relocation.addend);
  for (const CodeSection& one : sections_)
    if (one.section == symbol.section) return one.address + at;
  const auto found = addresses_.find(symbol.section);
  if (found != addresses_.end()) {
    named_.insert(found->second + at);
    return found->second + at;
  }
  if (symbol.section == 0 && symbol.type == kFunctionSymbol) return system_function(symbol.name);
  throw InputError(
      fmt::format("kernel {}: the address of '{}', which lies nowhere", kernel_.name, symbol.name));
}

std::uint64_t Image::place_of_code(std::uint64_t address) const {
  for (const CodeSection& one : sections_)
    if (address - one.address < one.bytes) return one.base + (address - one.address);
  return ~std::uint64_t{0};
}

std::uint64_t Image::system_function(const std::string& name) {
  auto found = std::find(system_functions_.begin(), system_functions_.end(), name);
  if (found == system_functions_.end()) found = system_functions_.insert(found, name);
  return code_.size() + static_cast<std::uint64_t>(found - system_functions_.begin()) * 16;
}

void for_each_attribute(const Cubin& cubin, const Image& image,
                        const std::function<void(const InfoRecord& record, std::uint32_t base)>& visit) {
  constexpr std::size_t kPrefix = std::string_view(".text.").size();
  for (const CodeSection& one : image.sections()) {
    const std::string& name = cubin.elf().sections()[one.section].name;
    const ElfSection* info = cubin.elf().section(".nv.info." + name.substr(kPrefix));
    if (info == nullptr) continue;
    for (const InfoRecord& record : read_info(info->content))
      visit(record, static_cast<std::uint32_t>(one.base / 16));
  }
}

}  // namespace warpscope::machine
