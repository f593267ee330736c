// Filtering, address modes, fractions, planes and layers of textures, and surfaces, against the formulas of the CUDA guide.
#include <cmath>
#include <cstdio>
#include <vector>

static int failures = 0;
static void expect(const char *what, double got, double wanted) {
  if (std::fabs(got - wanted) < 1e-6 * (1 + std::fabs(wanted)))
    return;
  printf("%s: %g, expected %g\n", what, got, wanted);
  ++failures;
}
#define CHECK(call) expect(#call, (call), cudaSuccess)

texture<float, cudaTextureType2D, cudaReadModeElementType> smooth;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colours;
texture<float, cudaTextureType3D, cudaReadModeElementType> solid;
surface<void, cudaSurfaceType2D> canvas;

__global__ void lines(cudaTextureObject_t from, const float *at, float *out) { out[threadIdx.x] = tex1D<float>(from, at[threadIdx.x]); }
__global__ void planes(cudaTextureObject_t from, const float2 *at, float *out) {
  out[threadIdx.x] = tex2D<float>(from, at[threadIdx.x].x, at[threadIdx.x].y);
}
__global__ void smoothed(const float2 *at, float *out) { out[threadIdx.x] = tex2D(smooth, at[threadIdx.x].x, at[threadIdx.x].y); }
__global__ void coloured(const float2 *at, float *out) {
  const float4 colour = tex2D(colours, at[threadIdx.x].x, at[threadIdx.x].y);
  out[threadIdx.x] = colour.x + 10 * colour.w;
}
__global__ void colour_objects(cudaTextureObject_t from, const float2 *at, float *out) {
  float4 colour;
  tex2D(&colour, from, at[threadIdx.x].x, at[threadIdx.x].y);
  out[threadIdx.x] = colour.x + 10 * colour.w;
}
__global__ void solids(const float2 *at, float *out, float z) { out[threadIdx.x] = tex3D(solid, at[threadIdx.x].x, at[threadIdx.x].y, z); }
__global__ void layers(cudaTextureObject_t from, const float2 *at, float *out) {
  out[threadIdx.x] = tex2DLayered<float>(from, at[threadIdx.x].x, at[threadIdx.x].y, threadIdx.x % 3);
}
__global__ void paint(cudaSurfaceObject_t object, int width) {
  surf2Dwrite(2.0f * threadIdx.x + blockIdx.x, object, threadIdx.x * 4, blockIdx.x);
  float left;
  surf2Dread(&left, object, ((int)threadIdx.x - 1) * 4, blockIdx.x, cudaBoundaryModeZero);
  surf2Dwrite(left, canvas, threadIdx.x * 4, blockIdx.x, cudaBoundaryModeZero);
  surf2Dwrite(left, canvas, width * 4, blockIdx.x, cudaBoundaryModeZero); // nowhere
}

const int kWidth = 8, kHeight = 4, kDepth = 3, kCount = 64;
static float texel(int x, int y, int z) { return (float)(x * x + 10 * y + 100 * z); }
// One coordinate of the guide: the two elements, and how much the second weighs.
struct Axis {
  int first, second;
  float weight;
};
static Axis axis(float at, int size, int mode, bool normalized) {
  if (normalized && mode == cudaAddressModeWrap) at = at - std::floor(at);
  if (normalized && mode == cudaAddressModeMirror) {
    at = std::fmod(std::fabs(at), 2.0f);
    if (at > 1) at = 2 - at;
  }
  if (normalized) at *= size;
  const float back = at - 0.5f;
  const int first = (int)std::floor(back);
  const auto inside = [&](int i) {
    if (mode == cudaAddressModeBorder) return i < 0 || i >= size ? -1 : i;
    if (normalized && mode == cudaAddressModeWrap) return (i % size + size) % size;
    return i < 0 ? 0 : i >= size ? size - 1 : i;
  };
  return {inside(first), inside(first + 1), std::round((back - first) * 256) / 256};
}
static double at_place(int x, int y, int z) { return x < 0 || y < 0 || z < 0 ? 0 : texel(x, y, z); }
static double filtered(float2 at, int mode, bool normalized) {
  const Axis x = axis(at.x, kWidth, mode, normalized), y = axis(at.y, kHeight, mode, normalized);
  return (1 - x.weight) * (1 - y.weight) * at_place(x.first, y.first, 0) + x.weight * (1 - y.weight) * at_place(x.second, y.first, 0) +
         (1 - x.weight) * y.weight * at_place(x.first, y.second, 0) + x.weight * y.weight * at_place(x.second, y.second, 0);
}

template <class T> static T *managed(size_t count) {
  T *p = nullptr;
  CHECK(cudaMallocManaged(&p, count * sizeof(T)));
  return p;
}
static cudaTextureObject_t object_of(cudaArray_t array, cudaTextureFilterMode filter, cudaTextureAddressMode mode, bool normalized,
                                     cudaTextureReadMode read = cudaReadModeElementType) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  how.filterMode = filter;
  how.readMode = read;
  how.normalizedCoords = normalized;
  for (auto &one : how.addressMode) one = mode;
  cudaTextureObject_t object = 0;
  CHECK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
  return object;
}
static cudaArray_t array_of(const cudaExtent &extent, unsigned flags, const std::vector<float> &content) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr((void *)content.data(), extent.width * 4, extent.width, extent.height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, extent.height, extent.depth ? extent.depth : 1);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

int main() {
  std::vector<float> content;
  for (int z = 0; z < kDepth; ++z)
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) content.push_back(texel(x, y, z));
  float2 *at = managed<float2>(kCount);
  float *ats = managed<float>(kCount), *out = managed<float>(kCount);
  // Exact, and never in the middle of two weights.
  for (int i = 0; i < kCount; ++i) {
    at[i] = make_float2(-3 + (15270 * i + 1) / 65536.0f, -2 + (8586 * i + 1) / 65536.0f);
    ats[i] = at[i].x;
  }
  const cudaArray_t plane = array_of(make_cudaExtent(kWidth, kHeight, 0), 0, content);

  for (const bool normalized : {false, true})
    for (const auto mode : {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap, cudaAddressModeMirror}) {
      if (!normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) continue;
      planes<<<1, kCount>>>(object_of(plane, cudaFilterModeLinear, mode, normalized), at, out);
      CHECK(cudaDeviceSynchronize());
      for (int i = 0; i < kCount; ++i) expect(normalized ? "linear, normalized" : "linear", out[i], filtered(at[i], mode, normalized));
    }
  smooth.addressMode[0] = smooth.addressMode[1] = cudaAddressModeClamp;
  smooth.filterMode = cudaFilterModeLinear;
  CHECK(cudaBindTextureToArray(smooth, plane));
  smoothed<<<1, kCount>>>(at, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; ++i) expect("reference", out[i], filtered(at[i], cudaAddressModeClamp, false));

  const cudaArray_t row = array_of(make_cudaExtent(kWidth, 1, 0), 0, content);
  lines<<<1, kCount>>>(object_of(row, cudaFilterModeLinear, cudaAddressModeClamp, false), ats, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; ++i) {
    const Axis x = axis(ats[i], kWidth, cudaAddressModeClamp, false);
    expect("row", out[i], (1 - x.weight) * texel(x.first, 0, 0) + x.weight * texel(x.second, 0, 0));
  }

  // Bytes as fractions, by a reference with a pitch and by an object.
  std::vector<uchar4> pixels;
  for (int i = 0; i < kWidth * kHeight; ++i) pixels.push_back(make_uchar4(3 * i, 0, 0, 255 - i));
  cudaArray_t image = nullptr;
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
  CHECK(cudaMallocArray(&image, &bytes, kWidth, kHeight));
  CHECK(cudaMemcpy2DToArray(image, 0, 0, pixels.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
  colours.addressMode[0] = colours.addressMode[1] = cudaAddressModeClamp;
  CHECK(cudaBindTextureToArray(colours, image));
  const auto check_colours = [&](const char *what) {
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < kCount; ++i) {
      const int x = std::fmin(std::fmax(std::floor(at[i].x), 0), kWidth - 1), y = std::fmin(std::fmax(std::floor(at[i].y), 0), kHeight - 1);
      expect(what, out[i], 3 * (y * kWidth + x) / 255.0f + 10 * ((255 - (y * kWidth + x)) / 255.0f));
    }
  };
  coloured<<<1, kCount>>>(at, out);
  check_colours("colours");
  colour_objects<<<1, kCount>>>(object_of(image, cudaFilterModePoint, cudaAddressModeClamp, false, cudaReadModeNormalizedFloat), at, out);
  check_colours("colours by an object");

  const cudaArray_t cube = array_of(make_cudaExtent(kWidth, kHeight, kDepth), 0, content);
  for (auto &mode : solid.addressMode) mode = cudaAddressModeClamp;
  solid.filterMode = cudaFilterModeLinear;
  CHECK(cudaBindTextureToArray(solid, cube));
  solids<<<1, kCount>>>(at, out, 1.75f); // a quarter of plane 2 behind the middle of plane 1
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; ++i) expect("3-D", out[i], filtered(at[i], cudaAddressModeClamp, false) + 125);
  const cudaArray_t stack = array_of(make_cudaExtent(kWidth, kHeight, kDepth), cudaArrayLayered, content);
  layers<<<1, kCount>>>(object_of(stack, cudaFilterModeLinear, cudaAddressModeClamp, false), at, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; ++i) expect("layers", out[i], filtered(at[i], cudaAddressModeClamp, false) + 100 * (i % 3));

  const cudaArray_t first = array_of(make_cudaExtent(kWidth, kHeight, 0), cudaArraySurfaceLoadStore, content);
  const cudaArray_t second = array_of(make_cudaExtent(kWidth, kHeight, 0), cudaArraySurfaceLoadStore, content);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = first;
  cudaSurfaceObject_t object = 0;
  CHECK(cudaCreateSurfaceObject(&object, &resource));
  CHECK(cudaBindSurfaceToArray(canvas, second));
  paint<<<kHeight, 1>>>(object, kWidth); // one thread of each row: the element to the left is outside
  CHECK(cudaDeviceSynchronize());
  float painted[2][kHeight][kWidth];
  for (int i = 0; i < 2; ++i) CHECK(cudaMemcpy2DFromArray(painted[i], kWidth * 4, i ? second : first, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToHost));
  for (int y = 0; y < kHeight; ++y) {
    expect("painted", painted[0][y][0], y);
    expect("outside", painted[1][y][0], 0);
    expect("untouched", painted[1][y][1], texel(1, y, 0));
  }
  puts(failures == 0 ? "ok" : "failed");
  return failures != 0;
}
