// Functions of the driver that only NVIDIA's headers declare here: copies of rectangles and boxes, arrays, reserved addresses, graphs.
// Every expected value is arithmetic on the host, every error the documentation's.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <vector>

static int wrong = 0;
static void expect(const char* what, bool right) {
  if (!right) std::printf("wrong: %s\n", what);
  wrong += right ? 0 : 1;
}
static void expect(const char* what, CUresult found, CUresult wanted = CUDA_SUCCESS) {
  if (found != wanted) std::printf("wrong: %s: %d, expected %d\n", what, found, wanted);
  wrong += found == wanted ? 0 : 1;
}

__global__ void add(int* values, int count, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += step;
}

/// 5 rows of 7 of 12 bytes, from (8, 2) of the host to (16, 1) of the device and back to another place.
static void rectangles() {
  const size_t from_pitch = 40, to_pitch = 64, width = 28, height = 5;
  std::vector<unsigned char> from(from_pitch * 8), back(from_pitch * 8, 1);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(3 * i + 7);
  CUdeviceptr memory;
  cuMemAlloc(&memory, to_pitch * 8);
  CUDA_MEMCPY2D copy{};
  copy.srcXInBytes = 8;
  copy.srcY = 2;
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from.data();
  copy.srcPitch = from_pitch;
  copy.dstXInBytes = 16;
  copy.dstY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.dstPitch = to_pitch;
  copy.WidthInBytes = width;
  copy.Height = height;
  expect("memory", cuMemsetD2D8(memory, to_pitch, 9, to_pitch, 8));
  expect("to the device", cuMemcpy2D(&copy));
  CUDA_MEMCPY2D returned{};
  returned.srcXInBytes = 15;
  returned.srcY = 0;
  returned.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  returned.srcDevice = memory;
  returned.srcPitch = to_pitch;
  returned.dstMemoryType = CU_MEMORYTYPE_HOST;
  returned.dstHost = back.data();
  returned.dstPitch = from_pitch;
  returned.WidthInBytes = width + 1;
  returned.Height = height + 1;
  expect("to the host", cuMemcpy2DAsync(&returned, nullptr));
  bool same = true;
  for (size_t y = 0; y <= height; ++y)
    for (size_t x = 0; x <= width; ++x)
      same &= back[y * from_pitch + x] == (y == 0 || x == 0 ? 9 : from[(y + 1) * from_pitch + 8 + x - 1]);
  expect("rectangle", same && back[width + 1] == 1 && back[(height + 1) * from_pitch] == 1);
  copy.srcPitch = 35;
  expect("pitch below x + width", cuMemcpy2DUnaligned(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.srcPitch = from_pitch;
  copy.dstY = 6;
  expect("behind the memory", cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.dstMemoryType = static_cast<CUmemorytype>(7);
  expect("kind of memory", cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
  expect("no copy", cuMemcpy2D(nullptr), CUDA_ERROR_INVALID_VALUE);
  expect("words", cuMemsetD2D32(memory, to_pitch, 0x01020304, 3, 2));
  unsigned words[19] = {};
  cuMemcpyDtoH(words, memory, sizeof(words));
  expect("words", words[2] == 0x01020304 && words[18] == 0x01020304 && words[3] == 0x09090909);
  cuMemFree(memory);
}

/// Two planes of 3 rows of 4 floats, by way of an array.
static void boxes() {
  float values[2][3][4], back[2][3][4] = {};
  for (int i = 0; i < 24; ++i) values[0][0][i] = 0.5F * static_cast<float>(i);
  CUarray array;
  CUDA_ARRAY3D_DESCRIPTOR shape{4, 3, 2, CU_AD_FORMAT_FLOAT, 1, 0}, told{};
  expect("array", cuArray3DCreate(&array, &shape));
  expect("its shape", cuArray3DGetDescriptor(&told, array));
  expect("its shape",
         told.Width == 4 && told.Depth == 2 && told.Format == CU_AD_FORMAT_FLOAT && told.NumChannels == 1);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = values;
  copy.srcPitch = 16;
  copy.srcHeight = 3;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 16;
  copy.Height = 3;
  copy.Depth = 2;
  expect("to the array", cuMemcpy3D(&copy));
  CUDA_MEMCPY3D returned{};
  returned.srcXInBytes = 4;
  returned.srcZ = 1;
  returned.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  returned.srcArray = array;
  returned.dstMemoryType = CU_MEMORYTYPE_HOST;
  returned.dstHost = back;
  returned.dstPitch = 16;
  returned.dstHeight = 3;
  returned.WidthInBytes = 12;
  returned.Height = 3;
  returned.Depth = 1;
  expect("from the array", cuMemcpy3D(&returned));
  expect("box", back[0][0][0] == values[1][0][1] && back[0][2][2] == values[1][2][3] && back[0][0][3] == 0);
  returned.WidthInBytes = 16;
  expect("behind the array", cuMemcpy3D(&returned), CUDA_ERROR_INVALID_VALUE);
  shape.NumChannels = 3;
  CUarray other;
  expect("three channels", cuArray3DCreate(&other, &shape), CUDA_ERROR_INVALID_VALUE);
  expect("end", cuArrayDestroy(array));
}

/// A vector that grows in place: two blocks side by side are one piece of memory to copies and kernels.
static void addresses() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  size_t step = 0;
  expect("granularity", cuMemGetAllocationGranularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr start;
  expect("reserve", cuMemAddressReserve(&start, 4 * step, 0, 0, 0));
  CUmemGenericAllocationHandle blocks[2];
  for (auto& block : blocks) expect("block", cuMemCreate(&block, step, &properties, 0));
  CUmemGenericAllocationHandle odd;
  expect("no multiple", cuMemCreate(&odd, step + 4096, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  expect("access without memory", cuMemSetAccess(start, step, &access, 1), CUDA_ERROR_INVALID_VALUE);
  for (size_t i = 0; i < 2; ++i) expect("map", cuMemMap(start + i * step, step, 0, blocks[i], 0));
  expect("map again", cuMemMap(start, step, 0, blocks[0], 0), CUDA_ERROR_INVALID_VALUE);
  expect("copy without access", cuMemsetD8(start, 0, step), CUDA_ERROR_INVALID_VALUE);
  expect("access", cuMemSetAccess(start, 2 * step, &access, 1));
  unsigned long long allowed = 0;
  expect("access", cuMemGetAccess(&allowed, &access.location, start + step));
  expect("access", allowed == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  const int count = 1000;
  const CUdeviceptr middle = start + step - count / 2 * sizeof(int);
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = i * i;
  expect("copy over both", cuMemcpyHtoD(middle, values.data(), count * sizeof(int)));
  add<<<(count + 127) / 128, 128>>>(reinterpret_cast<int*>(middle), count, 5);
  std::vector<int> back(count);
  expect("copy over both", cuMemcpyDtoH(back.data(), middle, count * sizeof(int)));
  bool same = true;
  for (int i = 0; i < count; ++i) same &= back[i] == i * i + 5;
  expect("kernel over both", same);
  expect("free what is mapped", cuMemAddressFree(start, 4 * step), CUDA_ERROR_INVALID_VALUE);
  // The second block at another address, where its values still are.
  for (auto block : blocks)
    expect("handle", cuMemRetainAllocationHandle(&odd, reinterpret_cast<void*>(start)) == CUDA_SUCCESS &&
                         block != odd && cuMemRelease(odd) == CUDA_SUCCESS);
  expect("map twice", cuMemMap(start + 3 * step, step, 0, blocks[1], 0));
  expect("access", cuMemSetAccess(start + 3 * step, step, &access, 1));
  expect("unmap", cuMemUnmap(start, 2 * step));
  int first = 0;
  expect("the same block", cuMemcpyDtoH(&first, start + 3 * step, sizeof(int)));
  expect("the same block", first == count / 2 * (count / 2) + 5);
  expect("unmapped", cuMemcpyDtoH(&first, start, sizeof(int)), CUDA_ERROR_INVALID_VALUE);
  for (auto block : blocks) expect("release", cuMemRelease(block));
  expect("release again", cuMemRelease(blocks[0]), CUDA_ERROR_INVALID_VALUE);
  expect("unmap", cuMemUnmap(start + 3 * step, step));
  expect("free", cuMemAddressFree(start, 4 * step));
}

static void streams() {
  CUstream stream;
  int least = 1, greatest = 1, value = 4, flags_found = 0;
  expect("priorities", cuCtxGetStreamPriorityRange(&least, &greatest));
  expect("stream", cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, greatest));
  CUdeviceptr memory, copy;
  expect("memory", cuMemAllocAsync(&memory, sizeof(int), stream));
  cuMemAlloc(&copy, sizeof(int));
  cuMemcpyHtoD(memory, &value, sizeof(int));
  CUgraph graph;
  CUgraphExec executable;
  expect("capture", cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  add<<<1, 1, 0, stream>>>(reinterpret_cast<int*>(memory), 1, 3);
  expect("copy", cuMemcpyAsync(copy, memory, sizeof(int), stream));
  expect("capture", cuStreamEndCapture(stream, &graph));
  expect("graph", cuGraphInstantiateWithFlags(&executable, graph, 0));
  for (int launch = 0; launch < 2; ++launch) expect("launch", cuGraphLaunch(executable, stream));
  cuStreamSynchronize(stream);
  cuMemcpyDtoH(&value, copy, sizeof(int));
  expect("graph", value == 4 + 2 * 3);
  expect("graph", cuGraphExecDestroy(executable));
  expect("graph", cuGraphDestroy(graph));
  expect("memory", cuMemFreeAsync(memory, stream));
  expect("attribute",
         cuDeviceGetAttribute(&flags_found, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  expect("attribute", flags_found == 1);
  CUtexref reference;
  expect("texture references", cuTexRefCreate(&reference), CUDA_ERROR_NOT_SUPPORTED);
  expect("texture references", cuTexRefCreate(&reference), CUDA_ERROR_NOT_SUPPORTED);
}

__device__ int numbers[3] = {5, 6, 7};
__global__ void say(const char** text, int** second) {
  *text = "said on the device";
  *second = &numbers[1];
}

/// The driver knows what is in a module without a name: here a text.
static void literals() {
  struct {
    const char* text;
    int* second;
  }* said;
  cudaMallocManaged(&said, sizeof(*said));
  say<<<1, 1>>>(&said->text, &said->second);
  cudaDeviceSynchronize();
  CUdeviceptr base = 0;
  size_t bytes = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(said->text);
  expect("range", cuMemGetAddressRange(&base, &bytes, address));
  expect("range", base <= address && base + bytes >= address + 19);
  char text[19];
  expect("text", cudaMemcpy(text, said->text, sizeof(text), cudaMemcpyDeviceToHost) == cudaSuccess);
  expect("text", std::strcmp(text, "said on the device") == 0);
  int two[2];
  expect("numbers", cudaMemcpy(two, said->second, sizeof(two), cudaMemcpyDeviceToHost) == cudaSuccess);
  expect("numbers", two[0] == 6 && two[1] == 7);
  cudaFree(said);
}

/// Arguments that the documentation refuses: an error, of the driver's own, and none for the runtime to find.
static void refused() {
  const size_t wraps = (size_t{1} << 62) + 1;  // as many words are 4 bytes
  CUdeviceptr memory;
  cuMemAlloc(&memory, 256);
  cudaGetLastError();
  expect("words too many", cuMemsetD32(memory, 1, wraps), CUDA_ERROR_INVALID_VALUE);
  expect("words too many", cuMemsetD32Async(memory, 1, wraps, nullptr), CUDA_ERROR_INVALID_VALUE);
  expect("row too long", cuMemsetD2D32(memory, 16, 1, wraps, 2), CUDA_ERROR_INVALID_VALUE);
  expect("row too long", cuMemsetD2D32Async(memory, 16, 1, wraps, 2, nullptr), CUDA_ERROR_INVALID_VALUE);
  expect("not aligned", cuMemsetD32(memory + 2, 1, 1), CUDA_ERROR_INVALID_VALUE);
  expect("not aligned", cuMemsetD16(memory + 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  expect("row not aligned", cuMemsetD2D32(memory + 2, 16, 1, 1, 2), CUDA_ERROR_INVALID_VALUE);
  expect("pitch not aligned", cuMemsetD2D16(memory, 17, 1, 1, 2), CUDA_ERROR_INVALID_VALUE);
  expect("row longer than its pitch", cuMemsetD2D8(memory, 8, 1, 16, 2), CUDA_ERROR_INVALID_VALUE);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = copy.dstDevice = memory;
  copy.srcPitch = copy.dstPitch = 16;
  copy.srcXInBytes = copy.dstXInBytes = 16;
  copy.WidthInBytes = static_cast<size_t>(-8);
  copy.Height = 2;
  expect("width", cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
  expect("the runtime's last error", cudaGetLastError() == cudaSuccess);
  expect("name", std::strcmp(cudaGetErrorName(cudaErrorInvalidClusterSize), "cudaErrorInvalidClusterSize") == 0);
  CUgraph graph = nullptr;
  CUstream stream, other;
  CUevent event;
  expect("stream", cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  expect("stream", cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  expect("event", cuEventCreate(&event, CU_EVENT_DEFAULT));
  expect("capture", cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  expect("fork", cuEventRecord(event, stream));
  expect("fork", cuStreamWaitEvent(other, event, 0));
  expect("fill", cuMemsetD32Async(memory, 1, 1, other));
  expect("unjoined", cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  const char* name = nullptr;
  expect("name", cuGetErrorName(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, &name));
  expect("name", name != nullptr && std::strcmp(name, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED") == 0);
  expect("memory", cuMemFree(memory));
}

int main() {
  CUcontext context = nullptr, primary = nullptr;
  CUdevice device = 7;
  expect("before the runtime", cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
  cudaFree(nullptr);  // the runtime calls cuInit(), and makes its context that of the thread
  expect("device", cuCtxGetDevice(&device));
  expect("context", cuCtxGetCurrent(&context));
  cuDevicePrimaryCtxRetain(&primary, 0);
  expect("device and context", device == 0 && context == primary && context != nullptr);
  literals();
  rectangles();
  boxes();
  addresses();
  streams();
  refused();
  std::printf("%d wrong\n", wrong);
}
