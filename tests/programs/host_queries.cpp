// A host program that asks OpenCL for errors, logs and numbers.
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/programs/host.h"

namespace {

void CL_CALLBACK note_build(cl_program, void* data) {
  static_cast<std::atomic<int>*>(data)->fetch_add(1);
}

// A driver's thread lets go of a launch a little after it has said that it is complete.
void show_references(cl_event event, cl_kernel kernel, cl_program program, cl_mem buffer) {
  std::array<cl_uint, 4> references{};
  for (int i = 0; i < 1000 && references != std::array<cl_uint, 4>{2, 1, 2, 1}; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(cl_uint), &references[0], nullptr);
    clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(cl_uint), &references[1], nullptr);
    clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof(cl_uint), &references[2], nullptr);
    clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof(cl_uint), &references[3], nullptr);
  }
  std::printf("references %u %u %u %u\n", references[0], references[1], references[2], references[3]);
}

}  // namespace

// Errors, logs and numbers that a program may ask for.
void queries() {
  const Host host(CL_QUEUE_PROFILING_ENABLE);
  cl_int status = CL_SUCCESS;
  const char* wrong = "kernel void broken(global int* a) { a[0] = missing; }\n";
  const cl_program broken = clCreateProgramWithSource(host.context, 1, &wrong, nullptr, &status);
  std::printf("broken: %d\n", clBuildProgram(broken, 0, nullptr, "", nullptr, nullptr));
  char log[4096] = "";
  clGetProgramBuildInfo(broken, host.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, nullptr);
  std::printf("log names it: %d\n", std::strstr(log, "missing") != nullptr);
  std::atomic<int> notified = 0;
  const char* source = kAdd;
  const cl_program program = clCreateProgramWithSource(host.context, 1, &source, nullptr, &status);
  std::printf("unbuilt kernel: %p\n", static_cast<void*>(clCreateKernel(program, "add", &status)));
  check(clBuildProgram(program, 0, nullptr, "-DX=1", note_build, &notified), "clBuildProgram");
  while (notified == 0) std::this_thread::yield();
  char options[64] = "";
  clGetProgramBuildInfo(program, host.device, CL_PROGRAM_BUILD_OPTIONS, sizeof(options), options, nullptr);
  std::printf("notified %d, options '%s'\n", notified.load(), options);
  const cl_kernel kernel = clCreateKernel(program, "add", &status);
  std::size_t global = 64;
  std::printf("no arguments: %d\n",
              clEnqueueNDRangeKernel(host.queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr));
  const cl_mem buffer = host.ints(64, 1);
  set(kernel, 0, buffer);
  set(kernel, 1, 1);
  std::printf("index: %d\n", clSetKernelArg(kernel, 9, 4, &global));
  std::size_t local = 48;
  std::printf("local: %d\n",
              clEnqueueNDRangeKernel(host.queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr));
  std::printf("dimensions: %d\n",
              clEnqueueNDRangeKernel(host.queue, kernel, 4, nullptr, &global, nullptr, 0, nullptr, nullptr));
  const cl_event event = launch(host.queue, kernel, 64, 16);
  check(clWaitForEvents(1, &event), "clWaitForEvents");
  cl_ulong times[4] = {};
  for (cl_uint i = 0; i < 4; ++i)
    check(
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof(cl_ulong), &times[i], nullptr),
        "clGetEventProfilingInfo");
  std::printf("times ascend: %d\n", times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
  cl_command_type type = 0;
  clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, nullptr);
  std::printf("type %x, ", type);
  show_references(event, kernel, program, buffer);
  cl_program of_kernel = nullptr;
  clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(of_kernel), &of_kernel, nullptr);
  std::size_t group = 0;
  clGetKernelWorkGroupInfo(kernel, host.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(group), &group, nullptr);
  std::printf("its program: %d, largest group %zu\n", of_kernel == program, group);
  show("added", host.read(buffer, 64));
}
