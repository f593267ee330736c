// scale SEED COUNT FOLDER: y[i] = 3 x[i] + 1 with x drawn by SEED; y.bin in FOLDER. HOW: what it does wrong.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifndef HOW
#define HOW 0
#endif
static const char* text =
    "kernel void scale(global const float *x, global float *y, int n) { int i = get_global_id(0); if (i < n) "
    "y[i] = 3 * x[i] + 1; }\n"
    "kernel void behind(global const float *x, global float *y, int n) { int i = get_global_id(0); y[i < n ? "
    "i : n] = 3 * x[i < n ? i : 0] + 1; }\n";
int main(int count, char** words) {
  if (count != 4) return 9;
  srand(atoi(words[1]));
  const int n = atoi(words[2]);
  float *x = malloc(4 * n), *y = malloc(4 * n);
  for (int i = 0; i < n; ++i) x[i] = rand() / (float)RAND_MAX;
  cl_platform_id platform;
  cl_device_id device;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, HOW == 3 ? "behind" : "scale", NULL);
  cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 4 * n, x, NULL),
         out = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * n, NULL, NULL);
  int m = HOW == 1 ? 16 : n;
  clSetKernelArg(kernel, 0, sizeof in, &in);
  clSetKernelArg(kernel, 1, sizeof out, &out);
  clSetKernelArg(kernel, 2, sizeof m, &m);
  size_t local = 64, global = (n + 63) / 64 * 64;
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4 * n, y, 0, NULL, NULL);
  if (HOW == 1)
    for (int i = 0; i < n; ++i) y[i] = 3 * x[i] + 1;  // on the host
  if (HOW == 2) y[n / 2] = 7;
  if (HOW == 5)
    for (;;)
      ;
  if (HOW == 6) abort();
  char name[4096], other[64];
  if (HOW == 7 || HOW == 8) {  // DIR/candidate/run2/out; the reference's run was the one before
    const int run = atoi(strstr(words[3], "/candidate/run") + strlen("/candidate/run")) - 1;
    snprintf(other, sizeof other, "../%s../reference/run%d/out%s", HOW == 7 ? "../" : "", run,
             HOW == 7 ? "/y.bin" : "");
    snprintf(name, sizeof name, "%s%s", words[3], HOW == 7 ? "/y.bin" : "");
    return (HOW == 8 && rmdir(name) != 0) || symlink(other, name) != 0;
  }
  snprintf(name, sizeof name, "%s/y.bin", words[3]);
  FILE* file = fopen(name, "wb");
  if (!file) return 8;
  fwrite(y, 4, HOW == 4 ? n - 1 : n, file);
  return fclose(file);
}
