// prepared SEED COUNT FOLDER: y[i] = x[0] x[1] + … + x[i-1] x[i] with x drawn by SEED; y.bin in FOLDER. HOW: what the host does for it.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum {
  RIGHT,
  COPY,
  LATE,
  MAPPED,
  XOR,
  SUM,
  REVERSED,
  DOUBLES,
  HALVES,
  SHUFFLED,
  ONE_BY_ONE,
  TABLE,
  INPUT_REVERSED,
  INPUT_DOUBLES,
  ROUND_TRIP,
  ELSEWHERE
};
#ifndef HOW
#define HOW RIGHT
#endif
static const char* text =
    "kernel void right(global const float *x, global float *y, global const float *table, int n) { int i = "
    "get_global_id(0); float s = 0;"
    "  for (int k = 1; k <= i && k < n; ++k) s += x[k - 1] * x[k] * table[k % 16]; if (i < n) y[i] = s; }\n"
    "kernel void back(global const float *x, global float *y, global const float *table, int n) { int i = "
    "get_global_id(0); float s = 0;"
    "  for (int k = 1; k <= i && k < n; ++k) s += x[n - k] * x[n - 1 - k]; if (i < n) y[i] = s; }\n"
    "kernel void wide(global const double *x, global float *y, global const float *table, int n) { int i = "
    "get_global_id(0); float s = 0;"
    "  for (int k = 1; k <= i && k < n; ++k) s += x[k - 1] * x[k]; if (i < n) y[i] = s; }\n"
    "kernel void copy(global const uint *x, global uint *y, global const float *table, int n) { int i = "
    "get_global_id(0); if (i < n) y[i] = x[i]; }\n"
    "kernel void other(global const uint *x, global uint *y, global const float *table, int n) { int i = "
    "get_global_id(0); if (i < n) y[i] = x[i] ^ 0x5a5a1234; }\n"
    "kernel void less(global const uint *x, global uint *y, global const float *table, int n) { int i = "
    "get_global_id(0); if (i < n) y[i] = x[i] - 12345; }\n"
    "kernel void turn(global const uint *x, global uint *y, global const float *table, int n) { int i = "
    "get_global_id(0); if (i < n) y[i] = x[n - 1 - i]; }\n"
    "kernel void narrow(global const double *x, global float *y, global const float *table, int n) { int i = "
    "get_global_id(0); if (i < n) y[i] = x[i]; }\n"
    "kernel void join(global const ushort *x, global uint *y, global const float *table, int n) { int i = "
    "get_global_id(0); if (i < n) y[i] = x[i] | x[n + i] << 16; }\n"
    "kernel void sort(global const uint *x, global uint *y, global const float *table, int n) { int i = "
    "get_global_id(0); if (i < n) y[i * 37 % n] = x[i]; }\n"
    "kernel void set(float x, global float *y, global const float *table, int at) { if (get_global_id(0) == "
    "0) y[at] = x; }\n";
static const char* names[] = {"right", "copy", "copy", "copy",  "other", "less", "turn",  "narrow",
                              "join",  "sort", "set",  "right", "back",  "wide", "right", "copy"};

int main(int count, char** words) {
  if (count != 4) return 9;
  srand(atoi(words[1]));
  const int n = atoi(words[2]) & 0xffff;
  float *x = malloc(4 * n), *y = malloc(4 * n), table[16];
  for (int i = 0; i < n; ++i) x[i] = rand() / (float)RAND_MAX;
  for (int i = 0; i < 16; ++i) table[i] = 1;
  float sum = 0;
  for (int i = 0; i < n; ++i) y[i] = sum += i ? x[i - 1] * x[i] : 0;
  // What the kernel gets instead of x.
  static unsigned char given[8 << 16];
  for (int i = 0; i < n; ++i) {
    unsigned bits;
    memcpy(&bits, y + i, 4);
    if (HOW == XOR) bits ^= 0x5a5a1234;
    if (HOW == SUM) bits += 12345;
    const double wide = HOW == DOUBLES ? y[i] : x[i];
    const unsigned short low = bits, high = bits >> 16;
    const int at = HOW == REVERSED ? n - 1 - i : i;
    if (HOW == DOUBLES || HOW == INPUT_DOUBLES)
      memcpy(given + 8 * i, &wide, 8);
    else if (HOW == HALVES)
      memcpy(given + 2 * i, &low, 2), memcpy(given + 2 * (n + i), &high, 2);
    else if (HOW == SHUFFLED)
      memcpy(given + 4 * i, y + i * 37 % n, 4);
    else if (HOW == INPUT_REVERSED)
      memcpy(given + 4 * (n - 1 - i), x + i, 4);
    else
      memcpy(given + 4 * at,
             HOW == RIGHT || HOW == TABLE || HOW == ROUND_TRIP || HOW == ELSEWHERE ? (void*)(x + i) : &bits,
             4);
  }
  cl_platform_id platform;
  cl_device_id device;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, names[HOW], NULL);
  cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY, 8 * n, NULL, NULL),
         out = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * n, NULL, NULL),
         constants =
             clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof table, table, NULL);
  size_t local = 64, global = (n + 63) / 64 * 64;
  if (HOW == LATE) {  // another launch comes first
    cl_kernel first = clCreateKernel(program, "right", NULL);
    clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, 4 * n, x, 0, NULL, NULL);
    clSetKernelArg(first, 0, sizeof in, &in);
    clSetKernelArg(first, 1, sizeof out, &out);
    clSetKernelArg(first, 2, sizeof constants, &constants);
    const int one = 1;
    clSetKernelArg(first, 3, sizeof one, &one);
    clEnqueueNDRangeKernel(queue, first, 1, NULL, &global, &local, 0, NULL, NULL);
    clFinish(queue);
  }
  if (HOW == MAPPED) {
    void* mapped = clEnqueueMapBuffer(queue, in, CL_TRUE, CL_MAP_WRITE, 0, 8 * n, 0, NULL, NULL, NULL);
    memcpy(mapped, given, 8 * n);
    clEnqueueUnmapMemObject(queue, in, mapped, 0, NULL, NULL);
  } else {
    clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, 8 * n, given, 0, NULL, NULL);
  }
  clSetKernelArg(kernel, 0, sizeof in, &in);
  clSetKernelArg(kernel, 1, sizeof out, &out);
  clSetKernelArg(kernel, 2, sizeof constants, &constants);
  for (int at = 0; at < (HOW == ONE_BY_ONE ? n : 1); ++at) {
    if (HOW == ONE_BY_ONE) clSetKernelArg(kernel, 0, 4, y + at);
    clSetKernelArg(kernel, 3, sizeof at, HOW == ONE_BY_ONE ? &at : &n);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
  }
  clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4 * n, y, 0, NULL, NULL);
  if (HOW == ROUND_TRIP) {  // a second kernel gets what the first one has left
    clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, 4 * n, x, 0, NULL, NULL);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4 * n, y, 0, NULL, NULL);
  }
  for (int i = HOW == ELSEWHERE ? 1 : n; i < n; ++i) y[i] = (i > 1 ? y[i - 1] : 0) + x[i - 1] * x[i];
  if (HOW == ELSEWHERE) y[0] = 0;
  char name[4096];
  snprintf(name, sizeof name, "%s/y.bin", words[3]);
  FILE* file = fopen(name, "wb");
  if (!file) return 8;
  fwrite(y, 4, n, file);
  return fclose(file);
}
