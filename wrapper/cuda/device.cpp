#include "wrapper/cuda/device.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "wrapper/cuda/running_kernel.h"
#include "wrapper/cuda/state/status.h"
#include "wrapper/device/kernel_cache.h"
#include "wrapper/device/kernel_stop.h"
#include "wrapper/recording/fault_handlers.h"

namespace warpscope::cuda {
namespace {

constexpr const char* kPlatform = "Portable Computing Language";
constexpr const char* kGpuVariable = "WARPSCOPE_GPU";
constexpr const char* kDefaultGpu = "h100";
// Of PoCL's answer; programs take a part of what they are told, and the machine has other work.
constexpr std::size_t kMostMemory = std::size_t{16} << 30;

cl_platform_id pocl() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) count = 0;
  std::vector<cl_platform_id> platforms(count);
  if (count > 0) clGetPlatformIDs(count, platforms.data(), nullptr);
  for (const cl_platform_id platform : platforms) {
    char name[64] = {};
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name) - 1, name, nullptr);
    if (std::string_view(name) == kPlatform) return platform;
  }
  complain(
      "PoCL's CPU device not found, expected Debian's package pocl-opencl-icd; install it with: apt-get "
      "install pocl-opencl-icd");
  throw Failure{cudaErrorNoDevice};
}

void CL_CALLBACK stop_at_bad_address(bool is_misaligned, const char* why) {
  device::stop_kernel(
      is_misaligned ? device::StopReason::MisalignedAddress : device::StopReason::IllegalAddress,
      fmt::format("warpscope: {}", why));
}

/// PoCL's kernels look for the table of threads (passes/RuntimeABI.h) among the symbols that everybody sees;
/// a program's plug-in may have been loaded, and this library with it, for itself only.
void show_symbols() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&show_symbols), &self) != 0)
    dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

}  // namespace

Device& Device::get() {
  static auto* device = new Device;
  return *device;
}

Device::Device() {
  show_symbols();
  if (const std::string wrong = device::ensure_kernel_cache(); !wrong.empty()) {
    complain(wrong);
    throw Failure{cudaErrorNoDevice};
  }
  cl_platform_id platform = pocl();
  const std::vector<pid_t> before = threads_of_process();
  cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &id_, nullptr);  // starts its threads
  kernel_threads_ = threads_of_process();
  std::erase_if(kernel_threads_, [&](pid_t thread) { return std::ranges::count(before, thread) != 0; });
  if (status == CL_SUCCESS) context_ = clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &status);
  if (status == CL_SUCCESS) queue_ = clCreateCommandQueueWithProperties(context_, id_, nullptr, &status);
  if (status != CL_SUCCESS) {
    complain(fmt::format("PoCL's CPU device cannot be used ({})", status));
    throw Failure{cudaErrorNoDevice};
  }
  cl_ulong memory = 0;
  clGetDeviceInfo(id_, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(memory), &memory, nullptr);
  memory_bytes_ = std::min<std::size_t>(memory, kMostMemory);
  describe_ = reinterpret_cast<layer::DescribeProgram>(
      clGetExtensionFunctionAddressForPlatform(platform, layer::kDescribeProgram));
  name_ = reinterpret_cast<layer::NameMemory>(
      clGetExtensionFunctionAddressForPlatform(platform, layer::kNameMemory));
  name_launch_ = reinterpret_cast<layer::NameLaunch>(
      clGetExtensionFunctionAddressForPlatform(platform, layer::kNameLaunch));
  note_stop_ =
      reinterpret_cast<layer::NoteStop>(clGetExtensionFunctionAddressForPlatform(platform, layer::kNoteStop));
  note_failure_ = reinterpret_cast<layer::NoteStop>(
      clGetExtensionFunctionAddressForPlatform(platform, layer::kNoteFailure));
  run_machine_ = reinterpret_cast<layer::RunMachine>(
      clGetExtensionFunctionAddressForPlatform(platform, layer::kRunMachine));
  expect_stops();
  if (const auto check = reinterpret_cast<layer::CheckAddresses>(
          clGetExtensionFunctionAddressForPlatform(platform, layer::kCheckAddresses)))
    check(&stop_at_bad_address);
  watch_process();
}

bool Device::gpu_is_given() {
  const char* const name = std::getenv(kGpuVariable);
  return name != nullptr && *name != '\0';
}

const GpuPreset& Device::gpu() {
  static const GpuPreset* const preset = []() -> const GpuPreset* {
    try {
      return new GpuPreset(
          load_preset(gpu_is_given() ? std::getenv(kGpuVariable) : kDefaultGpu, {}, kGpuVariable));
    } catch (const std::exception& error) {
      complain(error.what());
      return nullptr;
    }
  }();
  require(preset != nullptr, cudaErrorNoDevice);
  return *preset;
}

void Device::name_memory(const void* address, std::size_t bytes, const std::string& name,
                         std::span<const std::uint8_t> room, layer::MemoryUse use) const {
  if (name_ != nullptr) name_(context_, address, bytes, name.c_str(), room.data(), room.size(), use);
}

bool Device::is_kernel_thread() const {
  const auto self = static_cast<pid_t>(::syscall(SYS_gettid));
  return std::find(kernel_threads_.begin(), kernel_threads_.end(), self) != kernel_threads_.end();
}

void Device::name_launch(const std::string& call_site, const std::string& range) const {
  if (name_launch_ != nullptr) name_launch_(call_site.c_str(), range.c_str());
}

bool Device::record(MachineTask& task) const {
  if (run_machine_ == nullptr) return false;
  run_machine_(context_, &task);
  return true;
}

void Device::note_failure(const std::string& why) const {
  if (note_failure_ != nullptr) note_failure_(why.c_str());
}

void Device::note_stop(const std::string& why) const {
  if (note_stop_ != nullptr) note_stop_(why.c_str());
}

void Device::describe(cl_program program, const layer::CompiledTwin& twin) const {
  if (describe_ != nullptr) describe_(program, &twin);
}

ComputeCapability compute_capability(const GpuPreset& gpu) {
  ComputeCapability result;
  if (!gpu.compute_capability) return result;
  const std::string& text = *gpu.compute_capability;
  const char* const end = text.data() + text.size();
  const auto [point, error] = std::from_chars(text.data(), end, result.major);
  if (error == std::errc() && point < end && *point == '.') std::from_chars(point + 1, end, result.minor);
  return result;
}

}  // namespace warpscope::cuda
