#include "wrapper/machine/machine_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "machine/cubin/source_name.h"
#include "machine/execute/base/tensor_map.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using Kind = ParameterSignature::Kind;

const machine::Function& kernel_of(const machine::Cubin& cubin, const KernelSignature& kernel) {
  for (const std::string& symbol : {kernel.mangled, kernel.symbol})
    for (const machine::Function& function : cubin.functions())
      if (function.is_kernel && function.name == symbol) return function;
  for (const machine::Function& function : cubin.functions())
    if (function.is_kernel && machine::source_name(function.name) == kernel.name) return function;
  throw InputError(fmt::format("kernel '{}': the compiler's cubin has no such kernel", kernel.name));
}

bool is_parameter(const ResolvedArgument& argument) {
  return argument.parameter.kind != Kind::Local && argument.parameter.fixed_bytes == 0;
}

/// OpenCL: the host gives the kernel where such memory is. CUDA's kernels know.
bool locals_are_parameters(const ResolvedLaunch& launch, const machine::Function& kernel) {
  std::size_t values = 0, locals = 0;
  for (const ResolvedArgument& argument : launch.arguments) {
    if (argument.parameter.source_number) return false;
    values += is_parameter(argument) ? 1 : 0;
    locals += argument.parameter.kind == Kind::Local ? 1 : 0;
  }
  return locals != 0 && values + locals == kernel.parameters.size();
}

bool is_called(const machine::Variable& variable, const std::string& name) {
  if (variable.name == name) return true;
  // Of a namespace, of a function, static: "_ZN2ns4histE", "_ZZ4scanPiE4hist", "_ZL4hist".
  std::string_view symbol = variable.name;
  if (!symbol.starts_with("_Z")) return false;
  if (symbol.ends_with("E")) symbol.remove_suffix(1);
  return symbol.ends_with(fmt::format("{}{}", name.size(), name));
}

/// More than any GPU has: 132 multiprocessors of an H100, with at most 32 work-groups each, are 4,224.
constexpr std::uint64_t kMostResident = 4224;

/// Elements in rows, rows in planes or layers, one behind the other.
machine::Texture texture_of(const ResolvedTexture& from, std::uint64_t address) {
  static constexpr machine::TexelKind kKinds[] = {machine::TexelKind::Signed, machine::TexelKind::Unsigned,
                                                  machine::TexelKind::Floating};
  machine::Texture texture;
  texture.address = address;
  texture.size = from.size;
  texture.dimensions = from.dimensions;
  texture.channels = from.element.lanes;
  texture.channel_bytes = from.element.component_size();
  texture.kind = kKinds[static_cast<std::size_t>(from.element.kind)];
  texture.pitch = std::uint64_t{from.size[0]} * texture.element_bytes();
  texture.slice = texture.pitch * from.size[1];
  texture.is_surface = from.is_surface;
  texture.has_layers = from.has_layers;
  texture.is_normalized = from.is_normalized;
  texture.is_linear = from.is_linear;
  texture.is_fraction = from.is_fraction;
  for (std::size_t axis = 0; axis < 3; ++axis)
    texture.modes[axis] = static_cast<machine::AddressMode>(from.modes[axis]);
  return texture;
}

machine::TensorMap map_of(const ResolvedTensor& from, std::uint64_t address, const std::string& name) {
  machine::TensorMap map;
  map.address = address + from.offset;
  map.type = static_cast<machine::TensorMap::Type>(from.type);
  map.dimensions = from.dimensions;
  map.size = from.size;
  map.stride = from.strides;
  for (std::size_t d = 0; d < from.dimensions; ++d) {
    map.box[d] = static_cast<std::uint32_t>(from.box[d]);
    map.step[d] = static_cast<std::uint32_t>(from.steps[d]);
  }
  map.is_im2col = from.is_im2col;
  map.pixels = static_cast<std::uint32_t>(std::min<std::uint64_t>(from.pixels, UINT32_MAX));
  for (std::size_t axis = 0; axis < map.lower.size(); ++axis) {
    map.lower[axis] =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(from.lower[axis], INT32_MIN, INT32_MAX));
    map.upper[axis] =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(from.upper[axis], INT32_MIN, INT32_MAX));
  }
  map.swizzle = from.swizzle;
  map.interleave = from.interleave;
  map.is_filled_by_nan = from.is_filled_by_nan;
  if (const std::string wrong = map.wrong(); !wrong.empty())
    throw InputError(fmt::format("argument '{}': a tensor map with {}", name, wrong));
  return map;
}

bool is_zero(const std::vector<std::uint8_t>& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

MachineRun::MachineRun(const machine::Cubin& cubin, const ResolvedLaunch& launch,
                       std::uint64_t instruction_limit, Dim3 cluster)
    : buffers_(launch.arguments.size()), addresses_(launch.arguments.size()) {
  const machine::Function& kernel = kernel_of(cubin, launch.kernel);
  code_ = std::make_shared<machine::Code>(cubin, kernel);
  add_buffers(launch);
  machine::LaunchSettings settings;
  settings.local = launch.local;
  settings.groups = {launch.global.x / launch.local.x, launch.global.y / launch.local.y,
                     launch.global.z / launch.local.z};
  settings.resident_groups = kMostResident;
  settings.instruction_limit = instruction_limit;
  settings.cluster = cluster;
  add_textures(launch, settings);
  add_tensors(launch);
  add_dynamic_shared(launch, settings);
  add_variables(launch, settings);
  set_parameters(launch, settings);
  launch_ = std::make_unique<machine::Launch>(*code_, *memory_, settings);
}

MachineRun::MachineRun(std::shared_ptr<const machine::Code> code, machine::DeviceMemory& memory,
                       const ProgramLaunch& launch)
    : dynamic_shared_(launch.dynamic_sizes),
      dynamic_places_(launch.dynamic_sizes.size(), code->kernel().shared_bytes),
      addresses_(launch.addresses),
      memory_(&memory),
      code_(std::move(code)) {
  machine::LaunchSettings settings;
  settings.local = launch.local;
  settings.groups = launch.groups;
  settings.cluster = launch.cluster;
  settings.resident_groups = kMostResident;
  settings.parameters = launch.parameters;
  settings.constants = launch.constants;
  settings.textures = launch.textures;
  settings.stack_bytes = launch.stack_bytes;
  settings.is_cooperative = launch.is_cooperative;
  for (const std::uint64_t bytes : dynamic_shared_) settings.dynamic_shared_bytes += bytes;
  launch_ = std::make_unique<machine::Launch>(*code_, *memory_, settings);
}

void MachineRun::add_buffers(const ResolvedLaunch& launch) {
  for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
    const ResolvedArgument& argument = launch.arguments[index];
    if (argument.parameter.kind != Kind::Buffer || argument.is_null || argument.parameter.fixed_bytes != 0)
      continue;
    buffers_[index] = argument.bytes;
    addresses_[index] =
        memory_->add(buffers_[index].data(), buffers_[index].size(), static_cast<std::uint32_t>(index + 1))
            .address;
  }
}

void MachineRun::add_textures(const ResolvedLaunch& launch, machine::LaunchSettings& settings) {
  handles_.resize(launch.arguments.size());
  for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
    const std::optional<ResolvedTexture>& from = launch.arguments[index].texture;
    if (!from) continue;
    settings.textures.push_back(texture_of(*from, addresses_[index]));
    handles_[index] = settings.textures.size();
  }
}

void MachineRun::add_tensors(const ResolvedLaunch& launch) {
  maps_.resize(launch.arguments.size());
  for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
    const ResolvedArgument& argument = launch.arguments[index];
    if (!argument.tensor) continue;
    std::size_t owner = index;
    if (const std::string& of = argument.tensor->of; !of.empty()) {
      owner = 0;
      while (owner < launch.arguments.size() && launch.arguments[owner].parameter.name != of) ++owner;
      if (owner == launch.arguments.size() || addresses_[owner] == 0)
        throw InputError(fmt::format("argument '{}': a tensor of '{}', expected the name of a buffer",
                                     argument.parameter.name, of));
    }
    const auto map = map_of(*argument.tensor, addresses_[owner], argument.parameter.name).encode();
    maps_[index].assign(map.begin(), map.end());
  }
}

void MachineRun::add_variables(const ResolvedLaunch& launch, machine::LaunchSettings& settings) {
  const machine::Image& image = code_->image();
  if (const auto bank = image.banks().find(3); bank != image.banks().end()) settings.constants = bank->second;
  for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
    const ResolvedArgument& argument = launch.arguments[index];
    if (argument.parameter.kind != Kind::Buffer || argument.parameter.fixed_bytes == 0) continue;
    buffers_[index] = argument.bytes;
    for (const machine::Variable& variable : image.variables()) {
      if (!is_called(variable, argument.parameter.name)) continue;
      std::vector<std::uint8_t>& bytes = buffers_[index];
      bytes.resize(variable.bytes.size());
      if (is_zero(bytes)) bytes = variable.bytes;
      if (variable.bank == 3)
        std::copy(bytes.begin(), bytes.end(), settings.constants.begin() + variable.offset);
      addresses_[index] = variable.address;
      memory_->add_at(variable.address, bytes.data(), bytes.size(), static_cast<std::uint32_t>(index + 1));
    }
  }
}

void MachineRun::add_dynamic_shared(const ResolvedLaunch& launch, machine::LaunchSettings& settings) {
  constexpr std::uint64_t kAlignment = 16;  // of the largest vector
  const std::uint64_t begin = code_->kernel().shared_bytes;
  const bool is_opencl = locals_are_parameters(launch, code_->kernel());
  std::uint64_t next = begin;
  for (const ResolvedArgument& argument : launch.arguments) {
    const bool is_dynamic = argument.parameter.kind == Kind::Local;
    // The only array of CUDA begins where the kernel's own end: ptxas has aligned that.
    if (is_dynamic && is_opencl) next = (next + kAlignment - 1) / kAlignment * kAlignment;
    dynamic_shared_.push_back(is_dynamic ? argument.size : 0);
    dynamic_places_.push_back(next);
    next += dynamic_shared_.back();
  }
  settings.dynamic_shared_bytes = next - begin;
}

void MachineRun::set_parameters(const ResolvedLaunch& launch, machine::LaunchSettings& settings) const {
  const machine::Function& kernel = code_->kernel();
  settings.parameters.resize(kernel.parameter_bytes);
  const bool is_opencl = locals_are_parameters(launch, kernel);
  std::size_t next = 0;
  for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
    const ResolvedArgument& argument = launch.arguments[index];
    const bool is_place = is_opencl && argument.parameter.kind == Kind::Local;
    if (!is_parameter(argument) && !is_place) continue;
    const std::size_t number = argument.parameter.source_number.value_or(static_cast<std::uint32_t>(next));
    next = number + 1;
    const std::uint64_t in_struct = argument.parameter.source_offset;
    if (number >= kernel.parameters.size() || in_struct >= kernel.parameters[number].bytes)
      throw InputError(
          fmt::format("kernel '{}': argument '{}' is not in the {} parameters of the compiler's cubin",
                      launch.kernel.name, argument.parameter.name, kernel.parameters.size()));
    const machine::KernelParameter& place = kernel.parameters[number];
    const std::uint64_t address = is_place               ? dynamic_places_[index]
                                  : handles_[index] != 0 ? handles_[index]
                                                         : addresses_[index];
    const bool is_pointer = is_place || argument.parameter.kind == Kind::Buffer;
    const std::span<const std::uint8_t> bytes =
        !maps_[index].empty() ? std::span(maps_[index])
        : is_pointer          ? std::span(reinterpret_cast<const std::uint8_t*>(&address), sizeof address)
                              : std::span(argument.bytes);
    std::copy_n(bytes.begin(), std::min<std::size_t>(bytes.size(), place.bytes - in_struct),
                settings.parameters.begin() + static_cast<std::ptrdiff_t>(place.offset + in_struct));
  }
}

void MachineRun::run(machine::Observer* observer, const machine::LaunchPart& part) {
  launch_->run(observer, part);
}

std::string MachineRun::run_apart(const machine::MakeObservers& make_observers,
                                  const machine::LaunchPart& part) {
  return machine::run_apart(*launch_, make_observers, part);
}

}  // namespace warpscope
