// An ordinary OpenCL program: the sums of the rows and of the columns of a matrix. Nothing in it knows about Warpscope.
//   cc sums.c -o sums -lOpenCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { kSize = 512 };

static const char* kSource =
    "kernel void row_sums(global const float* matrix, global float* sums, uint size) {\n"
    "  const uint row = get_global_id(0);\n"
    "  float sum = 0;\n"
    "  for (uint i = 0; i < size; ++i) sum += matrix[row * size + i];\n"
    "  sums[row] = sum;\n"
    "}\n"
    "kernel void column_sums(global const float* matrix, global float* sums, uint size) {\n"
    "  const uint column = get_global_id(0);\n"
    "  float sum = 0;\n"
    "  for (uint i = 0; i < size; ++i) sum += matrix[i * size + column];\n"
    "  sums[column] = sum;\n"
    "}\n";

int main(void) {
  static float matrix[kSize * kSize], sums[kSize];
  for (int i = 0; i < kSize * kSize; ++i) matrix[i] = (float)(i % 7);

  cl_platform_id platform;
  cl_device_id device;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, &kSource, NULL, NULL);
  clBuildProgram(program, 1, &device, "", NULL, NULL);

  cl_mem input = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof matrix, matrix, NULL);
  cl_mem output = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof sums, NULL, NULL);
  const char* names[] = {"row_sums", "column_sums"};
  for (int i = 0; i < 2; ++i) {
    cl_kernel kernel = clCreateKernel(program, names[i], NULL);
    const cl_uint size = kSize;
    clSetKernelArg(kernel, 0, sizeof input, &input);
    clSetKernelArg(kernel, 1, sizeof output, &output);
    clSetKernelArg(kernel, 2, sizeof size, &size);
    const size_t global = kSize, local = 128;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (clEnqueueReadBuffer(queue, output, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL) != CL_SUCCESS)
      return 1;
    printf("%s: the first is %g\n", names[i], sums[0]);
    clReleaseKernel(kernel);
  }
  clReleaseMemObject(output);
  clReleaseMemObject(input);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
