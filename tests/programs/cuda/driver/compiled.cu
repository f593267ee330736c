// Compiles a kernel at run time by NVRTC, as machine code and as PTX, and launches it by the driver API. Prints how many results are wrong.
#include <cuda.h>
#include <nvrtc.h>
#include <cstdio>
#include <string>
#include <vector>

static const char *const source = R"(template <class T> __device__ T twice(T x) { return x + x; }
extern "C" __global__ void scale(float *x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = twice(x[i]) * by;
}
)";

static std::string compile(bool as_ptx) {
  nvrtcProgram program;
  const char *options[] = {as_ptx ? "--gpu-architecture=compute_80" : "--gpu-architecture=sm_90", "-lineinfo"};
  if (nvrtcCreateProgram(&program, source, "scale.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS || nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS)
    return "";
  std::size_t size = 0;
  as_ptx ? nvrtcGetPTXSize(program, &size) : nvrtcGetCUBINSize(program, &size);
  std::string code(size, '\0');
  as_ptx ? nvrtcGetPTX(program, &code[0]) : nvrtcGetCUBIN(program, &code[0]);
  nvrtcDestroyProgram(&program);
  return code;
}

int main() {
  const int n = 1000;
  int wrong = 0;
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction scale;
  CUdeviceptr x;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  cuMemAlloc(&x, n * sizeof(float));
  for (bool as_ptx : {false, true}) {
    std::vector<float> values(n);
    for (int i = 0; i < n; ++i) values[i] = i;
    float by = 0.5f + as_ptx;
    int count = n;
    const std::string code = compile(as_ptx);
    if (code.empty() || cuModuleLoadData(&module, code.data()) != CUDA_SUCCESS || cuModuleGetFunction(&scale, module, "scale") != CUDA_SUCCESS) {
      std::printf("not compiled\n");
      return 1;
    }
    cuMemcpyHtoD(x, values.data(), n * sizeof(float));
    void *arguments[] = {&x, &by, &count};
    cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr);
    cuMemcpyDtoH(values.data(), x, n * sizeof(float));
    for (int i = 0; i < n; ++i) wrong += values[i] != 2.0f * i * by;
    cuModuleUnload(module);
  }
  std::printf("%d wrong\n", wrong);
  return 0;
}
