// A cube's faces as a texture: each direction finds its face, and its place on it (CUDA C++ Programming Guide, "Cubemap Textures"). For nvcc only.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kWidth = 8, kFaces = 6;

__global__ void look(cudaTextureObject_t cube, const float3* directions, float* found) {
  const float3 d = directions[threadIdx.x];
  found[threadIdx.x] = texCubemap<float>(cube, d.x, d.y, d.z);
}

static int wrong = 0;
static void expect(const char* what, float got, float expected) {
  if (got == expected) return;
  ++wrong;
  std::printf("%s: %g, expected %g\n", what, got, expected);
}

int main() {
  std::vector<float> texels(kWidth * kWidth * kFaces);
  for (int i = 0; i < static_cast<int>(texels.size()); ++i) texels[i] = static_cast<float>(i);
  const cudaChannelFormatDesc type = cudaCreateChannelDesc<float>();
  const cudaExtent extent = make_cudaExtent(kWidth, kWidth, kFaces);
  cudaArray_t array, other;
  expect("five faces", cudaMalloc3DArray(&other, &type, make_cudaExtent(kWidth, kWidth, 5), cudaArrayCubemap), cudaErrorInvalidValue);
  expect("no square", cudaMalloc3DArray(&other, &type, make_cudaExtent(kWidth, 4, kFaces), cudaArrayCubemap), cudaErrorInvalidValue);
  expect("array", cudaMalloc3DArray(&array, &type, extent, cudaArrayCubemap), cudaSuccess);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), kWidth * sizeof(float), kWidth, kWidth);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  expect("copy", cudaMemcpy3D(&copy), cudaSuccess);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  how.normalizedCoords = 1;
  how.filterMode = cudaFilterModePoint;
  cudaTextureObject_t cube;
  expect("texture", cudaCreateTextureObject(&cube, &resource, &how, nullptr), cudaSuccess);

  // By the guide's table: the largest coordinate m chooses the face, and (s, t) of it are (s / |m| + 1) / 2 and (t / |m| + 1) / 2.
  std::vector<float3> directions;
  std::vector<float> expected;
  for (int face = 0; face < kFaces; ++face)
    for (int row = 0; row < kWidth; row += 3)
      for (int column = 0; column < kWidth; column += 3) {
        const float s = (2 * column + 1.0f) / kWidth - 1, t = (2 * row + 1.0f) / kWidth - 1;
        const float3 of_face[kFaces] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
        directions.push_back(of_face[face]);
        expected.push_back(static_cast<float>((face * kWidth + row) * kWidth + column));
      }
  const int n = static_cast<int>(directions.size());
  float3* of_device;
  float* found;
  cudaMallocManaged(&of_device, n * sizeof(float3));
  cudaMallocManaged(&found, n * sizeof(float));
  for (int i = 0; i < n; ++i) of_device[i] = directions[i];
  look<<<1, n>>>(cube, of_device, found);
  expect("run", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < n; ++i) expect("texel", found[i], expected[i]);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
