#include "wrapper/cuda/launch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "traces/base/error.h"
#include "wrapper/cuda/device.h"
#include "wrapper/cuda/fault_line.h"
#include "wrapper/cuda/machine_launch.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/cuda/running_kernel.h"
#include "wrapper/cuda/state/ranges.h"
#include "wrapper/cuda/state/status.h"
#include "wrapper/cuda/time_limit.h"

namespace warpscope::cuda {
namespace {

// CUDA C++ Programming Guide, "Features and Technical Specifications".
constexpr std::array<std::uint64_t, 3> kMostThreads = {1024, 1024, 64};
constexpr std::array<std::uint64_t, 3> kMostBlocks = {0x7fffffff, 65535, 65535};
constexpr std::size_t kUsualSharedBytes = 48 * 1024;
constexpr std::uint64_t kUsualThreadsPerBlock = 1024;

bool is_within(const Dim3& size, const std::array<std::uint64_t, 3>& most) {
  return size.count() > 0 && size.x <= most[0] && size.y <= most[1] && size.z <= most[2];
}

void check_cluster(const LaunchRequest& request, const Kernel& kernel) {
  constexpr std::uint64_t kMost = 16;  // CUDA C++ Programming Guide: 8, with an attribute 16
  const auto [x, y, z] = request.cluster;
  if (x == 0) return;
  require(kernel.machine != nullptr, cudaErrorNotSupported);
  require(y != 0 && z != 0 && x * y * z <= kMost, cudaErrorInvalidConfiguration);
  require(request.grid.x % x == 0 && request.grid.y % y == 0 && request.grid.z % z == 0,
          cudaErrorInvalidConfiguration);
}

void check_sizes(const LaunchRequest& request, const Kernel& kernel) {
  const std::uint64_t threads = Device::gpu().max_work_group_size.value_or(kUsualThreadsPerBlock);
  require(is_within(request.grid, kMostBlocks) && is_within(request.block, kMostThreads) &&
              request.block.count() <= threads,
          cudaErrorInvalidConfiguration);
  require(request.shared_bytes <= dynamic_shared_limit(kernel));
  check_cluster(request, kernel);
  if (!request.is_cooperative) return;
  const std::uint64_t fit =
      resident_blocks(kernel, request.block.count(), request.shared_bytes) * Device::gpu().cores;
  require(request.grid.count() <= fit, cudaErrorCooperativeLaunchTooLarge);
}

/// What the kernel does that cannot run here has been removed from its code.
void refuse_untraceable(const Kernel& kernel) {
  if (kernel.info == nullptr || kernel.info->untraceable.empty()) return;
  for (const std::string& what : kernel.info->untraceable)
    complain(fmt::format("{}: kernel '{}' is not run", what, kernel.name));
  note_refusal();
  throw Failure{cudaErrorNotSupported};
}

void set_argument(const Kernel& kernel, cl_uint index, const LaunchRequest& request) {
  const Parameter& parameter = kernel.parameters[index];
  cl_int status = CL_SUCCESS;
  if (parameter.is_local) {
    status = clSetKernelArg(kernel.handle, index, std::max<std::size_t>(request.shared_bytes, 1), nullptr);
  } else if (!parameter.variable.empty()) {
    status = clSetKernelArgSVMPointer(kernel.handle, index,
                                      kernel.module->variable(parameter.variable, parameter.variable_bytes));
  } else {
    require(request.arguments != nullptr && request.arguments[parameter.argument] != nullptr);
    const auto* place = static_cast<const char*>(request.arguments[parameter.argument]) + parameter.offset;
    if (parameter.is_pointer) {
      void* pointer = nullptr;
      std::memcpy(&pointer, place, sizeof(pointer));
      status = clSetKernelArgSVMPointer(kernel.handle, index, pointer);
    } else {
      status = clSetKernelArg(kernel.handle, index, parameter.bytes, place);
    }
  }
  if (status != CL_SUCCESS)
    complain(
        fmt::format("kernel '{}': PoCL refuses argument '{}' ({})", kernel.name, parameter.name, status));
  require(status == CL_SUCCESS, cudaErrorLaunchFailure);
}

void enqueue(const Kernel& kernel, const LaunchRequest& request) {
  const Device& device = Device::get();
  const std::size_t local[3] = {request.block.x, request.block.y, request.block.z};
  const std::size_t global[3] = {request.grid.x * local[0], request.grid.y * local[1],
                                 request.grid.z * local[2]};
  const cl_uint dimensions = global[2] > 1 ? 3 : global[1] > 1 ? 2 : 1;
  TimeLimit limit(kernel.name);
  std::optional<FaultLine> fault_line;
  if (!device.is_traced()) fault_line.emplace(kernel.name);  // the layer names the line, too
  if (device.is_traced()) device.name_launch(request.call_site, open_ranges());
  cl_event end = nullptr;
  cl_int status = clEnqueueNDRangeKernel(device.queue(), kernel.handle, dimensions, nullptr, global, local, 0,
                                         nullptr, &end);
  if (status == CL_SUCCESS) {
    limit.begin_with(end);
    wait_for_kernel(device.queue(), end);
    cl_int result = CL_COMPLETE;
    clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(result), &result, nullptr);
    clReleaseEvent(end);
    status = std::min(result, CL_SUCCESS);
  }
  if (status == CL_SUCCESS) return;
  complain(fmt::format("kernel '{}': PoCL cannot run it ({})", kernel.name, status));
  set_sticky(cudaErrorLaunchFailure);
  throw Failure{cudaErrorLaunchFailure};
}

std::atomic<bool> was_refused = false;

/// Of a kernel whose assertion failed a program may take care itself.
void set_exit_status(int status, void* /*unused*/) {
  const bool is_unnoticed = sticky_error() == cudaErrorAssert && !has_program_seen_error();
  if (status != 0 || !(was_refused || is_unnoticed)) return;
  std::fflush(nullptr);
  ::_exit(kExitNotTraceable);
}

// Handlers run last to first, so one that is registered before main() sees all others done.
[[maybe_unused]] const int kRegistered = ::on_exit(&set_exit_status, nullptr);

WorkGroupNeeds needs_of(const Kernel& kernel, std::uint64_t threads, std::size_t shared_bytes) {
  WorkGroupNeeds needs;
  needs.work_items = threads;
  needs.local_bytes = shared_bytes;
  if (kernel.info == nullptr) return needs;
  needs.local_bytes += kernel.info->static_local_bytes;
  needs.registers_per_work_item = kernel.info->registers_estimate;
  return needs;
}

}  // namespace

void note_refusal() {
  was_refused = true;
}

std::size_t shared_bytes_per_block_optin() {
  const GpuPreset& gpu = Device::gpu();
  return gpu.max_local_bytes_per_work_group.value_or(
      gpu.local_bytes_per_core.value_or(std::uint32_t{kUsualSharedBytes}));
}

std::size_t shared_bytes_per_block() {
  return std::min(kUsualSharedBytes, shared_bytes_per_block_optin());
}

std::size_t dynamic_shared_limit(const Kernel& kernel) {
  const std::size_t fixed = kernel.info != nullptr ? kernel.info->static_local_bytes : 0;
  if (kernel.dynamic_limit != 0) return kernel.dynamic_limit;
  return shared_bytes_per_block() - std::min(fixed, shared_bytes_per_block());
}

std::uint64_t resident_blocks(const Kernel& kernel, std::uint64_t threads, std::size_t shared_bytes) {
  return occupancy(Device::gpu(), needs_of(kernel, threads, shared_bytes)).work_groups();
}

void launch(const LaunchRequest& request) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex());
  Kernel& kernel = registry.kernel(request.host);
  refuse_untraceable(kernel);
  check_sizes(request, kernel);
  if (kernel.machine != nullptr) return launch_machine(kernel, request);
  kernel.module->build(kernel);
  if (kernel.allocates) prepare_heap();
  for (cl_uint index = 0; index < kernel.parameters.size(); ++index) set_argument(kernel, index, request);
  enqueue(kernel, request);
}

}  // namespace warpscope::cuda
