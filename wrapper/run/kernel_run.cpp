#include "wrapper/run/kernel_run.h"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "traces/base/error.h"

namespace warpscope {

KernelRun::KernelRun(OpenClDevice& device, const ResolvedLaunch& launch,
                     std::span<const std::uint8_t> bitcode, const std::string& build_options,
                     std::uint64_t guard_bytes)
    : device_(device),
      launch_(launch),
      guard_bytes_(guard_bytes),
      buffers_(launch.arguments.size(), nullptr) {
  const unsigned char* binary = bitcode.data();
  const std::size_t size = bitcode.size();
  const cl_device_id id = device.id();
  cl_int binary_status = CL_SUCCESS;
  cl_int status = CL_SUCCESS;
  program_ = clCreateProgramWithBinary(device.context(), 1, &id, &size, &binary, &binary_status, &status);
  check_cl(status, "clCreateProgramWithBinary");
  status = clBuildProgram(program_, 1, &id, build_options.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) {
    std::size_t length = 0;
    clGetProgramBuildInfo(program_, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &length);
    std::string log(length, '\0');
    clGetProgramBuildInfo(program_, id, CL_PROGRAM_BUILD_LOG, length, log.data(), nullptr);
    throw InputError(
        fmt::format("kernel '{}': {} cannot build it: {}", launch.kernel.name, device.name(), log.c_str()));
  }
  kernel_ = clCreateKernel(program_, launch.kernel.symbol.c_str(), &status);
  check_cl(status, "clCreateKernel");
  memory_.reserve(launch.arguments.size());
  for (std::size_t index = 0; index < launch.arguments.size(); ++index)
    set_argument(static_cast<cl_uint>(index), launch.arguments[index]);
}

std::uint8_t* KernelRun::copy_of(const std::vector<std::uint8_t>& content) {
  device::Guards guards = device::kRecordedGuards;
  guards.beyond = guard_bytes_;
  auto memory = device::GuardedMemory::allocate(content.size(), guards);
  if (!memory)
    throw InputError(fmt::format("a buffer of {} bytes does not fit into memory, expected a smaller count",
                                 content.size()));
  memory_.push_back(std::move(*memory));
  std::memcpy(memory_.back().data(), content.data(), content.size());
  return memory_.back().data();
}

void KernelRun::set_argument(cl_uint index, const ResolvedArgument& argument) {
  cl_int status = CL_SUCCESS;
  switch (argument.parameter.kind) {
    case ParameterSignature::Kind::Local:
      status = clSetKernelArg(kernel_, index, argument.size, nullptr);
      break;
    case ParameterSignature::Kind::Buffer:
      if (!argument.is_null) {
        buffers_[index] = clCreateBuffer(device_.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                         argument.size, copy_of(argument.bytes), &status);
        check_cl(status, "clCreateBuffer");
      }
      status = clSetKernelArg(kernel_, index, sizeof(cl_mem), &buffers_[index]);
      break;
    default:
      status = clSetKernelArg(kernel_, index, argument.bytes.size(), argument.bytes.data());
  }
  check_cl(status, "clSetKernelArg");
}

KernelRun::~KernelRun() {
  if (event_ != nullptr) clReleaseEvent(event_);
  for (const cl_mem buffer : buffers_)
    if (buffer != nullptr) clReleaseMemObject(buffer);
  if (kernel_ != nullptr) clReleaseKernel(kernel_);
  if (program_ != nullptr) clReleaseProgram(program_);
}

void KernelRun::enqueue() {
  const std::size_t global[3] = {launch_.global.x, launch_.global.y, launch_.global.z};
  const std::size_t local[3] = {launch_.local.x, launch_.local.y, launch_.local.z};
  const std::size_t offset[3] = {launch_.offset.x, launch_.offset.y, launch_.offset.z};
  check_cl(clEnqueueNDRangeKernel(device_.queue(), kernel_, launch_.dimensions, offset, global, local, 0,
                                  nullptr, &event_),
           "clEnqueueNDRangeKernel");
  check_cl(clFlush(device_.queue()), "clFlush");
}

void KernelRun::finish() {
  check_cl(clFinish(device_.queue()), "clFinish");
  cl_int status = CL_COMPLETE;
  check_cl(clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
           "clGetEventInfo");
  if (status < 0) check_cl(status, "running the kernel");
}

bool KernelRun::has_ended() const {
  cl_int status = CL_QUEUED;
  clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return status <= CL_COMPLETE;
}

std::vector<std::uint8_t> KernelRun::read(std::size_t argument) {
  std::vector<std::uint8_t> bytes(launch_.arguments[argument].size);
  check_cl(clEnqueueReadBuffer(device_.queue(), buffers_[argument], CL_TRUE, 0, bytes.size(), bytes.data(), 0,
                               nullptr, nullptr),
           "clEnqueueReadBuffer");
  return bytes;
}

std::vector<std::uint8_t> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot read", path));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace warpscope
