#include "wrapper/machine/code_signatures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>

#include "machine/cubin/ptx_text.h"
#include "machine/cubin/source_name.h"
#include "machine/cubin/source_parameters.h"
#include "traces/base/error.h"
#include "wrapper/launch/missing_arguments.h"

namespace warpscope {
namespace {

using Kind = ParameterSignature::Kind;

constexpr std::uint32_t kPointerBytes = 8;
constexpr const char* kPointerOrValue = "8 bytes, a pointer or a value";
constexpr const char* kPointer = "a pointer";
constexpr std::uint8_t kObjectSymbol = 1;

/// "float*" of "float const* __restrict__".
std::string plain_type(const std::string& type) {
  static const std::regex silent(R"(\s*\b(const|volatile|__restrict__|__restrict)\b)");
  return std::regex_replace(type, silent, "");
}

/// A type of C++ as demangled names spell it, `bytes` large where it is known (0: it is not).
ElementType element_of(const std::string& type, std::uint32_t bytes) {
  static constexpr std::pair<const char*, const char*> kOthers[] = {
      {"long long", "long"}, {"unsigned long long", "ulong"}, {"__half", "half"}, {"__half2", "half2"}};
  std::string name = type;
  for (const auto& [other, ours] : kOthers)
    if (name == other) name = ours;
  auto found = builtin_type(name);
  if (found && found->lanes == 3) found->size = found->component_size() * 3;  // CUDA's have no fourth element
  if (found && (bytes == 0 || bytes == found->size)) return *found;
  return {type, ElementType::Kind::Opaque, bytes, 1};
}

/// Of "float*", by its mangled name.
void apply_type(ParameterSignature& parameter, std::uint32_t bytes, const std::string& mangled) {
  const std::string type = plain_type(mangled);
  parameter.type = type;
  if (bytes == kPointerBytes && (type.ends_with('*') || type.ends_with('&'))) {
    parameter.kind = Kind::Buffer;
    parameter.element = element_of(type.substr(0, type.size() - 1), 0);
  } else {
    parameter.kind = Kind::Value;
    parameter.element = element_of(type, bytes);
  }
}

/// Of "f32"; nullptr of bits that may be anything.
const char* type_of_ptx(const std::string& type) {
  static constexpr std::pair<const char*, const char*> kTypes[] = {
      {"f64", "double"}, {"f32", "float"},  {"f16", "half"}, {"s32", "int"}, {"u32", "uint"},
      {"s16", "short"},  {"u16", "ushort"}, {"s8", "char"},  {"u8", "uchar"}};
  for (const auto& [name, ours] : kTypes)
    if (type == name) return ours;
  return nullptr;
}

/// What is known without names of types: bytes, and what PTX says.
void apply_bytes(ParameterSignature& parameter, std::uint32_t bytes, const machine::PtxParameter* ptx) {
  const std::string loaded = ptx == nullptr ? "" : ptx->loaded_as.empty() ? ptx->type : ptx->loaded_as;
  parameter.kind = Kind::Value;
  if (ptx != nullptr && ptx->is_pointer) {
    parameter.kind = Kind::Buffer;
    parameter.type = kPointer;
    parameter.element = {kPointer, ElementType::Kind::Opaque, 0, 1};
  } else if (bytes == kPointerBytes && loaded != "f64" && (ptx == nullptr || !ptx->is_array)) {
    parameter.kind = Kind::Buffer;
    parameter.type = kPointerOrValue;
    parameter.element = {kPointerOrValue, ElementType::Kind::Opaque, 0, 1};
  } else if (const char* known = type_of_ptx(loaded); known != nullptr && !ptx->is_array) {
    parameter.type = known;
    parameter.element = *builtin_type(known);
  } else {
    parameter.type = fmt::format("{} bytes", bytes);
    parameter.element = {parameter.type, ElementType::Kind::Opaque, bytes, 1};
  }
}

/// Of a value whose text looks like a real number, or like an integer.
std::string guessed_type(std::uint32_t bytes, bool is_real) {
  if (bytes == 8) return is_real ? "double" : "long";
  if (bytes == 4) return is_real ? "float" : "int";
  if (bytes == 2) return is_real ? "half" : "short";
  return bytes == 1 ? "char" : "";
}

/// Variables of the file that the host would fill.
std::vector<ParameterSignature> variables_of(const machine::Cubin& cubin, const machine::PtxKernel* ptx) {
  std::vector<ParameterSignature> result;
  const auto& sections = cubin.elf().sections();
  for (const machine::ElfSymbol& symbol : cubin.elf().symbols()) {
    if (symbol.type != kObjectSymbol || symbol.size == 0 || symbol.section >= sections.size()) continue;
    const machine::ElfSection& section = sections[symbol.section];
    if (section.name != ".nv.global" && section.name != ".nv.constant3") continue;
    const auto content = section.content.bytes();
    if (symbol.value + symbol.size <= content.size()) {
      const auto own = content.subspan(symbol.value, symbol.size);
      if (std::any_of(own.begin(), own.end(), [](std::uint8_t byte) { return byte != 0; })) continue;
    }
    if (ptx != nullptr && !ptx->calls &&
        std::find(ptx->variables.begin(), ptx->variables.end(), symbol.name) == ptx->variables.end())
      continue;
    const std::string name = machine::source_name(symbol.name);
    ParameterSignature one;
    one.kind = Kind::Buffer;
    one.name = name.substr(name.rfind(':') + 1);
    one.type = fmt::format("{} bytes of a variable", symbol.size);
    one.element = {one.type, ElementType::Kind::Opaque, 0, 1};
    one.fixed_bytes = symbol.size;
    result.push_back(std::move(one));
  }
  return result;
}

std::optional<std::array<std::uint64_t, 3>> required_size(const machine::Cubin& cubin,
                                                          const std::string& symbol) {
  const machine::ElfSection* info = cubin.elf().section(".nv.info." + symbol);
  if (info == nullptr) return std::nullopt;
  for (const machine::InfoRecord& record : machine::read_info(info->content))
    if (record.attribute == machine::InfoAttribute::REQNTID && record.words() >= 3)
      return std::array<std::uint64_t, 3>{record.word(0), record.word(1), record.word(2)};
  return std::nullopt;
}

KernelSignature signature_of(const machine::Cubin& cubin, const machine::Function& function,
                             const machine::PtxKernel* ptx, const std::string& source) {
  KernelSignature kernel;
  kernel.symbol = function.name;
  kernel.name = machine::source_name(function.name);
  kernel.required_local = required_size(cubin, function.name);
  const std::size_t count = function.parameters.size();
  const std::vector<std::string> names = machine::parameter_names(function.name, count, ptx, source);
  std::vector<std::string> types = machine::parameter_types(function.name);
  if (types.size() != count) types.clear();
  if (ptx != nullptr && ptx->parameters.size() != count) ptx = nullptr;
  for (std::size_t index = 0; index < count; ++index) {
    ParameterSignature parameter;
    const std::uint32_t bytes = function.parameters[index].bytes;
    const machine::PtxParameter* known = ptx == nullptr ? nullptr : &ptx->parameters[index];
    parameter.name = !names[index].empty() ? names[index] : fmt::format("param_{}", index);
    if (types.empty())
      apply_bytes(parameter, bytes, known);
    else
      apply_type(parameter, bytes, types[index]);
    kernel.parameters.push_back(std::move(parameter));
  }
  for (ParameterSignature& variable : variables_of(cubin, ptx))
    kernel.parameters.push_back(std::move(variable));
  ParameterSignature dynamic;
  dynamic.kind = Kind::Local;
  dynamic.type = "extern __shared__";
  if (ptx != nullptr)
    for (const machine::PtxVariable& one : ptx->shared)
      if (one.bytes == 0) dynamic.name = one.name;
  if (!dynamic.name.empty()) kernel.parameters.push_back(dynamic);
  return kernel;
}

}  // namespace

std::vector<KernelSignature> code_signatures(const machine::Cubin& cubin, const std::string& ptx,
                                             const std::string& source) {
  const std::vector<machine::PtxKernel> texts = machine::read_ptx(ptx);
  std::vector<KernelSignature> kernels;
  for (const machine::Function& function : cubin.functions()) {
    if (!function.is_kernel) continue;
    const auto text = std::find_if(texts.begin(), texts.end(),
                                   [&](const machine::PtxKernel& one) { return one.name == function.name; });
    kernels.push_back(signature_of(cubin, function, text == texts.end() ? nullptr : &*text, source));
  }
  std::map<std::string, int> uses;
  for (const KernelSignature& one : kernels) ++uses[one.name];
  for (KernelSignature& one : kernels)
    if (uses[one.name] > 1)
      one.name += fmt::format("({})", fmt::join(machine::parameter_types(one.symbol), ", "));
  return kernels;
}

KernelInfo described_by(const KernelSignature& kernel) {
  KernelInfo info;
  info.name = kernel.name;
  for (const ParameterSignature& parameter : kernel.parameters) {
    ArgumentInfo argument;
    argument.name = parameter.name;
    argument.type = parameter.type;
    argument.is_pointer = parameter.kind != ParameterSignature::Kind::Value;
    argument.space = parameter.kind == ParameterSignature::Kind::Value   ? AddressSpace::Private
                     : parameter.kind == ParameterSignature::Kind::Local ? AddressSpace::Local
                                                                         : AddressSpace::Global;
    info.arguments.push_back(std::move(argument));
  }
  return info;
}

void settle_kinds(KernelSignature& kernel, const LaunchDescription& launch) {
  for (std::size_t index = 0; index < kernel.parameters.size(); ++index) {
    ParameterSignature& parameter = kernel.parameters[index];
    const ArgumentDescription* given = description_of(launch, kernel, index);
    if (given == nullptr) continue;
    const bool is_lone = given->value && !given->count && !given->bytes && !given->fill && !given->is_null;
    const bool is_open = parameter.kind == Kind::Buffer && parameter.type == kPointerOrValue;
    const bool is_number = parameter.kind == Kind::Value &&
                           parameter.element.kind == ElementType::Kind::Opaque &&
                           parameter.type == fmt::format("{} bytes", parameter.element.size);
    if (!is_lone || (!is_open && !is_number)) continue;
    const std::uint32_t bytes = is_open ? kPointerBytes : parameter.element.size;
    const std::string guessed = guessed_type(bytes, given->value->find('.') != std::string::npos);
    if (guessed.empty() && !given->type) continue;
    const auto type = builtin_type(given->type.value_or(guessed));
    if (!type || type->size != bytes)
      throw InputError(
          fmt::format("{}: type {}, expected one of {} bytes", given->where, *given->type, bytes));
    parameter.kind = Kind::Value;
    parameter.type = type->name;
    parameter.element = *type;
  }
}

}  // namespace warpscope
