// Functions of the driver API that runtime/driver.cu does not call: what they return and change, and an error that CUDA's
// documentation gives (CUDA Driver API, 11.5).
#include <cuda.h>

#include <cstring>

#include "check.h"
#include "older.h"

const auto kInvalid = CUDA_ERROR_INVALID_VALUE;
const auto kNoHandle = CUDA_ERROR_INVALID_HANDLE;

__global__ void twice(int* data) {
  data[threadIdx.x] *= 2;
}

static void contexts() {
  int version = 0;
  const char* name = nullptr;
  status("name", cuGetErrorName(CUDA_ERROR_NOT_FOUND, &name)), expect("name", std::strcmp(name, "CUDA_ERROR_NOT_FOUND") == 0);
  status("no such error", cuGetErrorName(static_cast<CUresult>(12345), &name), kInvalid);
  CUuuid uuid;
  CUcontext first = nullptr, primary = nullptr, now = nullptr;
  status("version", cuDriverGetVersion(&version)), expect("version", version >= CUDART_VERSION), status("version into null", cuDriverGetVersion(nullptr), kInvalid);
  status("uuid", cuDeviceGetUuid(&uuid, 0)), status("uuid of device 1", cuDeviceGetUuid(&uuid, 1), CUDA_ERROR_INVALID_DEVICE);
  status("pop none", cuCtxPopCurrent(&now), CUDA_ERROR_INVALID_CONTEXT);
  status("context", cuCtxCreate(&first, 0, 0)), status("primary", cuDevicePrimaryCtxRetain(&primary, 0)), status("push", cuCtxPushCurrent(primary));
  status("current", cuCtxGetCurrent(&now)), expect("the pushed one", now == primary && primary != first);
  status("pop", cuCtxPopCurrent(&now)), expect("the pushed one", now == primary), status("current", cuCtxGetCurrent(&now)), expect("the first", now == first);
  status("push none", cuCtxPushCurrent(nullptr), CUDA_ERROR_INVALID_CONTEXT), status("wait", cuCtxSynchronize());
  status("release", cuDevicePrimaryCtxRelease(0)), status("release device 1", cuDevicePrimaryCtxRelease(1), CUDA_ERROR_INVALID_DEVICE);
}

static void memory() {
  CUdeviceptr a = 0, b = 0, managed = 0;
  size_t pitch = 0, available = 0, total = 0;
  void *pinned = nullptr, *mapped = nullptr;
  unsigned short back[8] = {}, given[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  status("rows", cuMemAllocPitch(&a, &pitch, 100, 4, 4)), expect("pitch", pitch >= 100 && pitch % 16 == 0);
  status("elements of 3 bytes", cuMemAllocPitch(&b, &pitch, 100, 4, 3), kInvalid);
  status("managed", cuMemAllocManaged(&managed, 16, CU_MEM_ATTACH_GLOBAL)), status("managed into null", (cuMemAllocManaged)(nullptr, 16, 1), kInvalid);
  status("pinned", cuMemAllocHost(&pinned, 16)), status("mapped", cuMemHostAlloc(&mapped, 16, CU_MEMHOSTALLOC_DEVICEMAP));
  status("memory", cuMemGetInfo(&available, &total)), expect("some is used", available < total), status("memory into null", cuMemGetInfo(nullptr, &total), kInvalid);
  status("to the device", cuMemcpyHtoD(a, given, 16)), status("on the device", cuMemcpyDtoD(a + 16, a + 2, 4)), status("on the device", cuMemcpyDtoDAsync(a + 20, a, 4, nullptr));
  status("wherever", cuMemcpy(managed, a + 16, 8)), status("to the host", cuMemcpyDtoHAsync(back, managed, 8, nullptr)), status("wait", cuCtxSynchronize());
  expect("2 3 1 2", back[0] == 2 && back[1] == 3 && back[2] == 1 && back[3] == 2);
  status("set", cuMemsetD16(a, 0xabcd, 3)), status("to the host", cuMemcpyDtoH(back, a, 8)), expect("three times", back[2] == 0xabcd && back[3] == 4);
  status("set beyond the end", cuMemsetD16(managed, 0, 9), kInvalid), status("copy beyond the end", cuMemcpyHtoD(managed, given, 18), kInvalid);
  status("copy beyond the end", cuMemcpyDtoD(managed, a, 18), kInvalid), status("copy into null", cuMemcpyDtoHAsync(nullptr, a, 4, nullptr), kInvalid);
  status("free", cuMemFreeHost(pinned)), status("free again", cuMemFreeHost(pinned), kInvalid), status("free", cuMemFreeHost(mapped)), status("free", cuMemFree(a));
}

static void count(void* number) {
  ++*static_cast<int*>(number);
}

static void streams() {
  CUstream stream = nullptr;
  CUevent event = nullptr;
  int called = 0;
  status("stream", cuStreamCreate(&stream, CU_STREAM_DEFAULT)), status("event", cuEventCreate(&event, CU_EVENT_DEFAULT)), status("record", cuEventRecord(event, stream));
  status("wait for the event", cuStreamWaitEvent(nullptr, event, 0)), status("wait for the event", cuEventSynchronize(event)), status("is it over", cuEventQuery(event));
  status("function", cuLaunchHostFunc(stream, count, &called)), status("is it done", cuStreamQuery(stream)), expect("called", called == 1);
  status("no function", cuLaunchHostFunc(stream, nullptr, nullptr), kInvalid);
  status("destroy", cuEventDestroy(event)), status("destroy again", cuEventDestroy(event), kNoHandle), status("wait for none", cuEventSynchronize(event), kNoHandle);
  status("query of none", cuEventQuery(event), kNoHandle), status("wait for none", cuStreamWaitEvent(stream, event, 0), kNoHandle);
  status("destroy", cuStreamDestroy(stream)), status("destroy again", cuStreamDestroy(stream), kNoHandle), status("query of none", cuStreamQuery(stream), kNoHandle);
}

static void functions() {
  CUfunction function = nullptr;
  int blocks = 0, bytes = 0, threads = 0;
  cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(twice));
  cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 0);
  status("occupancy", cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 512, 0)), expect("blocks", blocks == threads / 512);
  status("of no threads", cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 0, 0), kInvalid);
  status("64 KiB", cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
  status("64 KiB", cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function)), expect("64 KiB", bytes == 65536);
  status("1 MiB", cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20), kInvalid);
}

static void tensor_maps() {
  CUtensorMap map;
  CUdeviceptr data = 0;
  cuMemAlloc(&data, 64 * 64 * 4);
  const cuuint64_t sizes[] = {64, 64}, strides[] = {64 * 4};
  const cuuint32_t box[] = {32, 8}, wide[] = {257, 8}, steps[] = {1, 1};
  const auto encode = [&](const cuuint32_t* boxes, unsigned rank) {
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, reinterpret_cast<void*>(data), sizes, strides, boxes, steps,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  status("map", encode(box, 2)), status("box of 257", encode(wide, 2), kInvalid), status("6 dimensions", encode(box, 6), kInvalid);
  const int corners[] = {0, 0, 0};
  const auto pixels = [&](unsigned rank, unsigned channels) {
    const cuuint64_t image[] = {64, 8, 8}, gaps[] = {64 * 4, 64 * 8 * 4};
    const cuuint32_t ones[] = {1, 1, 1};
    return cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, reinterpret_cast<void*>(data), image, gaps, corners, corners, channels, 8, ones,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  status("channels of pixels", pixels(3, 32)), status("too many", pixels(3, 64), kInvalid), status("no image", pixels(2, 32), kInvalid);
  status("replace", cuTensorMapReplaceAddress(&map, reinterpret_cast<void*>(data + 128))), status("by an odd one", cuTensorMapReplaceAddress(&map, reinterpret_cast<void*>(data + 1)), kInvalid);
  cuMemFree(data);
}

int main() {
  status("init", cuInit(0));
  contexts(), memory(), streams(), functions(), tensor_maps();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
