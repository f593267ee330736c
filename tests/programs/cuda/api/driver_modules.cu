// Functions of the driver API that driver.cu does not call: modules, what is asked of memory, contexts and functions, and launches. The program's
// argument: a cubin with the kernels of tests/unit/machine/data/saxpy.cu.
#include <cuda.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "check.h"

const auto kInvalid = CUDA_ERROR_INVALID_VALUE;
const auto kNoHandle = CUDA_ERROR_INVALID_HANDLE;
const auto kNotFound = CUDA_ERROR_NOT_FOUND;

static std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

static void contexts() {
  unsigned flags = 9, version = 0;
  int active = 0, can = 1, config = -1;
  size_t limit = 0;
  char text[20] = {};
  CUdevice device = -1;
  CUcontext primary = nullptr, same = nullptr, own = nullptr;
  status("attach to none", cuCtxAttach(&same, 0), CUDA_ERROR_INVALID_CONTEXT), status("flags of none", cuCtxGetFlags(&flags), CUDA_ERROR_INVALID_CONTEXT);
  status("flags", cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN)), status("flags of device 1", cuDevicePrimaryCtxSetFlags(1, 0), CUDA_ERROR_INVALID_DEVICE);
  status("state", cuDevicePrimaryCtxGetState(0, &flags, &active)), expect("it is active", active == 1), status("state into null", cuDevicePrimaryCtxGetState(0, &flags, nullptr), kInvalid);
  status("primary", cuDevicePrimaryCtxRetain(&primary, 0)), status("push", cuCtxPushCurrent(primary)), status("attach", cuCtxAttach(&same, 0)), expect("the same", same == primary);
  status("context", cuCtxCreate(&own, CU_CTX_SCHED_YIELD, 0)), status("flags", cuCtxGetFlags(&flags)), expect("as created", flags == CU_CTX_SCHED_YIELD);
  status("version", cuCtxGetApiVersion(own, &version)), expect("3020", version == 3020), status("detach", cuCtxDetach(own)), status("version of none", cuCtxGetApiVersion(own, &version), CUDA_ERROR_INVALID_CONTEXT);
  status("peer", cuDeviceCanAccessPeer(&can, 0, 0)), expect("not itself", can == 0), status("peer of device 1", cuDeviceCanAccessPeer(&can, 1, 0), CUDA_ERROR_INVALID_DEVICE);
  status("bus", cuDeviceGetPCIBusId(text, 20, 0)), status("device", cuDeviceGetByPCIBusId(&device, text)), expect("0", device == 0), status("bus into little", cuDeviceGetPCIBusId(text, 3, 0), kInvalid);
  status("no bus", cuDeviceGetByPCIBusId(&device, "1234:56:78.9"), CUDA_ERROR_INVALID_DEVICE);
  status("stack", cuCtxSetLimit(0, 4096)), status("stack", cuCtxGetLimit(&limit, 0)), expect("4096", limit == 4096), status("no limit", cuCtxGetLimit(&limit, 99), CUDA_ERROR_UNSUPPORTED_LIMIT);
  status("cache", cuCtxSetCacheConfig(1)), status("cache", cuCtxGetCacheConfig(&config)), expect("a preference", config >= 0 && config <= 3), status("cache into null", cuCtxGetCacheConfig(nullptr), kInvalid);
  status("profiler", cuProfilerStart()), status("profiler", cuProfilerStop()), status("reset of device 1", cuDevicePrimaryCtxReset(1), CUDA_ERROR_INVALID_DEVICE);
  const void* table = text;
  const CUuuid which = {};
  status("table", cuGetExportTable(&table, &which), kNotFound), expect("no table", table == nullptr), status("table into null", cuGetExportTable(nullptr, &which), kInvalid);
  void* function = nullptr;
  int found = 9;
  status("address", cuGetProcAddress("cuInit", &function, 12000, 0)), expect("of cuInit", function == reinterpret_cast<void*>(&cuInit));
  status("no address", cuGetProcAddress_v2("cuNo", &function, 12000, 0, &found), kNotFound), expect("not found", found == 1 && function == nullptr);
}

static void called_back(CUstream, CUresult result, void* data) {
  *static_cast<int*>(data) += result == CUDA_SUCCESS;
}

static void memory() {
  int host[4] = {1, 2, 3, 4}, calls = 0, back[4] = {};
  CUdeviceptr device = 0, base = 0, mapped = 0;
  size_t bytes = 0;
  unsigned flags = 9, type = 0;
  bool is_managed = true;
  status("register", cuMemHostRegister(host, sizeof(host), CU_MEMHOSTALLOC_DEVICEMAP)), status("register again", cuMemHostRegister(host, sizeof(host), 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  status("mapped", cuMemHostGetDevicePointer(&mapped, host, 0)), expect("the same", mapped == reinterpret_cast<CUdeviceptr>(&host[0])), status("flags of the program's own", cuMemHostGetFlags(&flags, host), kInvalid);
  status("unregister", cuMemHostUnregister(host)), status("mapped no more", cuMemHostGetDevicePointer(&mapped, host, 0), kInvalid), status("unregister again", cuMemHostUnregister(host), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  void* pinned = nullptr;
  status("pinned", cuMemHostAlloc(&pinned, 16, CU_MEMHOSTALLOC_PORTABLE)), status("flags", cuMemHostGetFlags(&flags, pinned)), expect("as given", (flags & CU_MEMHOSTALLOC_PORTABLE) != 0), status("free", cuMemFreeHost(pinned));
  status("memory", cuMemAlloc(&device, 16)), status("range", cuMemGetAddressRange(&base, &bytes, device + 5)), expect("all of it", base == device && bytes == 16), status("no range", cuMemGetAddressRange(&base, &bytes, 8), kInvalid);
  status("type", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device)), expect("of the device", type == CU_MEMORYTYPE_DEVICE);
  status("managed", cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, device)), expect("it is not", !is_managed), status("of none", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 8), kInvalid);
  status("set", cuMemsetD32Async(device, 7, 4, nullptr)), status("set", cuMemsetD16Async(device, 1, 2, nullptr)), status("set", cuMemsetD8Async(device + 8, 2, 4, nullptr));
  status("back", cuMemcpyDtoH(back, device, 16)), expect("as set", back[0] == 0x10001 && back[1] == 7 && back[2] == 0x02020202 && back[3] == 7), status("set too much", cuMemsetD32Async(device, 7, 5, nullptr), kInvalid);
  status("callback", cuStreamAddCallback(nullptr, called_back, &calls, 0)), status("wait", cuCtxSynchronize()), expect("called", calls == 1), status("no callback", cuStreamAddCallback(nullptr, nullptr, nullptr, 0), kInvalid);
  status("free", cuMemFree(device));
}

static void functions(CUmodule module) {
  CUfunction spill = nullptr;
  const char* name = nullptr;
  int blocks = 0, grid = 0, size = 0;
  CUdeviceptr values = 0, counter = 0;
  size_t bytes = 0;
  status("kernel", cuModuleGetFunction(&spill, module, "spill")), status("no kernel", cuModuleGetFunction(&spill, module, "spil"), kNotFound);
  status("name", cuFuncGetName(&name, spill)), expect("spill", name != nullptr && std::strcmp(name, "spill") == 0), status("name of none", cuFuncGetName(&name, nullptr), kNoHandle);
  status("cache", cuFuncSetCacheConfig(spill, 1)), status("no cache", cuFuncSetCacheConfig(spill, 9), kInvalid), status("banks", cuFuncSetSharedMemConfig(spill, 2)), status("no banks", cuFuncSetSharedMemConfig(spill, 9), kInvalid);
  status("occupancy", cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, spill, 32, 0, 0)), expect("32 of an H100", blocks == 32);
  // By hand: 64 registers and less allow at least 1,024 threads of 65,536 registers, and an H100 has 132 cores.
  status("block size", cuOccupancyMaxPotentialBlockSize(&grid, &size, spill, nullptr, 0, 256)), expect("256", size == 256 && grid % 132 == 0 && grid >= 132);
  status("block size", cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &size, spill, nullptr, 0, 0, 0)), expect("fills a core", grid / 132 * size >= 1024), status("into null", cuOccupancyMaxPotentialBlockSize(nullptr, &size, spill, nullptr, 0, 0), kInvalid);
  status("memory", cuMemAlloc(&values, 24 * 32 * 8)), status("set", cuMemsetD8(values, 0, 24 * 32 * 8));
  void* arguments[] = {&values};
  CUlaunchAttribute cooperative = {2, {}, {1}}, cluster = {4, {}, {2, 1, 1}};
  CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, nullptr, &cooperative, 1};
  status("launch", cuLaunchKernelEx(&config, spill, arguments, nullptr)), status("launch", cuLaunchCooperativeKernel(spill, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments));
  status("too many for all at once", cuLaunchCooperativeKernel(spill, 1 << 20, 1, 1, 1024, 1, 1, 0, nullptr, arguments), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE), status("no launch", cuLaunchKernelEx(nullptr, spill, arguments, nullptr), kInvalid);
  config.attrs = &cluster;
  config.gridDimX = 4;
  status("clusters", cuLaunchKernelEx(&config, spill, arguments, nullptr));
  int launches = 0;
  status("variable", cuModuleGetGlobal(&counter, &bytes, module, "counter")), expect("4 bytes", bytes == 4), status("back", cuMemcpyDtoH(&launches, counter, 4)), expect("six work-groups", launches == 6);
  status("no variable", cuModuleGetGlobal(&counter, &bytes, module, "count"), kNotFound);
}

static void modules(const char* path) {
  const std::string image = read(path);
  CUmodule module = nullptr, other = nullptr;
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr table = 0;
  size_t bytes = 0;
  status("file", cuModuleLoad(&module, path)), functions(module), status("no file", cuModuleLoad(&other, "/no/such/file"), CUDA_ERROR_FILE_NOT_FOUND);
  status("image", cuModuleLoadData(&other, image.data())), expect("another", other != module), status("unload", cuModuleUnload(other)), status("unload again", cuModuleUnload(other), kNoHandle);
  status("image", cuModuleLoadDataEx(&other, image.data(), 0, nullptr, nullptr)), status("image into null", cuModuleLoadDataEx(nullptr, image.data(), 0, nullptr, nullptr), kInvalid), status("no fat binary", cuModuleLoadFatBinary(&other, nullptr), kInvalid);
  status("library", cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0)), status("its kernel", cuLibraryGetKernel(&kernel, library, "saxpy")), status("no kernel", cuLibraryGetKernel(&kernel, library, "x"), kNotFound);
  status("its function", cuKernelGetFunction(&function, kernel)), status("of none", cuKernelGetFunction(&function, nullptr), kNoHandle), status("its module", cuLibraryGetModule(&other, library)), status("of none", cuLibraryGetModule(&other, nullptr), kNoHandle);
  status("its variable", cuLibraryGetGlobal(&table, &bytes, library, "table")), expect("32 bytes", bytes == 32 && table != 0), status("no variable", cuLibraryGetGlobal(&table, &bytes, library, "x"), kNotFound);
  status("unload", cuLibraryUnload(library)), status("unload again", cuLibraryUnload(library), kNoHandle), status("library", cuLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0)), status("no library", cuLibraryLoadFromFile(&library, "/no/such/file", nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_ERROR_FILE_NOT_FOUND);
}

/// As before CUDA 4.
static void older(const char* path) {
  CUmodule module = nullptr;
  CUfunction saxpy = nullptr;
  CUdeviceptr x = 0, y = 0;
  float back[256] = {}, a = 1;  // of more than 3 the kernel prints
  status("file", cuModuleLoad(&module, path)), status("kernel", cuModuleGetFunction(&saxpy, module, "saxpy")), status("memory", cuMemAlloc(&x, 1024)), status("memory", cuMemAlloc(&y, 1024));
  status("set", cuMemsetD32(x, 0x40000000, 256)), status("set", cuMemsetD32(y, 0, 256)), status("block", cuFuncSetBlockShape(saxpy, 64, 1, 1)), status("no block", cuFuncSetBlockShape(saxpy, 0, 1, 1), kInvalid);
  status("shared", cuFuncSetSharedSize(saxpy, 0)), status("size", cuParamSetSize(saxpy, 28)), status("a", cuParamSetf(saxpy, 0, a)), status("x", cuParamSetv(saxpy, 8, &x, 8)), status("y", cuParamSetv(saxpy, 16, &y, 8)), status("n", cuParamSeti(saxpy, 24, 256));
  status("launch", cuLaunch(saxpy)), status("launch", cuLaunchGrid(saxpy, 2, 1)), status("launch", cuLaunchGridAsync(saxpy, 3, 1, nullptr)), status("no launch", cuLaunchGrid(saxpy, 0, 1), kInvalid);
  status("back", cuMemcpyDtoH(back, y, 1024)), expect("1 times 2, of three of four blocks", back[0] == 2 && back[191] == 2 && back[192] == 0);
  status("of none", cuParamSetSize(nullptr, 4), kNoHandle), status("of none", cuFuncSetSharedSize(nullptr, 4), kNoHandle), status("of none", cuLaunch(nullptr), kNoHandle);
  status("no place", cuParamSeti(saxpy, -4, 1), kInvalid), status("no place", cuParamSetf(saxpy, -4, 1), kInvalid), status("nothing", cuParamSetv(saxpy, 0, nullptr, 4), kInvalid), status("no launch", cuLaunchGridAsync(saxpy, 1, -1, nullptr), kInvalid);
}

/// A cubin alone is linked without a tool.
static void links(const char* path) {
  CUlinkState state = nullptr, empty = nullptr;
  void* cubin = nullptr;
  size_t bytes = 0;
  std::string image = read(path);
  status("link", cuLinkCreate(0, nullptr, nullptr, &state)), status("into null", cuLinkCreate(0, nullptr, nullptr, nullptr), kInvalid), status("data", cuLinkAddData(state, CU_JIT_INPUT_CUBIN, image.data(), image.size(), "saxpy", 0, nullptr, nullptr));
  status("complete", cuLinkComplete(state, &cubin, &bytes)), expect("the same", bytes == image.size() && std::memcmp(cubin, image.data(), bytes) == 0), status("destroy", cuLinkDestroy(state)), status("destroy again", cuLinkDestroy(state), kNoHandle);
  status("link", cuLinkCreate(0, nullptr, nullptr, &empty)), status("no file", cuLinkAddFile(empty, CU_JIT_INPUT_CUBIN, "/no/such/file", 0, nullptr, nullptr), CUDA_ERROR_FILE_NOT_FOUND), status("null", cuLinkAddData(empty, CU_JIT_INPUT_PTX, nullptr, 0, "x", 0, nullptr, nullptr), kInvalid);
  status("nothing", cuLinkComplete(empty, &cubin, &bytes), CUDA_ERROR_INVALID_PTX);
}

int main(int, char** argv) {
  status("init", cuInit(0));
  contexts(), memory(), modules(argv[1]), older(argv[1]), links(argv[1]);
  status("reset", cuDevicePrimaryCtxReset(0));
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
