#pragma once
// What the host programs of these tests share: a context on PoCL's CPU, and calls that end the program on an
// error.
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

inline void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::printf("%s failed: %d\n", what, status);
  std::exit(1);
}

// Another OpenCL for comparison: a part of its name in HOST_PLATFORM.
inline cl_device_id pocl_device() {
  const char* const wanted =
      std::getenv("HOST_PLATFORM") != nullptr ? std::getenv("HOST_PLATFORM") : "Portable";
  cl_platform_id platforms[16];
  cl_uint count = 0;
  check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
  for (cl_uint i = 0; i < count; ++i) {
    char name[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, nullptr);
    cl_device_id device = nullptr;
    if (std::strstr(name, wanted) != nullptr &&
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS)
      return device;
  }
  std::printf("no PoCL\n");
  std::exit(1);
}

struct Host {
  cl_device_id device = pocl_device();
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;

  explicit Host(cl_command_queue_properties properties = 0) {
    cl_int status = CL_SUCCESS;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, properties, &status);
    check(status, "clCreateCommandQueue");
  }
  ~Host() {
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// Without `options`: those in HOST_OPTIONS.
  cl_program program(const char* source, const char* options = nullptr) const {
    if (options == nullptr) options = std::getenv("HOST_OPTIONS");
    cl_int status = CL_SUCCESS;
    const cl_program result = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(result, 1, &device, options, nullptr, nullptr), "clBuildProgram");
    return result;
  }
  cl_kernel kernel(const char* source, const char* name) const {
    cl_int status = CL_SUCCESS;
    const cl_program built = program(source);
    const cl_kernel result = clCreateKernel(built, name, &status);
    check(status, "clCreateKernel");
    clReleaseProgram(built);  // the kernel keeps it
    return result;
  }
  cl_mem ints(std::size_t count, int value) const {
    std::vector<int> content(count, value);
    cl_int status = CL_SUCCESS;
    const cl_mem result = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                         count * sizeof(int), content.data(), &status);
    check(status, "clCreateBuffer");
    return result;
  }
  std::vector<int> read(cl_mem buffer, std::size_t count) const {
    std::vector<int> content(count);
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(int), content.data(), 0, nullptr,
                              nullptr),
          "clEnqueueReadBuffer");
    return content;
  }
};

inline void set(cl_kernel kernel, cl_uint index, cl_mem buffer) {
  check(clSetKernelArg(kernel, index, sizeof(buffer), &buffer), "clSetKernelArg");
}
inline void set(cl_kernel kernel, cl_uint index, int value) {
  check(clSetKernelArg(kernel, index, sizeof(value), &value), "clSetKernelArg");
}

inline cl_event launch(cl_command_queue queue, cl_kernel kernel, std::size_t global, std::size_t local = 0,
                       const std::vector<cl_event>& wait = {}) {
  cl_event event = nullptr;
  check(
      clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, local != 0 ? &local : nullptr,
                             static_cast<cl_uint>(wait.size()), wait.empty() ? nullptr : wait.data(), &event),
      "clEnqueueNDRangeKernel");
  return event;
}

inline void show(const char* what, const std::vector<int>& values) {
  long long sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += static_cast<long long>(i + 1) * values[i];
  std::printf("%s: first %d, weighted sum %lld\n", what, values.empty() ? 0 : values[0], sum);
}

/// Small kernels that several of the programs use.
inline constexpr const char* kAdd =
    "kernel void add(global int* a, int n) { a[get_global_id(0)] += n; }\n"
    "kernel void twice(global int* a) { a[get_global_id(0)] *= 2; }\n"
    "kernel void sizes(global int* a) {\n"
    "  size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * "
    "get_global_id(2));\n"
    "  a[i] = (int)(get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_size(2) + 1000000 * "
    "get_group_id(0));\n"
    "}\n";

// host_ends.cpp
void close_files(int last);
void many(int count);
void large(std::size_t items, bool is_loop);
void stream(int count);
void stencil(int count);
void stencil_rows(int count);
void end(const std::string& how);
void middle();
void forked(const char* self);
// host_device_kinds.cpp
void device_kinds();
// host_devices.cpp
void devices();
void sub_devices();
void uneven();
void command_buffers();
// host_queries.cpp
void queries();
// host_suites.cpp
void null_local();
void asked_sizes();
void asked_limits();
void unasked_sizes();
void levels();
void ping_pong_buffers();
void reduction();
void diagonals();
void mapped();
void two_programs();
