// Prints what the GPU and its driver are, as one line of JSON; changes nothing. With any argument it also runs a kernel,
// so that a profiler has something to look at.
#include <cuda_runtime.h>

#include <cstdio>

static int attribute(cudaDeviceAttr which) {
  int value = 0;
  cudaDeviceGetAttribute(&value, which, 0);
  return value;
}

__global__ void nothing() {}

static int refuse(cudaError_t status, int driver, int runtime) {
  if (driver == 0)
    std::fprintf(stderr, "no GPU: no NVIDIA driver is loaded\n");
  else if (driver / 1000 < runtime / 1000)
    std::fprintf(stderr, "no GPU that this program can use: the driver knows CUDA %d.%d, nvcc is of %d.%d; a newer driver, or --nvcc "
                 "with an older toolkit\n", driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
  else
    std::fprintf(stderr, "no GPU: %s\n", status == cudaSuccess ? "none found" : cudaGetErrorString(status));
  return 1;
}

int main(int count, char**) {
  int devices = 0, driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) return refuse(status, driver, runtime);
  if (count > 1) {
    nothing<<<1, 32>>>();
    const cudaError_t ran = cudaDeviceSynchronize();
    if (ran != cudaSuccess) {
      std::fprintf(stderr, "error: a kernel does not run: %s\n", cudaGetErrorString(ran));
      return 1;
    }
  }
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  char bus[32] = "";
  cudaDeviceGetPCIBusId(bus, sizeof bus, 0);
  std::printf("{\"name\": \"%s\", \"pci_bus\": \"%s\", \"compute_capability\": \"%d.%d\", \"cores\": %d, \"shared_per_core_bytes\": %zu, "
              "\"l2_bytes\": %d, \"memory_bytes\": %zu, \"driver_supports_cuda\": \"%d.%d\", \"runtime\": \"%d.%d\", "
              "\"max_clock_khz\": %d, \"max_memory_clock_khz\": %d, \"global_l1_cache\": %d}\n",
              properties.name, bus, properties.major, properties.minor, properties.multiProcessorCount,
              properties.sharedMemPerMultiprocessor, properties.l2CacheSize, properties.totalGlobalMem, driver / 1000,
              driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10, attribute(cudaDevAttrClockRate),
              attribute(cudaDevAttrMemoryClockRate), attribute(cudaDevAttrGlobalL1CacheSupported));
  return 0;
}
