// What nvcc's headers bring without being asked, and headers of which a program may use one name.
#include <cooperative_groups.h>
#include <cuda_fp8.h>
#include <cufft.h>
#include <nvml.h>

#include <cmath>
#include <cstdio>

namespace cg = cooperative_groups;

static int wrong = 0;
static void expect(const char* what, double got, double expected) {
  if (got == expected || (got != got && expected != expected)) return;
  ++wrong;
  std::printf("%s: %g, expected %g\n", what, got, expected);
}

__global__ void rank(int* out, float* fp8) {
  __shared__ cg::block_tile_memory<64> room;
  auto block = cg::this_thread_block(room);
  auto tile = cg::tiled_partition<32>(block);
  out[block.thread_rank()] = tile.meta_group_rank() * 100 + tile.thread_rank();
  fp8[block.thread_rank()] = (float)__nv_fp8_e4m3(0.3f * threadIdx.x);
}

/// OCP 8-bit Floating Point Specification: sign, exponent, fraction, by hand.
static void fp8() {
  for (int code = 0; code < 256; ++code) {
    const int e = code >> 3 & 15, f = code & 7, e5 = code >> 2 & 31, f2 = code & 3;
    const double sign = code & 128 ? -1 : 1;
    const double e4m3 = (code & 127) == 127 ? NAN : sign * (e == 0 ? std::ldexp(f, -9) : std::ldexp(8 + f, e - 10));
    const double e5m2 = e5 == 31 ? (f2 == 0 ? sign * INFINITY : NAN) : sign * (e5 == 0 ? std::ldexp(f2, -16) : std::ldexp(4 + f2, e5 - 17));
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;
    a.__x = b.__x = (__nv_fp8_storage_t)code;
    expect("E4M3", (float)a, e4m3), expect("E5M2", (float)b, e5m2);
    if (e4m3 == e4m3) expect("to E4M3", __nv_fp8_e4m3((float)e4m3).__x, code);
    if (std::isfinite(e5m2)) expect("to E5M2", __nv_fp8_e5m2((float)e5m2).__x, code);
  }
  expect("largest", (float)__nv_fp8_e4m3(1e9f), 448), expect("largest", (float)__nv_fp8_e5m2(-1e9), -57344);
  // 17 is between 16 and 18, and 16 has the even fraction; 19 is between 18 and 20.
  expect("to even", (float)__nv_fp8_e4m3(17.0f), 16), expect("to even", (float)__nv_fp8_e4m3(19.0f), 20);
  expect("beyond", __nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E5M2), 0x7c);
}

static void nvml() {
  nvmlDevice_t device;
  nvmlMemory_t memory;
  cudaDeviceProp properties;
  unsigned count = 0, power = 0;
  char name[NVML_DEVICE_NAME_BUFFER_SIZE];
  int major = 0, minor = 0;
  cudaGetDeviceProperties(&properties, 0);
  expect("init", nvmlInit(), NVML_SUCCESS), expect("count", nvmlDeviceGetCount(&count), NVML_SUCCESS), expect("one", count, 1);
  expect("device", nvmlDeviceGetHandleByIndex(0, &device), NVML_SUCCESS), expect("device 1", nvmlDeviceGetHandleByIndex(1, &device), NVML_ERROR_INVALID_ARGUMENT);
  expect("name", nvmlDeviceGetName(device, name, sizeof(name)), NVML_SUCCESS), expect("name", strcmp(name, properties.name), 0);
  expect("no room", nvmlDeviceGetName(device, name, 2), NVML_ERROR_INSUFFICIENT_SIZE);
  expect("memory", nvmlDeviceGetMemoryInfo(device, &memory), NVML_SUCCESS), expect("memory", memory.total, properties.totalGlobalMem);
  expect("capability", nvmlDeviceGetCudaComputeCapability(device, &major, &minor), NVML_SUCCESS), expect("9.0", 10 * major + minor, 90);
  expect("power", nvmlDeviceGetPowerUsage(device, &power), NVML_ERROR_NOT_SUPPORTED), expect("end", nvmlShutdown(), NVML_SUCCESS);
  nvmlPciInfo_t pci;
  char id[32];
  expect("pci", nvmlDeviceGetPciInfo(device, &pci), NVML_SUCCESS), expect("bus", pci.bus, properties.pciBusID);
  expect("id", cudaDeviceGetPCIBusId(id, sizeof(id), 0), cudaSuccess), expect("id", strcmp(id, pci.busIdLegacy), 0);
}

// One pair of clocks: what is listed can be set, and nothing else.
static void clocks() {
  nvmlDevice_t device;
  unsigned memory = 0, core = 0, none = 0, one = 1, now = 0;
  nvmlEnableState_t restricted = NVML_FEATURE_ENABLED;
  nvmlDeviceGetHandleByIndex(0, &device);
  expect("no room", nvmlDeviceGetSupportedMemoryClocks(device, &none, nullptr), NVML_ERROR_INSUFFICIENT_SIZE), expect("wanted", none, 1);
  expect("memory", nvmlDeviceGetSupportedMemoryClocks(device, &one, &memory), NVML_SUCCESS);
  expect("core", nvmlDeviceGetSupportedGraphicsClocks(device, memory, &one, &core), NVML_SUCCESS);
  expect("other", nvmlDeviceGetSupportedGraphicsClocks(device, memory + 1, &one, &core), NVML_ERROR_NOT_FOUND);
  expect("set", nvmlDeviceSetApplicationsClocks(device, memory, core), NVML_SUCCESS);
  expect("set other", nvmlDeviceSetApplicationsClocks(device, memory, core + 1), NVML_ERROR_INVALID_ARGUMENT);
  expect("now", nvmlDeviceGetApplicationsClock(device, NVML_CLOCK_SM, &now), NVML_SUCCESS), expect("now", now, core), expect("known", core > 0, true);
  expect("right", nvmlDeviceGetAPIRestriction(device, NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS, &restricted), NVML_SUCCESS);
  expect("everybody", restricted, NVML_FEATURE_DISABLED), expect("reset", nvmlDeviceResetApplicationsClocks(device), NVML_SUCCESS);
}

int main() {
  const clock_t begin = clock();
  srand(static_cast<unsigned>(time(nullptr)));
  const __half half = __float2half(2.5f), most = half > __half(0.0f) ? -half : half;
  expect("unary minus", __half2float(most), -2.5);
  expect("names of cuFFT", CUFFT_MISSING_DEPENDENCY, 17);
  int* out;
  float* numbers;
  cudaMallocManaged(&out, 64 * sizeof(int)), cudaMallocManaged(&numbers, 64 * sizeof(float));
  rank<<<1, 64>>>(out, numbers);
  expect("launch", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < 64; ++i) expect("rank", out[i], i / 32 * 100 + i % 32), expect("on the device", numbers[i], (float)__nv_fp8_e4m3(0.3f * i));
  fp8(), nvml(), clocks();
  expect("time goes on", clock() >= begin, true);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
