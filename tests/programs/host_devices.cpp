// More than one device, and launches that are recorded before they are enqueued.
#include <CL/cl_ext.h>

#include "tests/programs/host.h"

namespace {

cl_command_queue queue_of(cl_context context, cl_device_id device) {
  cl_int status = CL_SUCCESS;
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  return queue;
}

/// Two devices share a context, a program, a kernel and a buffer; each device has a queue, and the launches
/// wait for each other.
void ping_pong(const std::vector<cl_device_id>& devices) {
  const auto count = static_cast<cl_uint>(devices.size());
  cl_int status = CL_SUCCESS;
  const cl_context context = clCreateContext(nullptr, count, devices.data(), nullptr, nullptr, &status);
  check(status, "clCreateContext");
  const cl_program program =
      clCreateProgramWithSource(context, 1, const_cast<const char**>(&kAdd), nullptr, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, count, devices.data(), nullptr, nullptr, nullptr), "clBuildProgram");
  const cl_kernel add = clCreateKernel(program, "add", &status);
  check(status, "clCreateKernel");
  std::vector<int> content(512, 3);
  const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       content.size() * sizeof(int), content.data(), &status);
  check(status, "clCreateBuffer");
  std::vector<cl_command_queue> queues;
  for (const cl_device_id device : devices) queues.push_back(queue_of(context, device));
  std::vector<cl_event> before;
  for (int round = 0; round < 6; ++round) {
    set(add, 0, buffer);
    set(add, 1, round + 1);
    const cl_command_queue queue = queues[static_cast<std::size_t>(round) % queues.size()];
    const cl_event event = launch(queue, add, 512, 64, before);
    check(clFlush(queue), "clFlush");
    before = {event};
  }
  check(clWaitForEvents(1, before.data()), "clWaitForEvents");
  check(clEnqueueReadBuffer(queues[0], buffer, CL_TRUE, 0, content.size() * sizeof(int), content.data(), 0,
                            nullptr, nullptr),
        "clEnqueueReadBuffer");
  show("six rounds", content);
  for (const cl_command_queue queue : queues) clReleaseCommandQueue(queue);
  clReleaseMemObject(buffer);
  clReleaseKernel(add);
  clReleaseProgram(program);
  clReleaseContext(context);
}

cl_platform_id platform_of(cl_device_id device) {
  cl_platform_id platform = nullptr;
  check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, nullptr), "clGetDeviceInfo");
  return platform;
}

template <class Function>
Function extension(cl_platform_id platform, const char* name) {
  return reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(platform, name));
}

}  // namespace

// POCL_DEVICES="pthread basic" makes two.
void devices() {
  cl_device_id found[8];
  cl_uint count = 0;
  check(clGetDeviceIDs(platform_of(pocl_device()), CL_DEVICE_TYPE_CPU, 8, found, &count), "clGetDeviceIDs");
  std::printf("devices: %u\n", count);
  ping_pong({found, found + count});
}

void sub_devices() {
  const cl_device_id device = pocl_device();
  const cl_device_partition_property properties[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id parts[16];
  cl_uint count = 0;
  check(clCreateSubDevices(device, properties, 16, parts, &count), "clCreateSubDevices");
  ping_pong({parts, parts + std::min(count, 2u)});
  for (cl_uint i = 0; i < count; ++i) clReleaseDevice(parts[i]);
}

// Groups of unequal size at the edge, which OpenCL C 2.0 allows.
void uneven() {
  const Host host;
  cl_int status = CL_SUCCESS;
  const cl_program program = host.program(kAdd, "-cl-std=CL3.0");
  const cl_kernel kernel = clCreateKernel(program, "add", &status);
  check(status, "clCreateKernel");
  const cl_mem buffer = host.ints(100, 1);
  set(kernel, 0, buffer);
  set(kernel, 1, 2);
  const std::size_t global = 100, local = 64;
  const cl_int code =
      clEnqueueNDRangeKernel(host.queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr);
  std::printf("100 in groups of 64: %d\n", code);
  show("after", host.read(buffer, 100));
}

void command_buffers() {
  const Host host;
  const cl_platform_id platform = platform_of(host.device);
  const auto create = extension<clCreateCommandBufferKHR_fn>(platform, "clCreateCommandBufferKHR");
  const auto record = extension<clCommandNDRangeKernelKHR_fn>(platform, "clCommandNDRangeKernelKHR");
  const auto finalize = extension<clFinalizeCommandBufferKHR_fn>(platform, "clFinalizeCommandBufferKHR");
  const auto enqueue = extension<clEnqueueCommandBufferKHR_fn>(platform, "clEnqueueCommandBufferKHR");
  std::printf("command buffers: %d\n", create != nullptr && record != nullptr && enqueue != nullptr);
  const cl_kernel add = host.kernel(kAdd, "add");
  const cl_mem buffer = host.ints(64, 1);
  set(add, 0, buffer);
  set(add, 1, 5);
  cl_int status = CL_SUCCESS;
  const cl_command_queue queue = host.queue;
  const cl_command_buffer_khr commands = create(1, &queue, nullptr, &status);
  check(status, "clCreateCommandBufferKHR");
  const std::size_t global = 64, local = 16;
  for (int i = 0; i < 2; ++i)
    check(record(commands, nullptr, nullptr, add, 1, nullptr, &global, &local, 0, nullptr, nullptr, nullptr),
          "clCommandNDRangeKernelKHR");
  check(finalize(commands), "clFinalizeCommandBufferKHR");
  for (int i = 0; i < 3; ++i) {
    check(enqueue(0, nullptr, commands, 0, nullptr, nullptr), "clEnqueueCommandBufferKHR");
    check(clFinish(queue), "clFinish");
  }
  clReleaseEvent(launch(queue, add, 64, 16));
  show("seven times 5", host.read(buffer, 64));
}
