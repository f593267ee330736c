#include "machine/cubin/cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace warpscope::machine {
namespace {

constexpr std::uint8_t kFunctionSymbol = 2;
constexpr std::uint8_t kKernelEntry = 0x10;
constexpr std::uint8_t kAbi7 = 0x33;
constexpr std::uint8_t kAbi8 = 0x41;

std::uint32_t bounded(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
}

void read_parameter_bank(const InfoRecord& record, Function& function) {
  const std::uint32_t word = record.word(1);
  function.parameter_bank_offset = word & 0xffff;
  function.parameter_bytes = word >> 16;
}

void read_parameter(const InfoRecord& record, Function& function) {
  const std::uint32_t place = record.word(1);
  const std::uint32_t ordinal = place & 0xffff;
  if (ordinal >= 4096) record.bytes.fail(fmt::format("parameter {}, expected fewer than 4096", ordinal));
  if (function.parameters.size() <= ordinal) function.parameters.resize(ordinal + 1);
  function.parameters[ordinal] = {place >> 16, record.word(2) >> 18};
}

}  // namespace

Cubin::Cubin(std::vector<std::uint8_t> bytes, const std::string& name)
    : bytes_(std::make_unique<std::vector<std::uint8_t>>(std::move(bytes))),
      elf_(std::make_unique<ElfFile>(ByteView(*bytes_, name))) {
  read_architecture();
  lines_ = read_line_table(*elf_);
  read_functions();
  read_shared_info();
}

void Cubin::read_architecture() {
  if (elf_->machine() != kElfMachineCuda)
    elf_->bytes().fail(
        fmt::format("an ELF file of machine {}, expected a cubin ({})", elf_->machine(), kElfMachineCuda));
  if (elf_->os_abi() != kAbi7 && elf_->os_abi() != kAbi8)
    elf_->bytes().fail(fmt::format("a cubin of OS/ABI {:#x}, expected {:#x} (CUDA 11, 12) or {:#x} (CUDA 13)",
                                   elf_->os_abi(), kAbi7, kAbi8));
  architecture_ = elf_->os_abi() == kAbi8 ? elf_->flags() >> 8 & 0xff : elf_->flags() & 0xff;
  relocatable_ = elf_->bytes().read<std::uint16_t>(16, "the ELF header") == 1;
}

void Cubin::read_functions() {
  for (const ElfSymbol& symbol : elf_->symbols()) {
    if (symbol.type != kFunctionSymbol || symbol.section == 0 || symbol.section >= elf_->sections().size())
      continue;
    const ElfSection& section = elf_->sections()[symbol.section];
    if (!section.name.starts_with(".text")) continue;
    Function function;
    function.name = symbol.name;
    function.is_kernel = (symbol.other & kKernelEntry) != 0;
    function.section = symbol.section;
    function.offset = symbol.value;
    function.code = section.content.part(symbol.value, symbol.size, "a function");
    if (elf_->os_abi() == kAbi7 || architecture_ <= 80) function.registers = section.info >> 24;
    read_kernel_info(function);
    add_constants(function);
    functions_.push_back(std::move(function));
  }
}

void Cubin::read_kernel_info(Function& function) const {
  const ElfSection* info = elf_->section(".nv.info." + function.name);
  if (const ElfSection* shared = elf_->section(".nv.shared." + function.name))
    function.shared_bytes = bounded(shared->size);
  if (info == nullptr) return;
  for (const InfoRecord& record : read_info(info->content)) {
    switch (record.attribute) {
      case InfoAttribute::PARAM_CBANK:
        read_parameter_bank(record, function);
        break;
      case InfoAttribute::KPARAM_INFO:
        read_parameter(record, function);
        break;
      case InfoAttribute::CBANK_PARAM_SIZE:
        function.parameter_bytes = record.value;
        break;
      case InfoAttribute::NUM_BARRIERS:
        function.barriers = record.value;
        break;
      case InfoAttribute::CTA_PER_CLUSTER:
        for (std::size_t axis = 0; axis < 3 && record.words() >= 3; ++axis)
          function.cluster[axis] = record.word(axis);
        break;
      case InfoAttribute::EXIT_INSTR_OFFSETS:
        for (std::size_t index = 0; index < record.words(); ++index)
          function.exits.push_back(record.word(index));
        break;
      default:
        break;
    }
  }
}

void Cubin::read_shared_info() {
  const ElfSection* info = elf_->section(".nv.info");
  if (info == nullptr) return;
  for (const InfoRecord& record : read_info(info->content)) {
    if (record.words() != 2 || record.word(0) >= elf_->symbols().size()) continue;
    apply_shared_record(record, record.word(1));
  }
}

void Cubin::apply_shared_record(const InfoRecord& record, std::uint32_t value) {
  const ElfSymbol& symbol = elf_->symbols()[record.word(0)];
  for (Function& function : functions_) {
    if (function.name != symbol.name || function.section != symbol.section) continue;
    switch (record.attribute) {
      case InfoAttribute::REGCOUNT:
        function.registers = value;
        break;
      case InfoAttribute::FRAME_SIZE:
        function.frame_bytes = value;
        break;
      case InfoAttribute::MIN_STACK_SIZE:
        function.min_stack_bytes = value;
        break;
      case InfoAttribute::MAX_STACK_SIZE:
        function.max_stack_bytes = value;
        break;
      default:
        break;
    }
  }
}

void Cubin::add_constants(Function& function) const {
  const std::string suffix = "." + function.name;
  constexpr std::string_view kPrefix = ".nv.constant";
  for (const ElfSection& section : elf_->sections()) {
    if (!section.name.starts_with(kPrefix)) continue;
    const char* begin = section.name.data() + kPrefix.size();
    const char* end = section.name.data() + section.name.size();
    ConstantBank bank{0, section.content};
    const auto [after, error] = std::from_chars(begin, end, bank.number);
    const std::string_view rest(after, static_cast<std::size_t>(end - after));
    if (error == std::errc() && (rest.empty() || rest == suffix))
      function.constants.push_back(std::move(bank));
  }
  std::stable_sort(function.constants.begin(), function.constants.end(),
                   [](const ConstantBank& a, const ConstantBank& b) { return a.number < b.number; });
}

std::uint32_t Cubin::virtual_architecture() const {
  const ElfSection* note = elf_->section(".note.nv.cuinfo");
  constexpr std::uint64_t kPlace = 26;  // behind the note's header, "NVIDIA Corp" and a version of 16 bits
  if (note == nullptr || note->content.size() < kPlace + sizeof(std::uint16_t)) return architecture_;
  return note->content.read<std::uint16_t>(kPlace, "a note");
}

std::string Cubin::compiler() const {
  const ElfSection* note = elf_->section(".note.nv.tkinfo");
  if (note == nullptr) return "";
  const std::string_view text(reinterpret_cast<const char*>(note->content.bytes().data()),
                              note->content.size());
  const std::size_t version = text.find(", V");
  if (version == std::string_view::npos || text.find("ptxas") == std::string_view::npos) return "";
  const std::string_view rest = text.substr(version + 3);
  return "ptxas " + std::string(rest.substr(0, std::min(rest.find_first_not_of("0123456789."), rest.size())));
}

std::string Cubin::ptx_text() const {
  const ElfSection* section = elf_->section(".nv_debug_ptx_txt");
  if (section == nullptr) return "";
  std::string text(reinterpret_cast<const char*>(section->content.bytes().data()), section->content.size());
  std::replace(text.begin(), text.end(), '\0', '\n');
  return text;
}

}  // namespace warpscope::machine
