#include "wrapper/cuda/machine_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "traces/base/error.h"
#include "wrapper/cuda/device.h"
#include "wrapper/cuda/machine/machine_module.h"
#include "wrapper/cuda/machine/texture_table.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/state/ranges.h"
#include "wrapper/cuda/state/status.h"
#include "wrapper/cuda/time_limit.h"
#include "wrapper/device/stack_memory.h"
#include "wrapper/machine/program/machine_task.h"

namespace warpscope::cuda {
namespace {

/// The memory of device code's malloc(), which outlives launches, and the program's allocations of the moment.
machine::DeviceMemory& memory_now() {
  static auto* const memory = [] {
    auto* const made = new machine::DeviceMemory;
    made->describe_by([](std::uint64_t address) {
      return fmt::format("address {:#x}, {}", address, Memory::get().relation_to(address));
    });
    return made;
  }();
  memory->forget_allocations();
  memory->limit_heap(heap_bytes());
  for (const MemoryRange& range : Memory::get().usable())
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the same on both sides
    memory->add_at(range.address, reinterpret_cast<std::uint8_t*>(range.address), range.bytes, 0);
  for (const MemoryRange& range : Registry::get().variable_memory())
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the same on both sides
    memory->add_at(range.address, reinterpret_cast<std::uint8_t*>(range.address), range.bytes, 0);
  return *memory;
}

cudaError_t error_of(machine::FaultKind kind) {
  switch (kind) {
    case machine::FaultKind::NotExecuted:
      return cudaErrorNotSupported;
    case machine::FaultKind::Address:
      return cudaErrorIllegalAddress;
    case machine::FaultKind::Misaligned:
      return cudaErrorMisalignedAddress;
    case machine::FaultKind::Stack:
      return cudaErrorHardwareStackError;
    case machine::FaultKind::Assertion:
      return cudaErrorAssert;
    case machine::FaultKind::Trap:
      return cudaErrorLaunchFailure;
  }
  return cudaErrorLaunchFailure;
}

/// The bytes of each parameter, one behind the other as the kernel has them.
std::vector<std::uint8_t> parameters_of(const MachineFunction& function, const LaunchRequest& request) {
  std::vector<std::uint8_t> bytes(function.code->parameter_bytes);
  const std::vector<machine::KernelParameter>& parameters = function.code->parameters;
  require(parameters.empty() || request.arguments != nullptr);
  for (std::size_t number = 0; number < parameters.size(); ++number) {
    const machine::KernelParameter& parameter = parameters[number];
    require(request.arguments[number] != nullptr);
    require(parameter.offset + parameter.bytes <= bytes.size(), cudaErrorInvalidKernelImage);
    std::memcpy(bytes.data() + parameter.offset, request.arguments[number], parameter.bytes);
  }
  return bytes;
}

/// What the recorder knows of the arguments.
class Arguments {
 public:
  Arguments(const MachineFunction& function, const LaunchRequest& request, ProgramLaunch& launch)
      : info_(function.info) {
    std::uint32_t next = 0;
    for (std::size_t index = 0; index < function.signature.parameters.size(); ++index) {
      const ParameterSignature& parameter = function.signature.parameters[index];
      const std::uint32_t number = parameter.source_number.value_or(next);
      next = number + 1;
      add(parameter, number < function.code->parameters.size() ? &function.code->parameters[number] : nullptr,
          launch);
    }
    const bool has_one = std::ranges::any_of(function.signature.parameters, [](const auto& parameter) {
      return parameter.kind == ParameterSignature::Kind::Local;
    });
    if (request.shared_bytes == 0) return;
    if (!has_one) {
      ArgumentInfo dynamic;
      dynamic.name = "dynamic_shared";
      dynamic.type = "extern __shared__";
      dynamic.is_pointer = true;
      dynamic.space = AddressSpace::Local;
      info_.arguments.push_back(std::move(dynamic));
      values.emplace_back();
      launch.addresses.push_back(0);
      launch.dynamic_sizes.push_back(0);
    }
    for (std::size_t index = 0; index < info_.arguments.size(); ++index)
      if (info_.arguments[index].space == AddressSpace::Local)
        launch.dynamic_sizes[index] = request.shared_bytes;
  }

  [[nodiscard]] const KernelInfo& info() const { return info_; }
  std::vector<std::vector<std::uint8_t>> values;

 private:
  void add(const ParameterSignature& parameter, const machine::KernelParameter* place,
           ProgramLaunch& launch) {
    std::vector<std::uint8_t>& value = values.emplace_back();
    std::uint64_t address = 0;
    if (parameter.kind != ParameterSignature::Kind::Local && place != nullptr &&
        parameter.source_offset < place->bytes) {
      const auto first =
          launch.parameters.begin() + static_cast<std::ptrdiff_t>(place->offset + parameter.source_offset);
      const std::size_t rest = place->bytes - parameter.source_offset;
      const bool is_pointer = parameter.kind == ParameterSignature::Kind::Buffer;
      const std::size_t bytes = is_pointer ? sizeof(address) : parameter.element.size;
      value.assign(
          first, first + static_cast<std::ptrdiff_t>(std::min<std::size_t>(bytes == 0 ? rest : bytes, rest)));
      if (is_pointer && value.size() == sizeof(address)) std::memcpy(&address, value.data(), sizeof(address));
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the same on both sides
    if (address != 0 && !Memory::get().find(reinterpret_cast<const void*>(address))) address = 0;
    launch.addresses.push_back(address);
    launch.dynamic_sizes.push_back(0);
  }

  KernelInfo info_;
};

[[noreturn]] void fail(const MachineTask& task) {
  std::fflush(stdout);
  complain(task.fault);
  const cudaError_t error = error_of(task.kind);
  if (task.kind != machine::FaultKind::Assertion) note_refusal();
  if (task.kind == machine::FaultKind::Assertion) Device::get().note_failure(task.fault);
  set_sticky(error);
  throw Failure{error};
}

/// Throws Failure, having said why, if the code cannot be executed.
std::shared_ptr<const machine::Code> code_of(MachineModule& module, const MachineFunction& function) {
  try {
    return module.code_of(function);
  } catch (const InputError& error) {
    std::fflush(stdout);
    complain(error.what());
    note_refusal();
    throw Failure{cudaErrorNotSupported};
  }
}

}  // namespace

void launch_machine(const Kernel& kernel, const LaunchRequest& request) {
  const MachineFunction& function = *kernel.machine;
  MachineModule& module = *kernel.module->machine();
  const Device& device = Device::get();
  ProgramLaunch launch;
  launch.groups = request.grid;
  launch.local = request.block;
  launch.parameters = parameters_of(function, request);
  launch.constants = module.constants_of(function);
  launch.is_cooperative = request.is_cooperative;
  launch.cluster = request.cluster;
  launch.textures = TextureTable::get().textures();
  launch.stack_bytes =
      std::max(launch.stack_bytes, static_cast<std::uint32_t>(device::requested_stack_bytes()));
  const Arguments arguments(function, request, launch);
  MachineRun run(code_of(module, function), memory_now(), launch);
  if (std::ranges::count(run.code().image().system_functions(), "malloc") != 0) keep_heap_bytes();
  const machine::SourceFile& source = module.source_of(function);
  MachineTask task;
  task.run = &run;
  task.kernel = &arguments.info();
  task.values = arguments.values;
  task.from = module.program_of(function).from();
  task.source_name = source.name;
  task.source = source.text;
  task.needs_turns = function.needs_turns;
  TimeLimit limit(kernel.name);
  limit.begin();
  if (device.is_traced()) device.name_launch(request.call_site, open_ranges());
  if (!device.record(task)) task.execute();
  if (!task.fault.empty()) fail(task);
}

}  // namespace warpscope::cuda
