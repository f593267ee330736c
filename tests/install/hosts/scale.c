// A program of the system that the tools are tried on: one OpenCL kernel, whose result it checks itself.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { kCount = 4096 };
static const char* const kSource =
    "kernel void scale(global const float *in, global float *out) {\n"
    "  local float tile[64];\n"
    "  int i = get_global_id(0), l = get_local_id(0);\n"
    "  tile[l] = in[i];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[i] = sqrt(tile[63 - l]) + pow(2.0f, (float)(l & 3));\n"
    "}\n";

int main(void) {
  static float in[kCount], out[kCount];
  for (int i = 0; i < kCount; ++i) in[i] = (float)(i % 64) * (float)(i % 64);
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) return 1;
  const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  const cl_mem from = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in, &status);
  const cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, &status);
  const char* source = kSource;
  const cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return 2;
  const cl_kernel kernel = clCreateKernel(program, "scale", &status);
  clSetKernelArg(kernel, 0, sizeof from, &from);
  clSetKernelArg(kernel, 1, sizeof to, &to);
  const size_t global = kCount, group = 64;
  if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL) != CL_SUCCESS) return 3;
  if (clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL) != CL_SUCCESS) return 4;
  for (int i = 0; i < kCount; ++i) {
    const float difference = out[i] - ((float)(63 - i % 64) + (float)(1 << (i & 3)));
    if (difference > 1e-4f || difference < -1e-4f) return 5;
  }
  puts("right");
  return 0;
}
