#include "wrapper/layer/local_size.h"

namespace warpscope::layer {
namespace {

constexpr const char* kSource =
    "kernel void warpscope_local_size(global ulong* size) {\n"
    "  if (get_global_id(0) == 0 && get_global_id(1) == 0 && get_global_id(2) == 0)\n"
    "    for (int i = 0; i < 3; ++i) size[i] = get_local_size(i);\n"
    "}\n";

/// What the question needs; released at the end, however far it got.
struct Probe {
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  cl_command_queue queue = nullptr;
  cl_mem buffer = nullptr;
  ~Probe() {
    if (buffer != nullptr) api->clReleaseMemObject(buffer);
    if (queue != nullptr) api->clReleaseCommandQueue(queue);
    if (kernel != nullptr) api->clReleaseKernel(kernel);
    if (program != nullptr) api->clReleaseProgram(program);
  }
};

std::optional<Dim3> ask(cl_context context, cl_device_id device, cl_uint dimensions, const Dim3& global) {
  Probe probe;
  cl_int status = CL_SUCCESS;
  const char* source = kSource;
  probe.program = api->clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  if (probe.program == nullptr ||
      api->clBuildProgram(probe.program, 1, &device, "", nullptr, nullptr) != CL_SUCCESS)
    return std::nullopt;
  probe.kernel = api->clCreateKernel(probe.program, "warpscope_local_size", &status);
  probe.queue = api->clCreateCommandQueue(context, device, 0, &status);
  std::array<cl_ulong, 3> size{};
  probe.buffer = api->clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof(size), nullptr, &status);
  if (probe.kernel == nullptr || probe.queue == nullptr || probe.buffer == nullptr) return std::nullopt;
  const std::size_t sizes[3] = {global.x, global.y, global.z};
  api->clSetKernelArg(probe.kernel, 0, sizeof(cl_mem), &probe.buffer);
  if (api->clEnqueueNDRangeKernel(probe.queue, probe.kernel, dimensions, nullptr, sizes, nullptr, 0, nullptr,
                                  nullptr) != CL_SUCCESS ||
      api->clEnqueueReadBuffer(probe.queue, probe.buffer, CL_TRUE, 0, sizeof(size), size.data(), 0, nullptr,
                               nullptr) != CL_SUCCESS)
    return std::nullopt;
  return Dim3{size[0], size[1], size[2]};
}

}  // namespace

std::optional<Dim3> LocalSizes::chosen(cl_context context, cl_device_id device, cl_uint dimensions,
                                       const Dim3& global) {
  const Key key{device, dimensions, global.x, global.y, global.z};
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  const auto size = ask(context, device, dimensions, global);
  const std::lock_guard lock(mutex_);
  if (size) known_[key] = *size;
  return size;
}

}  // namespace warpscope::layer
