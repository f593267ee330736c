// The driver API together with kernels of the program: memory as numbers, launches by handle, and what it refuses.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <vector>

#if CUDA_VERSION < 13000
#define PARAMETERS
#else
#define PARAMETERS nullptr,  // of a context
#endif

__global__ void saxpy(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

int failures = 0;
void expect(const char* what, CUresult got, CUresult wanted = CUDA_SUCCESS) {
  if (got == wanted) return;
  const char* name = "?";
  cuGetErrorName(got, &name);
  std::printf("%s: %s (%d) instead of %d\n", what, name, got, wanted);
  ++failures;
}
void expect_true(const char* what, bool holds) {
  if (!holds) std::printf("%s: does not hold\n", what), ++failures;
}

constexpr int kCount = 1000;

void test_device() {
  int count = 0, warp = 0, major = 0, minor = 0;
  CUdevice device = 7;
  char name[8];
  size_t bytes = 0;
  expect("before cuInit", cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  expect("flags", cuInit(1), CUDA_ERROR_INVALID_VALUE);
  expect("init", cuInit(0));
  expect("count", cuDeviceGetCount(&count));
  expect("device", cuDeviceGet(&device, 0));
  expect("no device", cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  expect("name", cuDeviceGetName(name, sizeof(name), device));
  expect("memory", cuDeviceTotalMem(&bytes, device));
  expect("warp", cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
  expect("capability", cuDeviceComputeCapability(&major, &minor, device));
  expect_true("H100",
              count == 1 && warp == 32 && major == 9 && minor == 0 && bytes > 0 && std::strlen(name) == 7);
}

void test_contexts() {
  CUcontext one, two, now;
  CUdevice device;
  expect("device without a context", cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
  expect("create", cuCtxCreate(&one, PARAMETERS 0, 0));
  expect("create", cuCtxCreate(&two, PARAMETERS CU_CTX_SCHED_SPIN, 0));
  expect("current", cuCtxGetCurrent(&now));
  expect_true("the last one", now == two);
  expect("destroy", cuCtxDestroy(two));
  expect("destroy again", cuCtxDestroy(two), CUDA_ERROR_INVALID_CONTEXT);
  expect("set", cuCtxSetCurrent(two), CUDA_ERROR_INVALID_CONTEXT);
  expect("set", cuCtxSetCurrent(one));
  expect("device", cuCtxGetDevice(&device));
}

void test_work() {
  CUdeviceptr x, y;
  CUstream stream;
  CUevent start, end;
  CUfunction function;
  const size_t bytes = kCount * sizeof(float);
  std::vector<float> host(kCount);
  for (int i = 0; i < kCount; ++i) host[i] = i;
  expect("alloc", cuMemAlloc(&x, bytes));
  expect("alloc", cuMemAlloc(&y, bytes));
  expect("alloc nothing", cuMemAlloc(&y, 0), CUDA_ERROR_INVALID_VALUE);
  expect("stream", cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  expect("event", cuEventCreate(&start, 0));
  expect("event", cuEventCreate(&end, 0));
  expect("copy", cuMemcpyHtoDAsync(x, host.data(), bytes, stream));
  expect("set", cuMemsetD32(y, 0x3f800000, kCount));  // 1.0f
  expect("beyond the end", cuMemsetD8(y, 0, bytes + 1), CUDA_ERROR_INVALID_VALUE);
  expect("function",
         static_cast<CUresult>(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(saxpy))));
  float a = 2;
  int n = kCount, threads = 0;
  void* arguments[] = {&y, &x, &a, &n};
  expect("record", cuEventRecord(start, stream));
  expect("launch", cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
  expect("record", cuEventRecord(end, stream));
  expect("too many threads", cuLaunchKernel(function, 8, 1, 1, 2048, 1, 1, 0, stream, arguments, nullptr),
         CUDA_ERROR_INVALID_VALUE);
  expect(
      "no function",
      cuLaunchKernel(reinterpret_cast<CUfunction>(&threads), 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr),
      CUDA_ERROR_INVALID_HANDLE);
  expect("attribute", cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
  expect("wait", cuStreamSynchronize(stream));
  float time = -1;
  expect("time", cuEventElapsedTime(&time, start, end));
  expect("copy", cuMemcpyDtoH(host.data(), y, bytes));
  bool right = time >= 0 && threads == 1024;
  for (int i = 0; i < kCount; ++i) right = right && host[i] == 1 + 2.0f * i;
  expect_true("y = 1 + 2 x", right);
  expect("free", cuMemFree(x));
  expect("free again", cuMemFree(x), CUDA_ERROR_INVALID_VALUE);
  expect_true("the runtime has no error", cudaGetLastError() == cudaSuccess);
}

int main(int count, char**) {
  test_device();
  test_contexts();
  test_work();
  CUmodule module;
  if (count > 1) expect("module", cuModuleLoad(&module, "kernels.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  const char* text = nullptr;
  expect("text", cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  std::printf("%s, %s\n", failures == 0 ? "ok" : "failed", text);
}
