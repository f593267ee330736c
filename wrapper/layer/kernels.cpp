#include "wrapper/layer/kernels.h"

#include <fmt/format.h>

namespace warpscope::layer {

Kernel::Kernel(std::string symbol, std::shared_ptr<void> program, std::shared_ptr<Build> build)
    : symbol_(std::move(symbol)),
      name_(build ? build->shown_name(symbol_) : symbol_),
      program_(std::move(program)),
      build_(std::move(build)) {}

Kernel::~Kernel() {
  if (twin_ != nullptr) api->clReleaseKernel(twin_);
}

void Kernel::set(cl_uint index, KernelArgument argument) {
  if (index >= arguments_.size()) {
    arguments_.resize(index + 1);
    changed_.resize(index + 1, false);
  }
  arguments_[index] = std::move(argument);
  changed_[index] = true;
}

void Kernel::set_info(cl_kernel_exec_info name, std::size_t size, const void* value) {
  const auto* bytes = static_cast<const std::uint8_t*>(value);
  infos_[name].assign(bytes, bytes + size);
  infos_changed_ = true;
}

std::unique_ptr<Kernel> Kernel::clone() const {
  auto copy = std::make_unique<Kernel>(symbol_, program_, build_);
  copy->arguments_ = arguments_;
  copy->changed_.assign(arguments_.size(), true);
  copy->infos_ = infos_;
  copy->infos_changed_ = true;
  return copy;
}

cl_kernel Kernel::twin(std::string& failure) {
  const cl_program program = build_->twin();
  if (program == nullptr) {
    failure = build_->failure();
    return nullptr;
  }
  cl_int status = CL_SUCCESS;
  if (twin_ == nullptr) {
    twin_ = api->clCreateKernel(program, symbol_.c_str(), &status);
    if (twin_ == nullptr) {
      failure = fmt::format("the instrumented program lacks kernel '{}' ({})", name_, status);
      return nullptr;
    }
  }
  for (cl_uint index = 0; index < arguments_.size(); ++index) {
    if (!changed_[index]) continue;
    const KernelArgument& argument = arguments_[index];
    if (argument.kind == KernelArgument::Kind::Bytes)
      status = api->clSetKernelArg(twin_, index, argument.bytes.size(), argument.bytes.data());
    else if (argument.kind == KernelArgument::Kind::Local)
      status = api->clSetKernelArg(twin_, index, argument.size, nullptr);
    else if (argument.kind == KernelArgument::Kind::SvmPointer)
      status = api->clSetKernelArgSVMPointer(twin_, index, argument.pointer);
    else
      continue;
    if (status != CL_SUCCESS) {
      failure = fmt::format("argument {} of kernel '{}' does not fit the instrumented kernel ({})", index,
                            name_, status);
      return nullptr;
    }
    changed_[index] = false;
  }
  if (infos_changed_ && api->clSetKernelExecInfo != nullptr)
    for (const auto& [name, bytes] : infos_)
      api->clSetKernelExecInfo(twin_, name, bytes.size(), bytes.data());
  infos_changed_ = false;
  return twin_;
}

std::string place_of(const std::string& kernel, const Build* build) {
  if (build == nullptr || build->source().empty()) return fmt::format("kernel '{}'", kernel);
  const std::size_t line = line_of_kernel(build->source(), kernel);
  return line == 0 ? fmt::format("{}: kernel '{}'", build->source_name(), kernel)
                   : fmt::format("{}:{}: kernel '{}'", build->source_name(), line, kernel);
}

void Kernels::add(cl_kernel kernel, cl_program program) {
  auto build = programs_.build_of(program);
  auto entry = std::make_shared<Kernel>(info_text(api->clGetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME),
                                        programs_.keep(program), std::move(build));
  const std::lock_guard lock(mutex_);
  kernels_[kernel] = {std::move(entry), 1};
}

void Kernels::add_clone(cl_kernel clone, cl_kernel source) {
  const auto original = find(source);
  if (!original) return;
  const std::lock_guard lock(mutex_);
  kernels_[clone] = {original->clone(), 1};
}

void Kernels::retain(cl_kernel kernel) {
  const std::lock_guard lock(mutex_);
  const auto entry = kernels_.find(kernel);
  if (entry != kernels_.end()) ++entry->second.references;
}

void Kernels::release(cl_kernel kernel) {
  std::shared_ptr<Kernel> last;  // destroyed outside of the lock
  const std::lock_guard lock(mutex_);
  const auto entry = kernels_.find(kernel);
  if (entry == kernels_.end() || --entry->second.references > 0) return;
  last = std::move(entry->second.kernel);
  kernels_.erase(entry);
}

std::shared_ptr<Kernel> Kernels::find(cl_kernel kernel) {
  const std::lock_guard lock(mutex_);
  const auto entry = kernels_.find(kernel);
  return entry == kernels_.end() ? nullptr : entry->second.kernel;
}

}  // namespace warpscope::layer
