#include "wrapper/run/opencl_device.h"

#include <fmt/format.h>

#include <sstream>

#include "traces/base/error.h"
#include "wrapper/device/kernel_cache.h"

namespace warpscope {
namespace {

const char* name_of_status(cl_int status) {
  switch (status) {
    case CL_OUT_OF_RESOURCES:
      return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY:
      return "CL_OUT_OF_HOST_MEMORY";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_BUILD_PROGRAM_FAILURE:
      return "CL_BUILD_PROGRAM_FAILURE";
    case CL_INVALID_BINARY:
      return "CL_INVALID_BINARY";
    case CL_INVALID_BUFFER_SIZE:
      return "CL_INVALID_BUFFER_SIZE";
    case CL_INVALID_KERNEL_NAME:
      return "CL_INVALID_KERNEL_NAME";
    case CL_INVALID_ARG_SIZE:
      return "CL_INVALID_ARG_SIZE";
    case CL_INVALID_WORK_GROUP_SIZE:
      return "CL_INVALID_WORK_GROUP_SIZE";
    case CL_INVALID_GLOBAL_WORK_SIZE:
      return "CL_INVALID_GLOBAL_WORK_SIZE";
    default:
      return "error";
  }
}

std::string platform_name(cl_platform_id platform) {
  std::size_t size = 0;
  if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, nullptr, &size) != CL_SUCCESS) return "";
  std::string name(size, '\0');
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, name.data(), nullptr);
  return name.c_str();
}

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> ids(count);
  if (count > 0) clGetPlatformIDs(count, ids.data(), nullptr);
  return ids;
}

cl_device_id choose(OpenClDevice::Choice choice) {
  if (const std::string wrong = device::ensure_kernel_cache(); !wrong.empty()) throw InputError(wrong);
  std::string seen;
  for (const cl_platform_id platform : platforms()) {
    const std::string name = platform_name(platform);
    seen.append(seen.empty() ? "" : ", ").append(name);
    const bool is_pocl = name == "Portable Computing Language";
    if (choice == OpenClDevice::Choice::PoclCpu && !is_pocl) continue;
    cl_device_id device = nullptr;
    const cl_device_type type =
        choice == OpenClDevice::Choice::First ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_CPU;
    if (clGetDeviceIDs(platform, type, 1, &device, nullptr) == CL_SUCCESS) return device;
  }
  throw InputError(
      fmt::format("OpenCL: PoCL's CPU device not found (platforms: {}), expected Debian's package "
                  "pocl-opencl-icd; install it with: apt-get install pocl-opencl-icd",
                  seen.empty() ? "none" : seen));
}

std::string device_text(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  check_cl(clGetDeviceInfo(device, what, 0, nullptr, &size), "clGetDeviceInfo");
  std::string text(size, '\0');
  check_cl(clGetDeviceInfo(device, what, size, text.data(), nullptr), "clGetDeviceInfo");
  return text.c_str();
}

}  // namespace

void check_cl(cl_int status, const char* call) {
  if (status != CL_SUCCESS)
    throw InputError(fmt::format("OpenCL: {} failed: {} ({})", call, name_of_status(status), status));
}

OpenClDevice::OpenClDevice(Choice choice) : device_(choose(choice)) {
  cl_int status = CL_SUCCESS;
  context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
  check_cl(status, "clCreateContext");
  queue_ = clCreateCommandQueue(context_, device_, 0, &status);
  check_cl(status, "clCreateCommandQueue");
}

OpenClDevice::~OpenClDevice() {
  if (queue_ != nullptr) clReleaseCommandQueue(queue_);
  if (context_ != nullptr) clReleaseContext(context_);
}

std::string OpenClDevice::name() const {
  return device_text(device_, CL_DEVICE_NAME);
}

std::vector<std::string> OpenClDevice::extensions() const {
  std::istringstream words(device_text(device_, CL_DEVICE_EXTENSIONS));
  std::vector<std::string> extensions;
  for (std::string word; words >> word;) extensions.push_back(word);
  return extensions;
}

std::uint64_t OpenClDevice::max_work_group_size() const {
  std::size_t size = 0;
  check_cl(clGetDeviceInfo(device_, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof size, &size, nullptr),
           "clGetDeviceInfo");
  return size;
}

std::uint64_t OpenClDevice::local_memory() const {
  cl_ulong size = 0;
  check_cl(clGetDeviceInfo(device_, CL_DEVICE_LOCAL_MEM_SIZE, sizeof size, &size, nullptr),
           "clGetDeviceInfo");
  return size;
}

}  // namespace warpscope
