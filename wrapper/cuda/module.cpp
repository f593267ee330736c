#include "wrapper/cuda/module.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "passes/driver/pipeline.h"
#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "wrapper/cuda/device.h"
#include "wrapper/cuda/machine/module_image.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

using nlohmann::json;

std::string from_hex(const std::string& text) {
  std::string bytes(text.size() / 2, '\0');
  for (std::size_t at = 0; at < bytes.size(); ++at)
    bytes[at] = static_cast<char>(std::stoi(text.substr(2 * at, 2), nullptr, 16));
  return bytes;
}

Parameter parameter_from(const json& entry) {
  Parameter result;
  result.name = entry.at("name");
  result.is_local = entry.at("kind") == "local";
  result.is_pointer = entry.at("kind") == "buffer";
  if (entry.contains("variable")) {
    result.variable = entry.at("variable");
    result.variable_bytes = entry.at("fixed_bytes");
    if (entry.contains("initial")) result.initial = from_hex(entry.at("initial"));
  } else if (!result.is_local) {
    result.argument = entry.at("argument");
    result.offset = entry.at("offset");
    result.bytes = entry.at("passed_bytes");
  }
  return result;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string build_log(cl_program program) {
  const Device& device = Device::get();
  std::size_t size = 0;
  clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return first_line(log.c_str());
}

// What a pointer of the program's points to, if that is text; the pointer may be anything.
std::string text_at(const void* pointer) {
  char text[256];
  const std::uintptr_t page_end = (reinterpret_cast<std::uintptr_t>(pointer) | 4095) + 1;
  const std::size_t bytes = std::min(sizeof(text), page_end - reinterpret_cast<std::uintptr_t>(pointer));
  const iovec to{text, bytes}, from{const_cast<void*>(pointer), bytes};
  const ssize_t read = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  const char* end = read > 0 ? std::find(text, text + read, '\0') : text + sizeof(text);
  return read > 0 && end != text + read ? std::string(text, static_cast<std::size_t>(end - text)) : "";
}

[[noreturn]] void refuse(const std::string& what) {
  complain(what);
  throw Failure{cudaErrorInvalidKernelImage};
}

/// Once: that the code was compiled for another architecture than the GPU's, if somebody chose the GPU or the code asks.
void say_other_architecture(const layer::Container& code) {
  static std::atomic<bool> is_said = false;
  const ComputeCapability seen = compute_capability(Device::gpu());
  const bool matters = Device::gpu_is_given() || code.source.find("__CUDA_ARCH__") != std::string_view::npos;
  if (!matters || seen.major == 0 ||
      code.architecture == static_cast<unsigned>(seen.major * 10 + seen.minor) || is_said.exchange(true))
    return;
  complain(
      fmt::format("{}: __CUDA_ARCH__ is {}0 (-arch), and the program is told compute capability {}.{} ({})",
                  code.source_name, code.architecture, seen.major, seen.minor, Device::gpu().name));
}

}  // namespace

Module::Module(std::vector<std::uint8_t> image)
    : image_(std::move(image)), content_(image_.data()), size_(image_.size()), is_read_(true) {
  read_machine();
}

void Module::read_machine() {
  const ComputeCapability seen = compute_capability(Device::gpu());
  machine_ =
      std::make_unique<MachineModule>(std::span(static_cast<const std::uint8_t*>(content_), size_),
                                      Device::gpu().name, fmt::format("sm_{}{}", seen.major, seen.minor),
                                      [](const MachineVariable& variable, const std::string& name) {
                                        Memory::get().adopt_symbol(variable.address, variable.bytes, name);
                                      });
  if (!machine_->note().empty()) complain(machine_->note());
  for (const device::GuardedMemory& memory : machine_->memory())
    Memory::get().adopt_section(memory.data(), memory.size());
  for (const auto& [mangled, function] : machine_->functions()) {
    Kernel& kernel = kernels_[mangled];
    kernel.module = this;
    kernel.symbol = mangled;
    kernel.name = function.signature.name;
    kernel.info = &function.info;
    kernel.machine = &function;
    for (std::size_t number = 0; number < function.code->parameters.size(); ++number) {
      Parameter parameter;
      parameter.argument = static_cast<unsigned>(number);
      parameter.bytes = function.code->parameters[number].bytes;
      kernel.parameters.push_back(std::move(parameter));
    }
  }
}

void Module::read() {
  if (is_read_) return;
  try {
    if (vendor_binary_size(content_) != 0) {
      is_read_ = true;
      return read_machine();
    }
    container_ = layer::read_container(content_, size_);
    is_read_ = true;
    if (container_.is_relocatable) return;
    for (const json& kernel : parse_json(container_.kernels, "kernels of the program"))
      infos_.push_back(kernel_info_from_json(kernel));
    const json signatures = parse_json(container_.signatures, "signatures of the program");
    for (const json& signature : signatures.at("kernels")) {
      Kernel& kernel = kernels_[signature.at("mangled")];
      kernel.module = this;
      kernel.symbol = signature.at("symbol");
      kernel.name = signature.at("name");
      kernel.allocates = signature.value("allocates", false);
      for (const json& parameter : signature.at("parameters"))
        kernel.parameters.push_back(parameter_from(parameter));
      for (const KernelInfo& info : infos_)
        if (info.name == kernel.name) kernel.info = &info;
    }
    for (const json& entry : signatures.value("managed", json::array()))
      managed_[entry.at("variable")] = {entry.at("name"), entry.at("bytes"),
                                        from_hex(entry.value("initial", "")), false};
    for (const json& entry : signatures.value("unused", json::array()))
      unused_.push_back(parameter_from(entry));
  } catch (const std::exception& error) {
    is_read_ = true;
    refuse(error.what());
  }
}

bool Module::is_machine_code() const {
  return !image_.empty() || vendor_binary_size(content_) != 0;
}

bool Module::is_relocatable() {
  if (is_machine_code()) return false;
  read();
  return container_.is_relocatable;
}

Kernel* Module::kernel(const std::string& mangled) {
  read();
  const auto entry = kernels_.find(mangled);
  return entry == kernels_.end() ? nullptr : &entry->second;
}

std::vector<std::string> Module::names() {
  read();
  std::vector<std::string> names;
  names.reserve(kernels_.size());
  for (const auto& [mangled, kernel] : kernels_) names.push_back(mangled);
  return names;
}

void Module::adopt(const std::string& mangled, void* host) {
  if (is_machine_code()) return;
  const std::string_view content(static_cast<const char*>(content_), size_);
  if (content.find("\"managed\":") == std::string_view::npos) return;  // needs no reading before main()
  read();
  const auto entry = managed_.find(mangled);
  if (entry == managed_.end()) return;
  std::memcpy(host, entry->second.initial.data(), entry->second.initial.size());
  variables_[mangled] = host;
}

void* Module::variable(const std::string& mangled, std::size_t bytes) {
  read();
  if (machine_) {
    const MachineVariable found = machine_->variable(mangled);
    require(found.address != nullptr, cudaErrorInvalidSymbol);
    return found.address;
  }
  void*& address = variables_[mangled];
  if (const auto entry = managed_.find(mangled); address != nullptr && entry != managed_.end()) {
    Managed& own = entry->second;
    if (!own.is_known) Memory::get().adopt_symbol(address, own.bytes, own.name);
    own.is_known = true;
  }
  if (address != nullptr) return address;
  const Parameter* described = nullptr;
  for (const auto& [name, kernel] : kernels_)
    for (const Parameter& parameter : kernel.parameters)
      if (parameter.variable == mangled) described = &parameter;
  for (const Parameter& variable : unused_)
    if (variable.variable == mangled) described = &variable;
  if (described != nullptr) bytes = std::max(bytes, described->variable_bytes);
  const std::string name = described != nullptr ? described->name : mangled;
  address = Memory::get().allocate(bytes, MemoryKind::Symbol, name);
  std::memset(address, 0, bytes);
  if (described != nullptr) std::memcpy(address, described->initial.data(), described->initial.size());
  return address;
}

void Module::build_program() {
  const Device& device = Device::get();
  const auto* bitcode = reinterpret_cast<const unsigned char*>(container_.optimised.data());
  const std::size_t bytes = container_.optimised.size();
  const cl_device_id id = device.id();
  cl_int status = CL_SUCCESS;
  cl_program program =
      clCreateProgramWithBinary(device.context(), 1, &id, &bytes, &bitcode, nullptr, &status);
  if (status != CL_SUCCESS)
    refuse(fmt::format("{}: PoCL refuses the device code ({})", container_.source_name, status));
  json names = json::object();
  for (const auto& [mangled, kernel] : kernels_) names[kernel.symbol] = kernel.name;
  const std::string kernels(container_.kernels), source(container_.source), names_text = dump(names);
  std::string options;
  for (const std::string& option : container_.options) options += (options.empty() ? "" : " ") + option;
  device.describe(program, {reinterpret_cast<const unsigned char*>(container_.instrumented.data()),
                            container_.instrumented.size(), kernels.c_str(), names_text.c_str(),
                            container_.source_name.c_str(), source.c_str(), options.c_str()});
  if (clBuildProgram(program, 1, &id, kBitcodeBuildOptions, nullptr, nullptr) != CL_SUCCESS)
    refuse(
        fmt::format("{}: PoCL cannot build the device code: {}", container_.source_name, build_log(program)));
  program_ = program;
  say_other_architecture(container_);
}

void Module::build(Kernel& kernel) {
  if (kernel.handle != nullptr) return;
  if (program_ == nullptr) build_program();
  cl_int status = CL_SUCCESS;
  kernel.handle = clCreateKernel(program_, kernel.symbol.c_str(), &status);
  if (status != CL_SUCCESS)
    refuse(fmt::format("kernel '{}': the device code lacks it ({})", kernel.name, status));
}

Registry& Registry::get() {
  static auto* registry = new Registry;
  return *registry;
}

void** Registry::add_object(const void* wrapper) {
  const std::lock_guard lock(mutex_);
  const void* const content = behind_wrapper(wrapper);
  const std::uint64_t vendors = vendor_binary_size(content);
  auto module = std::make_unique<Module>(content, vendors != 0 ? vendors : layer::container_size(content));
  auto** handle = reinterpret_cast<void**>(module.get());
  modules_[handle] = std::move(module);
  return handle;
}

void Registry::remove_object(void** handle) {
  // The module stays: other threads may still use its kernels, and PoCL has its program.
  const std::lock_guard lock(mutex_);
  const auto entry = modules_.find(handle);
  if (entry == modules_.end()) return;
  images_.erase(handle);
  const auto is_of = [&](const auto& item) { return item.second.module == entry->second.get(); };
  std::erase_if(kernels_, is_of);
  std::erase_if(variables_, is_of);
}

void** Registry::add_image(std::vector<std::uint8_t> image) {
  auto module = std::make_unique<Module>(std::move(image));
  const std::lock_guard lock(mutex_);
  auto** handle = reinterpret_cast<void**>(module.get());
  images_.insert(handle);
  modules_[handle] = std::move(module);
  return handle;
}

Module& Registry::image(void** handle) {
  require(images_.contains(handle), cudaErrorInvalidResourceHandle);
  return *modules_.at(handle);
}

const void* Registry::function_of(Module& module, const std::string& mangled) {
  const Kernel* const kernel = module.kernel(mangled);
  if (kernel != nullptr) kernels_[kernel] = {&module, mangled, 0};
  return kernel;
}

void** Registry::image_of(const void* host) {
  auto** const handle = reinterpret_cast<void**>(kernel(host).module);
  return images_.contains(handle) ? handle : nullptr;
}

void Registry::add_kernel(void** handle, const void* host, const char* mangled) {
  const std::lock_guard lock(mutex_);
  kernels_[host] = {modules_.at(handle).get(), mangled, 0};
}

void Registry::add_variable(void** handle, const void* host, const char* mangled, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  Module* module = modules_.at(handle).get();
  variables_[host] = {module, mangled, bytes};
  adopt(*module, mangled, host);
}

std::vector<MemoryRange> Registry::variable_memory() {
  const std::lock_guard lock(mutex_);
  std::vector<MemoryRange> ranges;
  for (const auto& [handle, module] : modules_)
    if (MachineModule* const machine = module->machine())
      for (const device::GuardedMemory& memory : machine->memory())
        ranges.push_back({reinterpret_cast<std::uintptr_t>(memory.writable()), memory.writable_size()});
  return ranges;
}

void Registry::adopt(Module& module, const std::string& mangled, const void* host) {
  try {
    void* const memory =
        const_cast<void*>(host);  // NOLINT(cppcoreguidelines-pro-type-const-cast): a variable
    if (!module.is_relocatable()) return module.adopt(mangled, memory);
    for (const auto& linked : linked_) linked->adopt(mangled, memory);
  } catch (const Failure&) {
    // Has been said; the first launch says it again to the program.
  }
}

void Registry::add_linked(const void* content) {
  const std::lock_guard lock(mutex_);
  linked_.push_back(std::make_unique<Module>(content, layer::container_size(content)));
}

Kernel* Registry::find(Module& module, const std::string& mangled) {
  if (!module.is_relocatable()) return module.kernel(mangled);
  for (const auto& linked : linked_)
    if (Kernel* kernel = linked->kernel(mangled)) return kernel;
  return nullptr;
}

Kernel& Registry::kernel(const void* host) {
  const auto entry = kernels_.find(host);
  require(entry != kernels_.end(), cudaErrorInvalidDeviceFunction);
  Kernel* kernel = find(*entry->second.module, entry->second.mangled);
  if (kernel == nullptr)
    complain(fmt::format("kernel {}: no device code, expected the program to be linked by warpscope-nvcc",
                         entry->second.mangled));
  require(kernel != nullptr, cudaErrorInvalidDeviceFunction);
  return *kernel;
}

// Until CUDA 4, a symbol could be its variable's name. Later releases look for a variable at the text's address.
void Registry::explain_name(const void* host) const {
  const std::string text = text_at(host);
  const auto is_called = [&](const auto& entry) { return entry.second.mangled == text; };
  if (!text.empty() && std::any_of(variables_.begin(), variables_.end(), is_called))
    complain(fmt::format(
        "symbol \"{0}\": a name in quotes, expected the variable {0} itself (CUDA 5 and later)", text));
}

Registry::Variable Registry::variable(const void* host) {
  const std::lock_guard lock(mutex_);
  auto entry = variables_.find(host);
  // The code of nvcc gives a managed variable as where it is.
  if (entry == variables_.end())
    entry = std::ranges::find_if(variables_, [&](const auto& one) {
      const MachineModule* const machine = one.second.module->machine();
      return machine != nullptr && machine->variable(one.second.mangled).address == host;
    });
  if (entry == variables_.end()) explain_name(host);
  require(entry != variables_.end(), cudaErrorInvalidSymbol);
  const HostObject& variable = entry->second;
  Module* module = variable.module;
  if (module->is_relocatable()) {
    require(!linked_.empty(), cudaErrorInvalidSymbol);
    module = linked_.front().get();
  }
  return {module->variable(variable.mangled, variable.bytes), variable.bytes};
}

}  // namespace warpscope::cuda
