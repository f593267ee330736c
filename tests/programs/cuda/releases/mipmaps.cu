// Mipmapped arrays and views of arrays: levels of detail that are given, and of gradients. Expected is the CUDA programming guide's "Texture Fetching" on the
// host: places in single precision, weights of 8 bits; of two levels each is filtered, then both are blended by 8 bits of the level of detail.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int wrong = 0;
static void expect(const char* what, double got, double wanted, double most = 0) {
  if (std::fabs(got - wanted) <= most) return;
  if (++wrong < 30) std::printf("%s: %g, expected %g\n", what, got, wanted);
}
static unsigned state = 12345;
static float drawn() { return static_cast<float>((state = state * 1664525 + 1013904223) >> 8) / 16777216.0f; }

struct Sample {
  float at[3], detail, along_x[2], along_y[2];
};
enum class How { Lod2, Grad2, Base2, Lod1, Lod3, Layer2 };

template <How how>
__global__ void fetch(cudaTextureObject_t texture, const Sample* samples, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Sample s = samples[i];
  if constexpr (how == How::Lod2) out[i] = tex2DLod<float>(texture, s.at[0], s.at[1], s.detail);
  if constexpr (how == How::Grad2)
    out[i] = tex2DGrad<float>(texture, s.at[0], s.at[1], make_float2(s.along_x[0], s.along_x[1]), make_float2(s.along_y[0], s.along_y[1]));
  if constexpr (how == How::Base2) out[i] = tex2D<float>(texture, s.at[0], s.at[1]);
  if constexpr (how == How::Lod1) out[i] = tex1DLod<float>(texture, s.at[0], s.detail);
  if constexpr (how == How::Lod3) out[i] = tex3DLod<float>(texture, s.at[0], s.at[1], s.at[2], s.detail);
  if constexpr (how == How::Layer2) out[i] = tex2DLayeredLod<float>(texture, s.at[0], s.at[1], 1, s.detail);
}
__global__ void integers(cudaTextureObject_t texture, unsigned* out) { out[threadIdx.x] = tex2DLod<unsigned>(texture, (threadIdx.x + 0.5f) / 4, 0.5f, 0); }
__global__ void parts(cudaTextureObject_t texture, float4* out) { out[threadIdx.x] = tex2DLod<float4>(texture, (threadIdx.x + 0.5f) / 4, 0.5f, 0); }
__global__ void faces(cudaTextureObject_t texture, float* out, float detail) {
  const float side = threadIdx.x % 2 == 0 ? 1 : -1, x = threadIdx.x / 2 == 0 ? side : 0, y = threadIdx.x / 2 == 1 ? side : 0, z = threadIdx.x / 2 == 2 ? side : 0;
  out[threadIdx.x] = texCubemapLod<float>(texture, x, y, z, detail);
}
__global__ void fill(cudaSurfaceObject_t surface, int width) { surf2Dwrite(1000.0f + threadIdx.y * width + threadIdx.x, surface, 4 * threadIdx.x, threadIdx.y); }

/// Elements of each level, as the program copied them.
struct Levels {
  int dimensions = 2, layers = 1;
  int size[3] = {1, 1, 1};
  std::vector<std::vector<float>> of;
  int side(int axis, int level) const { return axis < dimensions ? std::max(size[axis] >> level, 1) : 1; }
};

static cudaMipmappedArray_t make(Levels& levels, unsigned count, unsigned flags = 0) {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t made = nullptr;
  const std::size_t depth = levels.layers > 1 ? levels.layers : levels.dimensions > 2 ? levels.size[2] : 0;
  const cudaExtent extent = make_cudaExtent(levels.size[0], levels.dimensions > 1 ? levels.size[1] : 0, depth);
  expect("array", cudaMallocMipmappedArray(&made, &channels, extent, count, flags), cudaSuccess);
  for (unsigned level = 0;; ++level) {
    cudaArray_t array = nullptr;
    if (cudaGetMipmappedArrayLevel(&array, made, level) != cudaSuccess) break;
    const int w = levels.side(0, level), h = levels.side(1, level), d = levels.layers > 1 ? levels.layers : levels.side(2, level);
    cudaExtent own;
    cudaArrayGetInfo(nullptr, &own, nullptr, array);
    expect("width", static_cast<double>(own.width), w), expect("depth", static_cast<double>(own.depth), depth == 0 ? 0 : d);
    auto& elements = levels.of.emplace_back(static_cast<std::size_t>(w) * h * d);
    for (float& one : elements) one = std::floor(drawn() * 256);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(elements.data(), w * sizeof(float), w, h);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyHostToDevice;
    expect("copy", cudaMemcpy3D(&copy), cudaSuccess);
  }
  return made;
}

/// Rounds to parts of 256. Which way halves go is not documented: samples with one are not compared.
static bool has_half = false;
static double part(double of) {
  const double parts = of * 256;
  has_half = has_half || std::fabs(parts - std::floor(parts) - 0.5) < 0.01;
  return std::floor(parts + 0.5) / 256;
}

/// A level filtered at normalized coordinates, which are clamped, or wrapped around.
static double filtered(const Levels& levels, int level, const float* at, int layer, bool linear, bool wraps) {
  int first[3] = {0, 0, 0}, count = 1;
  double share[3] = {0, 0, 0};
  for (int axis = 0; axis < levels.dimensions; ++axis) {
    const float scaled = (wraps ? at[axis] - std::floor(at[axis]) : at[axis]) * static_cast<float>(levels.side(axis, level)), place = scaled - (linear ? 0.5f : 0);
    first[axis] = static_cast<int>(std::floor(place));
    share[axis] = linear ? part(place - first[axis]) : 0;
    if (linear) count *= 2;
  }
  double sum = 0;
  for (int corner = 0; corner < count; ++corner) {
    double weight = 1;
    int place[3] = {0, 0, 0};
    for (int axis = 0; axis < levels.dimensions; ++axis) {
      const int next = corner >> axis & 1, side = levels.side(axis, level);
      place[axis] = wraps ? ((first[axis] + next) % side + side) % side : std::clamp(first[axis] + next, 0, side - 1);
      if (linear) weight *= next != 0 ? share[axis] : 1 - share[axis];
    }
    const int plane = levels.layers > 1 ? layer : place[2];
    sum += weight * levels.of[level][(static_cast<std::size_t>(plane) * levels.side(1, level) + place[1]) * levels.side(0, level) + place[0]];
  }
  return sum;
}

struct Sampler {
  bool linear, blends, wraps;
  float bias, least, most;
};

static cudaTextureDesc description(const Sampler& s) {
  cudaTextureDesc how{};
  how.normalizedCoords = 1;
  how.filterMode = s.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.mipmapFilterMode = s.blends ? cudaFilterModeLinear : cudaFilterModePoint;
  for (auto& mode : how.addressMode) mode = s.wraps ? cudaAddressModeWrap : cudaAddressModeClamp;
  how.mipmapLevelBias = s.bias, how.minMipmapLevelClamp = s.least, how.maxMipmapLevelClamp = s.most;
  return how;
}

static double expected(const Levels& levels, const Sampler& s, const float* at, double detail, int layer) {
  const int last = static_cast<int>(levels.of.size()) - 1;
  detail = std::clamp<double>(std::clamp<double>(detail + s.bias, s.least, s.most), 0, last);
  if (!s.blends) return filtered(levels, static_cast<int>(std::floor(detail + 0.5)), at, layer, s.linear, s.wraps);
  detail = part(detail);
  const int first = static_cast<int>(detail);
  const double share = detail - first, near = filtered(levels, first, at, layer, s.linear, s.wraps);
  return share == 0 ? near : (1 - share) * near + share * filtered(levels, first + 1, at, layer, s.linear, s.wraps);
}

template <How how>
static void check(const char* name, const Levels& levels, cudaTextureObject_t texture, const Sampler& sampler) {
  constexpr int kCount = 200;
  Sample* samples;
  float* out;
  cudaMallocManaged(&samples, kCount * sizeof(Sample)), cudaMallocManaged(&out, kCount * sizeof(float));
  for (int i = 0; i < kCount; ++i) {
    Sample& s = samples[i];
    for (float& at : s.at) at = drawn() * (sampler.wraps ? 4 : 1) - (sampler.wraps ? 2 : 0);
    s.detail = drawn() * 9 - 1.5f;
    const float scale = std::exp2(drawn() * 8 - 8);
    for (int axis = 0; axis < 2; ++axis) s.along_x[axis] = (drawn() - 0.5f) * scale, s.along_y[axis] = (drawn() - 0.5f) * scale;
  }
  fetch<how><<<4, 64>>>(texture, samples, out, kCount);
  expect(name, cudaDeviceSynchronize(), cudaSuccess);
  int compared = 0;
  for (int i = 0; i < kCount; ++i) {
    const Sample& s = samples[i];
    double detail = s.detail;
    if (how == How::Base2) detail = -100;
    if (how == How::Grad2) {
      const double x = std::hypot(static_cast<double>(s.along_x[0]) * levels.size[0], static_cast<double>(s.along_x[1]) * levels.size[1]),
                   y = std::hypot(static_cast<double>(s.along_y[0]) * levels.size[0], static_cast<double>(s.along_y[1]) * levels.size[1]);
      detail = std::log2(std::max(x, y));
    }
    has_half = false;
    const double wanted = expected(levels, sampler, s.at, detail, 1);
    compared += has_half ? 0 : 1;
    if (!has_half) expect(name, out[i], wanted, 0.01);
  }
  expect("most are compared", compared > kCount * 3 / 4, 1);
  cudaFree(samples), cudaFree(out);
}

static cudaTextureObject_t texture_of(cudaMipmappedArray_t array, const Sampler& sampler, const cudaResourceViewDesc* view = nullptr) {
  cudaResourceDesc from{};
  from.resType = cudaResourceTypeMipmappedArray;
  from.res.mipmap.mipmap = array;
  const cudaTextureDesc how = description(sampler);
  cudaTextureObject_t texture = 0;
  expect("texture", cudaCreateTextureObject(&texture, &from, &how, view), cudaSuccess);
  return texture;
}

static const Sampler kSamplers[] = {{false, false, false, 0, 0, 99}, {true, false, true, 0.75f, 0, 99}, {true, true, false, 0, 0, 99},
                                    {true, true, true, -0.3f, 1.25f, 3.5f}, {false, true, false, 0, 2, 2.625f}};

static void levels_of_detail() {
  Levels row, plane, volume, layers;
  row.dimensions = 1, row.size[0] = 50;
  plane.size[0] = 64, plane.size[1] = 24;
  volume.dimensions = 3, volume.size[0] = 16, volume.size[1] = 12, volume.size[2] = 9;
  layers.size[0] = 20, layers.size[1] = 40, layers.layers = 3;
  cudaMipmappedArray_t arrays[] = {make(row, 4), make(plane, 99), make(volume, 5), make(layers, 6, cudaArrayLayered)};
  expect("levels of 50", static_cast<double>(row.of.size()), 4), expect("levels of 64", static_cast<double>(plane.of.size()), 7);
  expect("levels of 16", static_cast<double>(volume.of.size()), 5), expect("levels of layers", static_cast<double>(layers.of.size()), 6);
  for (const Sampler& sampler : kSamplers) {
    const cudaTextureObject_t textures[] = {texture_of(arrays[0], sampler), texture_of(arrays[1], sampler), texture_of(arrays[2], sampler), texture_of(arrays[3], sampler)};
    check<How::Lod1>("row", row, textures[0], sampler);
    check<How::Lod2>("plane", plane, textures[1], sampler);
    check<How::Grad2>("gradients", plane, textures[1], sampler);
    check<How::Base2>("first level", plane, textures[1], sampler);
    check<How::Lod3>("volume", volume, textures[2], sampler);
    check<How::Layer2>("layers", layers, textures[3], sampler);
    for (const cudaTextureObject_t texture : textures) cudaDestroyTextureObject(texture);
  }
  cudaResourceViewDesc view{};
  view.width = 20, view.height = 40, view.depth = 3, view.firstMipmapLevel = 2, view.lastMipmapLevel = 4, view.firstLayer = 1, view.lastLayer = 2;
  Levels seen = layers;  // layer 1 of the view is layer 2 of the array
  seen.of.assign(layers.of.begin() + 2, layers.of.begin() + 5);
  seen.size[0] = layers.side(0, 2), seen.size[1] = layers.side(1, 2), seen.layers = 2;
  for (int level = 0; level < 3; ++level) seen.of[level].erase(seen.of[level].begin(), seen.of[level].begin() + seen.side(0, level) * seen.side(1, level));
  check<How::Layer2>("view", seen, texture_of(arrays[3], kSamplers[2], &view), kSamplers[2]);
  const auto refused = [&](const char* what, auto change) {
    cudaResourceViewDesc other = view;
    change(other);
    cudaResourceDesc from{};
    from.resType = cudaResourceTypeMipmappedArray, from.res.mipmap.mipmap = arrays[3];
    const cudaTextureDesc how = description(kSamplers[0]);
    cudaTextureObject_t texture = 0;
    expect(what, cudaCreateTextureObject(&texture, &from, &how, &other), cudaErrorInvalidValue);
  };
  refused("levels that are not there", [](auto& v) { v.lastMipmapLevel = 6; }), refused("layers that are not there", [](auto& v) { v.lastLayer = 3; });
  refused("another width", [](auto& v) { v.width = 10; }), refused("another size of elements", [](auto& v) { v.format = cudaResViewFormatFloat2; });
  for (cudaMipmappedArray_t array : arrays) expect("free", cudaFreeMipmappedArray(array), cudaSuccess);
}

static void cubes_and_surfaces() {
  Levels cube;
  cube.size[0] = cube.size[1] = 8, cube.layers = 6;
  const cudaMipmappedArray_t array = make(cube, 3, cudaArrayCubemap);
  const cudaTextureObject_t texture = texture_of(array, kSamplers[0]);
  float* out;
  cudaMallocManaged(&out, 4096);
  faces<<<1, 6>>>(texture, out, 1.2f);
  expect("cube", cudaDeviceSynchronize(), cudaSuccess);
  for (int face = 0; face < 6; ++face) expect("face", out[face], cube.of[1][face * 16 + 2 * 4 + 2]);
  cudaFreeMipmappedArray(array);

  Levels plane;
  plane.size[0] = 16, plane.size[1] = 8;
  const cudaMipmappedArray_t stored = make(plane, 3, cudaArraySurfaceLoadStore);
  cudaResourceDesc level{};
  level.resType = cudaResourceTypeArray;
  cudaGetMipmappedArrayLevel(&level.res.array.array, stored, 1);
  cudaSurfaceObject_t surface = 0;
  expect("surface", cudaCreateSurfaceObject(&surface, &level), cudaSuccess);
  fill<<<1, dim3(8, 4)>>>(surface, 8);
  for (int i = 0; i < 32; ++i) plane.of[1][i] = 1000.0f + i;
  check<How::Lod2>("stored level", plane, texture_of(stored, kSamplers[2]), kSamplers[2]);
  cudaDestroySurfaceObject(surface), cudaFreeMipmappedArray(stored), cudaFree(out);
}

/// Four words of an array as unsigned numbers of 32 bits, and as parts of 255.
static void formats() {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  const unsigned words[] = {0x00ff8040, 0x3f800000, 0xffffffff, 0x01020304};
  cudaResourceDesc from{};
  from.resType = cudaResourceTypeArray;
  cudaMallocArray(&from.res.array.array, &channels, 4, 1);
  cudaMemcpy2DToArray(from.res.array.array, 0, 0, words, 16, 16, 1, cudaMemcpyHostToDevice);
  cudaTextureDesc how = description(kSamplers[0]);
  cudaResourceViewDesc view{}, found{};
  view.format = cudaResViewFormatUnsignedInt1, view.width = 4, view.height = 1;
  cudaTextureObject_t texture = 0;
  expect("view", cudaCreateTextureObject(&texture, &from, &how, &view), cudaSuccess);
  expect("what view", cudaGetTextureObjectResourceViewDesc(&found, texture), cudaSuccess), expect("its format", found.format, view.format);
  void* out;
  cudaMallocManaged(&out, 64);
  integers<<<1, 4>>>(texture, static_cast<unsigned*>(out));
  expect("integers", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < 4; ++i) expect("integer", static_cast<unsigned*>(out)[i], words[i]);
  view.format = cudaResViewFormatUnsignedChar4, how.readMode = cudaReadModeNormalizedFloat;
  expect("view of bytes", cudaCreateTextureObject(&texture, &from, &how, &view), cudaSuccess);
  parts<<<1, 4>>>(texture, static_cast<float4*>(out));
  expect("bytes", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < 16; ++i) expect("byte", static_cast<float*>(out)[i], (words[i / 4] >> i % 4 * 8 & 255) / 255.0, 1e-6);
  cudaFreeArray(from.res.array.array), cudaFree(out);
}

static void driver() {
  CUmipmappedArray array = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR of{};
  of.Width = of.Height = 4, of.Format = CU_AD_FORMAT_FLOAT, of.NumChannels = 1;
  expect("driver's array", cuMipmappedArrayCreate(&array, &of, 3), CUDA_SUCCESS);
  Levels levels;
  levels.size[0] = levels.size[1] = 4;
  for (unsigned number = 0; number < 3; ++number) {
    CUarray level;
    expect("level", cuMipmappedArrayGetLevel(&level, array, number), CUDA_SUCCESS);
    auto& elements = levels.of.emplace_back(16 >> 2 * number);
    for (float& one : elements) one = std::floor(drawn() * 256);
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = elements.data(), copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = level;
    copy.srcPitch = copy.WidthInBytes = std::size_t{16} >> number, copy.Height = std::size_t{4} >> number;
    expect("copy", cuMemcpy2D(&copy), CUDA_SUCCESS);
  }
  CUarray none;
  expect("level that is not there", cuMipmappedArrayGetLevel(&none, array, 3), CUDA_ERROR_INVALID_VALUE);
  CUDA_RESOURCE_DESC from{};
  from.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, from.res.mipmap.hMipmappedArray = array;
  CUDA_TEXTURE_DESC how{};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = CU_TR_ADDRESS_MODE_WRAP;
  how.filterMode = how.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR, how.flags = CU_TRSF_NORMALIZED_COORDINATES;
  how.mipmapLevelBias = -0.3f, how.minMipmapLevelClamp = 1.25f, how.maxMipmapLevelClamp = 3.5f;
  CUtexObject texture = 0;
  expect("driver's texture", cuTexObjectCreate(&texture, &from, &how, nullptr), CUDA_SUCCESS);
  check<How::Lod2>("driver's levels", levels, texture, kSamplers[3]);
  cuTexObjectDestroy(texture), expect("destroy", cuMipmappedArrayDestroy(array), CUDA_SUCCESS);
}

int main() {
  cudaFree(nullptr);
  levels_of_detail();
  cubes_and_surfaces();
  formats();
  driver();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
