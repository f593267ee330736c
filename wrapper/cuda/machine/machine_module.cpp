#include "wrapper/cuda/machine/machine_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "machine/cubin/source_name.h"
#include "machine/execute/base/image.h"
#include "passes/driver/work_directory.h"
#include "traces/base/error.h"
#include "wrapper/machine/code_signatures.h"
#include "wrapper/machine/program/device_file.h"
#include "wrapper/machine/shared_arrays.h"

namespace warpscope::cuda {
namespace {

// The header of a fat binary, as machine/cubin/fat_binary.cpp has it.
struct FatHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  ///< behind the header
};
constexpr std::uint32_t kFatMagic = 0xba55ed50;

constexpr const char* kDeviceCode = "the program's device code";
std::vector<MachineProgram> programs_of(std::span<const std::uint8_t> content, const std::string& gpu,
                                        const std::string& architecture) {
  const std::string name = kDeviceCode;
  const WorkDirectory directory("warpscope-cudart");
  const DeviceFileRequest request{"", name, directory.path(), gpu, architecture, {}};
  return load_device_images(request, machine::device_images(machine::ByteView(content, name)));
}

/// Types that only the launch settles are pointers where they point to memory (machine_launch.cpp).
MachineFunction function_from(const MachineProgram& program, std::size_t number, KernelSignature signature) {
  MachineFunction found;
  found.program = number;
  for (const machine::Function& function : program.cubin.functions())
    if (function.is_kernel && function.name == signature.symbol) found.code = &function;
  std::erase_if(signature.parameters,
                [](const ParameterSignature& parameter) { return parameter.fixed_bytes != 0; });
  found.signature = std::move(signature);
  found.info = described_by(found.signature);
  if (found.code == nullptr) return found;
  const std::uint64_t reserved = reserved_shared_bytes(program.cubin);
  found.info.static_local_bytes =
      found.code->shared_bytes - std::min<std::uint64_t>(found.code->shared_bytes, reserved);
  found.info.registers_estimate = found.code->registers;
  return found;
}

}  // namespace

std::uint64_t vendor_binary_size(const void* content) {
  FatHeader header{};
  if (content == nullptr) return 0;
  std::memcpy(&header, content, sizeof(header));
  return header.magic == kFatMagic ? header.header_bytes + header.bytes : 0;
}

MachineModule::MachineModule(std::span<const std::uint8_t> content, const std::string& gpu,
                             const std::string& architecture, const Name& name)
    : programs_(programs_of(content, gpu, architecture)), note_(assembled_note(programs_, kDeviceCode, gpu)) {
  places_.resize(programs_.size());
  for (std::size_t number = 0; number < programs_.size(); ++number) add_program(number, name);
}

void MachineModule::add_program(std::size_t number, const Name& name) {
  const MachineProgram& program = programs_[number];
  const std::string source = machine::source_of(program.cubin, "", "").text;
  for (KernelSignature& signature : code_signatures(program.cubin, program.ptx, source)) {
    const std::string symbol = signature.symbol;
    MachineFunction found = function_from(program, number, std::move(signature));
    if (found.code != nullptr) functions_.emplace(symbol, std::move(found));
  }
  place_variables(number);
  std::optional<InputError>
      refused;  // of a kernel that cannot be executed; another one has the same variables
  for (const auto& [symbol, function] : functions_) {
    if (function.program != number) continue;
    try {
      return set_variables(machine::Image(program.cubin, *function.code, places_[number]), name);
    } catch (const InputError& error) {
      if (!refused) refused = error;
    }
  }
  if (refused) throw *refused;
}

void MachineModule::place_variables(std::size_t number) {
  const auto& sections = programs_[number].cubin.elf().sections();
  for (std::uint32_t section = 0; section < sections.size(); ++section) {
    if (!machine::holds_variables(sections[section]) || sections[section].size == 0) continue;
    auto memory = device::GuardedMemory::allocate(sections[section].size, device::kGpuGuards);
    if (!memory) throw InputError(fmt::format("no memory for {} bytes of variables", sections[section].size));
    places_[number][section] = reinterpret_cast<std::uintptr_t>(memory->data());
    memory_.push_back(std::move(*memory));
  }
}

void MachineModule::set_variables(const machine::Image& image, const Name& name) {
  for (const machine::Variable& variable : image.variables()) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): place_variables() made it a number
    auto* const address = reinterpret_cast<std::uint8_t*>(variable.address);
    std::copy(variable.bytes.begin(), variable.bytes.end(), address);
    variables_[variable.name] = {address, variable.bytes.size()};
    const std::string full = machine::source_name(variable.name);
    name(variables_[variable.name], full.substr(full.rfind(':') + 1));
  }
}

const MachineFunction* MachineModule::find(const std::string& mangled) const {
  const auto entry = functions_.find(mangled);
  return entry == functions_.end() ? nullptr : &entry->second;
}

MachineVariable MachineModule::variable(const std::string& symbol) const {
  const auto entry = variables_.find(symbol);
  return entry == variables_.end() ? MachineVariable{} : entry->second;
}

std::shared_ptr<const machine::Code> MachineModule::code_of(const MachineFunction& function) {
  std::shared_ptr<const machine::Code>& code = codes_[&function];
  if (!code)
    code = std::make_shared<machine::Code>(programs_[function.program].cubin, *function.code,
                                           places_[function.program]);
  return code;
}

const machine::SourceFile& MachineModule::source_of(const MachineFunction& function) {
  const auto entry = sources_.find(&function);
  if (entry != sources_.end()) return entry->second;
  return sources_[&function] =
             machine::source_of(programs_[function.program].cubin, "", function.signature.symbol);
}

std::vector<std::uint8_t> MachineModule::constants_of(const MachineFunction& function) const {
  const auto& sections = programs_[function.program].cubin.elf().sections();
  for (const auto& [section, address] : places_[function.program]) {
    if (sections[section].name != ".nv.constant3") continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): place_variables() made it a number
    const auto* const first = reinterpret_cast<const std::uint8_t*>(address);
    return {first, first + sections[section].size};
  }
  return {};
}

}  // namespace warpscope::cuda
