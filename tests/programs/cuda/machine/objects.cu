// Texture and surface objects, and clusters that a launch asks for, of programs that nvcc built: what each gives is compared with plain arithmetic.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int kWidth = 16, kHeight = 8;

__global__ void read_and_write(cudaTextureObject_t points, cudaTextureObject_t between, cudaTextureObject_t line, cudaSurfaceObject_t out, float* sums) {
  const int x = threadIdx.x, y = threadIdx.y;
  const float point = tex2D<float>(points, x + 0.5f, y + 0.5f);
  const float middle = tex2D<float>(between, (x + 1.0f) / kWidth, (y + 0.5f) / kHeight);  // between x and its neighbour, which the border repeats
  const float3 rest = {tex1Dfetch<float4>(line, x).y, tex1Dfetch<float4>(line, x).z, tex1Dfetch<float4>(line, x).w};
  surf2Dwrite(2 * point, out, x * 4, y);
  sums[y * kWidth + x] = 100 * point + 10 * middle + rest.x + rest.y + rest.z;
}

__global__ void neighbours(int* out) {
  __shared__ int own;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) own = 10 * blockIdx.x;
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&own, next) + cluster.num_blocks();
  cluster.sync();
}

static cudaArray_t array_of(const float* values, unsigned flags) {
  cudaArray_t array;
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &floats, kWidth, kHeight, flags);
  if (values != nullptr) cudaMemcpy2DToArray(array, 0, 0, values, kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice);
  return array;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc& resource, bool is_linear) {
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.normalizedCoords = is_linear;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  return texture;
}

static void textures() {
  std::vector<float> values(kWidth * kHeight), found(kWidth * kHeight), written(kWidth * kHeight);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 64);
  std::vector<float4> quads(kWidth);
  for (int x = 0; x < kWidth; ++x) quads[x] = {-1, x * 1.0f, 0.5f, 0.25f};
  float4* line;
  float* sums;
  cudaMalloc(&line, kWidth * sizeof(float4));
  cudaMalloc(&sums, found.size() * 4);
  cudaMemcpy(line, quads.data(), kWidth * sizeof(float4), cudaMemcpyHostToDevice);
  const cudaArray_t from = array_of(values.data(), 0), to = array_of(nullptr, cudaArraySurfaceLoadStore);
  cudaResourceDesc array = {}, linear = {}, surface = {};
  array.resType = surface.resType = cudaResourceTypeArray;
  array.res.array.array = from;
  surface.res.array.array = to;
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = line;
  linear.res.linear.desc = cudaCreateChannelDesc<float4>();
  linear.res.linear.sizeInBytes = kWidth * sizeof(float4);
  cudaDestroyTextureObject(texture_of(array, false));  // a handle that is free again
  const cudaTextureObject_t points = texture_of(array, false), between = texture_of(array, true), quad = texture_of(linear, false);
  cudaSurfaceObject_t out = 0;
  cudaCreateSurfaceObject(&out, &surface);
  read_and_write<<<1, dim3(kWidth, kHeight)>>>(points, between, quad, out, sums);
  cudaMemcpy(found.data(), sums, found.size() * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy2DFromArray(written.data(), kWidth * 4, to, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const float own = values[y * kWidth + x], next = values[y * kWidth + (x + 1 < kWidth ? x + 1 : x)];
      const float expected = 100 * own + 10 * (own + next) / 2 + x + 0.75f;
      wrong += found[y * kWidth + x] != expected || written[y * kWidth + x] != 2 * own ? 1 : 0;
    }
  std::printf("textures %d wrong %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
}

static void clusters() {
  int* out;
  cudaMalloc(&out, 8 * sizeof(int));
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 4;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 8;
  config.blockDim = 32;
  config.attrs = &cluster;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, neighbours, out);
  int found[8], wrong = 0;
  cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i) wrong += found[i] != 10 * (i / 4 * 4 + (i + 1) % 4) + 4 ? 1 : 0;
  std::printf("clusters %d wrong %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
  config.gridDim = 6;  // no multiple
  std::printf("grid %s\n", cudaGetErrorString(cudaLaunchKernelEx(&config, neighbours, out)));
}

int main() {
  textures();
  clusters();
  return 0;
}
