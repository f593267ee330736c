// Texture and surface objects by the driver, and what objects were made of. Expected values are the documentation's and arithmetic on the host.
#include <cuda.h>
#include <cuda_runtime.h>

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

__global__ void rows(cudaTextureObject_t texture, float* found, int width) {
  found[threadIdx.y * width + threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}
__global__ void run(cudaTextureObject_t texture, int2* found) {
  found[threadIdx.x] = tex1Dfetch<int2>(texture, static_cast<int>(threadIdx.x) - 1);
}
__global__ void turn(cudaSurfaceObject_t surface, cudaSurfaceObject_t turned, int width, int height) {
  float value;
  surf2Dread(&value, surface, 4 * threadIdx.x, threadIdx.y);
  surf2Dwrite(value + 1, turned, 4 * (width - 1 - threadIdx.x), height - 1 - threadIdx.y);
}

constexpr int kWidth = 16, kHeight = 6, kPitch = 512;

/// Bytes are fractions of 255, unless a flag says that they stay integers.
static void pitched(float* found) {
  std::vector<unsigned char> bytes(kPitch * kHeight);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(11 * i);
  CUdeviceptr memory;
  expect("memory", cuMemAlloc(&memory, bytes.size()));
  expect("copy", cuMemcpyHtoD(memory, bytes.data(), bytes.size()));
  CUDA_RESOURCE_DESC resource{}, told{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT8;
  resource.res.pitch2D.numChannels = 1;
  resource.res.pitch2D.width = kWidth;
  resource.res.pitch2D.height = kHeight;
  resource.res.pitch2D.pitchInBytes = kPitch;
  CUDA_TEXTURE_DESC how{}, as_told{};
  how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
  CUtexObject texture;
  expect("texture", cuTexObjectCreate(&texture, &resource, &how, nullptr));
  rows<<<1, dim3(kWidth, kHeight)>>>(texture, found, kWidth);
  expect("run", cuCtxSynchronize());
  bool same = true;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      same &= found[y * kWidth + x] == static_cast<float>(bytes[y * kPitch + x]) / 255.0f;
  expect("fractions", same);
  expect("its resource", cuTexObjectGetResourceDesc(&told, texture));
  expect("its resource", told.resType == CU_RESOURCE_TYPE_PITCH2D && told.res.pitch2D.devPtr == memory &&
                             told.res.pitch2D.format == CU_AD_FORMAT_UNSIGNED_INT8 && told.res.pitch2D.numChannels == 1 &&
                             told.res.pitch2D.width == kWidth && told.res.pitch2D.height == kHeight &&
                             told.res.pitch2D.pitchInBytes == kPitch);
  expect("its sampling", cuTexObjectGetTextureDesc(&as_told, texture));
  expect("its sampling", as_told.addressMode[1] == CU_TR_ADDRESS_MODE_CLAMP && as_told.flags == 0);
  CUDA_RESOURCE_VIEW_DESC view{};
  expect("it has no view", cuTexObjectGetResourceViewDesc(&view, texture), CUDA_ERROR_INVALID_VALUE);
  cudaResourceDesc of_runtime{};
  expect("the runtime knows it", cudaGetTextureObjectResourceDesc(&of_runtime, texture) == cudaSuccess &&
                                     of_runtime.resType == cudaResourceTypePitch2D && of_runtime.res.pitch2D.width == kWidth &&
                                     of_runtime.res.pitch2D.desc.x == 8 && of_runtime.res.pitch2D.desc.y == 0 &&
                                     of_runtime.res.pitch2D.desc.f == cudaChannelFormatKindUnsigned);
  expect("end", cuTexObjectDestroy(texture));
  expect("it is gone", cuTexObjectGetResourceDesc(&told, texture), CUDA_ERROR_INVALID_VALUE);
  resource.res.pitch2D.numChannels = 3;
  expect("three channels", cuTexObjectCreate(&texture, &resource, &how, nullptr), CUDA_ERROR_INVALID_VALUE);
  resource.flags = 1;
  expect("flags", cuTexObjectCreate(&texture, &resource, &how, nullptr), CUDA_ERROR_INVALID_VALUE);
  expect("no resource", cuTexObjectCreate(&texture, nullptr, &how, nullptr), CUDA_ERROR_INVALID_VALUE);
  cuMemFree(memory);
}

/// Outside of the memory a fetch gives 0.
static void linear() {
  constexpr int kCount = 32;
  int2 values[kCount], *found;
  for (int i = 0; i < kCount; ++i) values[i] = {3 * i + 1, -i};
  CUdeviceptr memory;
  cuMemAlloc(&memory, sizeof(values));
  cuMemcpyHtoD(memory, values, sizeof(values));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = memory;
  resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
  resource.res.linear.numChannels = 2;
  resource.res.linear.sizeInBytes = sizeof(values) - 8;
  CUDA_TEXTURE_DESC how{};
  CUtexObject texture;
  expect("linear", cuTexObjectCreate(&texture, &resource, &how, nullptr));
  cudaMallocManaged(&found, 34 * sizeof(int2));
  run<<<1, 34>>>(texture, found);
  expect("run", cuCtxSynchronize());
  bool same = found[0].x == 0 && found[0].y == 0 && found[32].x == 0 && found[33].y == 0;
  for (int i = 0; i < kCount - 1; ++i) same &= found[i + 1].x == values[i].x && found[i + 1].y == values[i].y;
  expect("elements", same);
  expect("end", cuTexObjectDestroy(texture));
  cudaFree(found);
}

static void arrays(float* found) {
  float values[kHeight][kWidth], back[kHeight][kWidth];
  for (int i = 0; i < kHeight * kWidth; ++i) values[0][i] = 0.25f * static_cast<float>(i);
  CUarray from, to;
  const CUDA_ARRAY3D_DESCRIPTOR shape{kWidth, kHeight, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
  expect("array", cuArray3DCreate(&from, &shape)), expect("array", cuArray3DCreate(&to, &shape));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = values;
  copy.srcPitch = copy.WidthInBytes = sizeof(values[0]);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = from;
  copy.Height = kHeight;
  expect("copy", cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC resource{}, told{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = from;
  CUDA_TEXTURE_DESC how{}, as_told{};
  how.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_READ_AS_INTEGER;
  how.filterMode = CU_TR_FILTER_MODE_LINEAR;
  how.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR;
  CUtexObject texture;
  expect("texture", cuTexObjectCreate(&texture, &resource, &how, nullptr));
  expect("its sampling", cuTexObjectGetTextureDesc(&as_told, texture));
  expect("its sampling", as_told.flags == how.flags && as_told.filterMode == CU_TR_FILTER_MODE_LINEAR &&
                             as_told.addressMode[0] == CU_TR_ADDRESS_MODE_MIRROR);
  expect("end", cuTexObjectDestroy(texture));
  how = {};
  expect("texture", cuTexObjectCreate(&texture, &resource, &how, nullptr));
  rows<<<1, dim3(kWidth, kHeight)>>>(texture, found, kWidth);
  expect("run", cuCtxSynchronize());
  expect("elements", std::memcmp(found, values, sizeof(values)) == 0);
  expect("end", cuTexObjectDestroy(texture));
  CUsurfObject surface, turned;
  expect("surface", cuSurfObjectCreate(&surface, &resource));
  resource.res.array.hArray = to;
  expect("surface", cuSurfObjectCreate(&turned, &resource));
  turn<<<1, dim3(kWidth, kHeight)>>>(surface, turned, kWidth, kHeight);
  expect("run", cuCtxSynchronize());
  expect("its array", cuSurfObjectGetResourceDesc(&told, turned)), expect("its array", told.res.array.hArray == to);
  copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = to;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = back;
  copy.dstPitch = copy.WidthInBytes = sizeof(back[0]);
  copy.Height = kHeight;
  expect("copy", cuMemcpy2D(&copy));
  bool same = true;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) same &= back[kHeight - 1 - y][kWidth - 1 - x] == values[y][x] + 1;
  expect("turned", same);
  expect("end", cuSurfObjectDestroy(surface)), expect("end", cuSurfObjectDestroy(turned));
  expect("it is gone", cuSurfObjectGetResourceDesc(&told, turned), CUDA_ERROR_INVALID_VALUE);
}

/// Functions that only this release's library has, and older ones.
static void addresses() {
  using Describe = CUresult(CUDA_RESOURCE_DESC*, CUtexObject);
  for (const char* name : {"cuTexObjectGetResourceDesc", "cuMemAlloc", "cuArray3DCreate", "cuMemcpy2DAsync", "cuTensorMapEncodeTiled"}) {
    void* function = nullptr;
    CUdriverProcAddressQueryResult result{};
    expect(name, cuGetProcAddress(name, &function, CUDA_VERSION, 0, &result));
    expect(name, function != nullptr && result == CU_GET_PROC_ADDRESS_SUCCESS);
    if (std::strstr(name, "Desc") == nullptr) continue;
    CUDA_RESOURCE_DESC told;
    expect("by address", reinterpret_cast<Describe*>(function)(&told, 12345), CUDA_ERROR_INVALID_VALUE);
  }
  void* function = &wrong;
  expect("no function", cuGetProcAddress("cuNoSuchFunction", &function, CUDA_VERSION, 0, nullptr), CUDA_ERROR_NOT_FOUND);
  expect("no function", function == nullptr);
  expect("nowhere", cuGetProcAddress("cuInit", nullptr, CUDA_VERSION, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
}

int main() {
  cuInit(0);
  cudaFree(nullptr);
  float* found;
  cudaMallocManaged(&found, kWidth * kHeight * sizeof(float));
  pitched(found);
  linear();
  arrays(found);
  addresses();
  std::printf("%d wrong\n", wrong);
}
