// An OpenCL program that prepares 1,024 bytes in the way that its argument names, and lets kernels copy them.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 1024 };
static const char *source =
    "kernel void copy(global int *to, global const int *from) {\n"
    "  to[get_global_id(0)] = from[get_global_id(0)];\n"
    "}\n"
    "kernel void bytes(global int *to, global const uchar *from, int n) {\n"
    "  if (get_global_id(0) < n) to[get_global_id(0)] = from[get_global_id(0)];\n"
    "}\n";
static cl_context context;
static cl_command_queue queue;
static cl_kernel copy, bytes;
static char host[kBytes];

static cl_mem make(cl_mem_flags flags, void *content) { return clCreateBuffer(context, flags, kBytes, content, NULL); }

static void launch(cl_kernel kernel, size_t items) {
  const size_t local = 64;
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL);
  clFinish(queue);
}

static void run(cl_mem to, cl_mem from) {
  clSetKernelArg(copy, 0, sizeof(to), &to);
  clSetKernelArg(copy, 1, sizeof(from), &from);
  launch(copy, kBytes / 4);
}

static void run_bytes(cl_mem to, cl_mem from, int n) {
  clSetKernelArg(bytes, 0, sizeof(to), &to);
  clSetKernelArg(bytes, 1, sizeof(from), &from);
  clSetKernelArg(bytes, 2, sizeof(n), &n);
  launch(bytes, 1024);
}

static void with_svm(cl_mem to, int is_written) {
  void *from = clSVMAlloc(context, CL_MEM_READ_WRITE, kBytes, 0);
  if (is_written) {
    clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, from, kBytes, 0, NULL, NULL);
    memcpy(from, host, kBytes);
    clEnqueueSVMUnmap(queue, from, 0, NULL, NULL);
  }
  clSetKernelArg(copy, 0, sizeof(to), &to);
  clSetKernelArgSVMPointer(copy, 1, from);
  launch(copy, kBytes / 4);
  clSVMFree(context, from);
}

static void write_part(cl_mem buffer, size_t offset, size_t size) {
  clEnqueueWriteBuffer(queue, buffer, CL_TRUE, offset, size, host, 0, NULL, NULL);
}

static cl_mem prepared(const char *how, cl_mem other) {
  if (!strcmp(how, "copied")) return make(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, host);
  if (!strcmp(how, "used")) return make(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, host);
  cl_mem buffer = make(CL_MEM_READ_WRITE, NULL);
  if (!strcmp(how, "written")) write_part(buffer, 0, kBytes);
  if (!strcmp(how, "half")) write_part(buffer, 0, kBytes / 2);
  if (!strcmp(how, "all_but_two")) {
    write_part(buffer, 0, 400);
    write_part(buffer, 408, kBytes - 408);
  }
  if (!strcmp(how, "filled")) {
    const int zero = 0;
    clEnqueueFillBuffer(queue, buffer, &zero, sizeof(zero), 0, kBytes, 0, NULL, NULL);
  }
  if (!strcmp(how, "column")) {  // rows of 64 bytes, of which the last 4 are left
    const size_t origin[3] = {0, 0, 0}, region[3] = {60, 16, 1};
    clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, origin, origin, region, 64, 0, 64, 0, host, 0, NULL, NULL);
  }
  if (!strcmp(how, "mapped")) {
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, kBytes, 0, NULL, NULL, NULL);
    memcpy(mapped, host, kBytes);
    clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  }
  if (!strcmp(how, "parts"))
    for (size_t half = 0; half < 2; ++half) {
      const cl_buffer_region region = {half * kBytes / 2, kBytes / 2};
      cl_mem part = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
      write_part(part, 0, kBytes / 2);
      clReleaseMemObject(part);
    }
  if (!strcmp(how, "from_buffer")) clEnqueueCopyBuffer(queue, other, buffer, 0, 0, kBytes, 0, NULL, NULL);
  if (!strcmp(how, "by_kernel")) run(buffer, other);
  if (!strcmp(how, "after_free")) {  // a buffer that was written, in the place of which there is one that was not
    write_part(buffer, 0, kBytes);
    run(other, buffer);
    clReleaseMemObject(buffer);
    buffer = make(CL_MEM_READ_WRITE, NULL);
  }
  return buffer;
}

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "nothing";
  cl_platform_id platform;
  cl_device_id device;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  copy = clCreateKernel(program, "copy", NULL);
  bytes = clCreateKernel(program, "bytes", NULL);
  for (int i = 0; i < kBytes; ++i) host[i] = (char)(i * 37);
  cl_mem other = make(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, host), to = make(CL_MEM_READ_WRITE, NULL);
  if (!strncmp(how, "svm", 3)) {
    with_svm(to, !strcmp(how, "svm_written"));
  } else if (!strncmp(how, "bytes", 5)) {
    cl_mem from = make(CL_MEM_READ_WRITE, NULL);
    write_part(from, 0, 701);
    cl_mem wide = clCreateBuffer(context, CL_MEM_WRITE_ONLY, 4 * kBytes, NULL, NULL);
    run_bytes(wide, from, atoi(how + 5));
    clReleaseMemObject(wide);
    clReleaseMemObject(from);
  } else {
    cl_mem from = prepared(how, other);
    run(to, from);
    if (!strcmp(how, "written")) run(from, to);  // there and back
    if (strcmp(how, "left")) clReleaseMemObject(from);
  }
  clReleaseMemObject(other);
  clReleaseMemObject(to);
  return 0;
}
