// Fetches without filtering (filtering.cu: with it): references and objects on linear memory, rows with a pitch, and arrays.
#include <cstdio>
#include <vector>

static int failures = 0;
static void expect(const char *what, double got, double wanted) {
  if (got == wanted)
    return;
  printf("%s: %g, expected %g\n", what, got, wanted);
  ++failures;
}
#define CHECK(call) expect(#call, (call), cudaSuccess)

texture<float, 1, cudaReadModeElementType> line;
texture<float, 2, cudaReadModeElementType> plane;
static texture<uchar4> colours;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> grey;

__global__ void gather(const int *index, float *out) { out[threadIdx.x] = tex1Dfetch(line, index[threadIdx.x]); }
__global__ void neighbours(float *out, int width) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * width + x] = tex2D(plane, x - 1, y) + tex2D(plane, x + 1.5f, y + 0.5f); // clamped at both ends
}
__global__ void reds(int *out) { out[threadIdx.x] = tex1Dfetch(colours, threadIdx.x).x; }
__global__ void greys(float *out) { out[threadIdx.x] = tex2D(grey, threadIdx.x + 0.5f, 1.5f); }
__global__ void objects(cudaTextureObject_t linear, cudaTextureObject_t rows, float *out) {
  out[threadIdx.x] = tex1Dfetch<float>(linear, threadIdx.x) + tex2D<float>(rows, threadIdx.x + 0.5f, 2.5f);
}

int main() {
  const int width = 40, height = 4, n = width * height;
  std::vector<float> host(n), out(n);
  std::vector<int> index(n), red(n);
  std::vector<uchar4> pixels(n);
  for (int i = 0; i < n; ++i) {
    host[i] = i * 0.5f;
    index[i] = i % 20 == 7 ? -1 : i % 20 == 8 ? n : n - 1 - i; // 8 on each side are outside
    pixels[i] = make_uchar4(i, 1, 2, 3);
  }
  float *device, *result;
  int *places;
  CHECK(cudaMalloc(&device, n * sizeof(float)));
  CHECK(cudaMalloc(&result, n * sizeof(float)));
  CHECK(cudaMalloc(&places, n * sizeof(int)));
  CHECK(cudaMemcpy(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(places, index.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  CHECK(cudaBindTexture(nullptr, line, device, n * sizeof(float)));
  gather<<<1, n>>>(places, result);
  CHECK(cudaMemcpy(out.data(), result, n * sizeof(float), cudaMemcpyDeviceToHost));
  expect("gathered", out[3], host[n - 4]);
  expect("in front of the texture", out[7], 0);
  expect("behind the texture", out[8], 0);
  CHECK(cudaUnbindTexture(line));

  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  plane.addressMode[0] = plane.addressMode[1] = cudaAddressModeClamp;
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMemcpyToArray(array, 0, 0, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaBindTextureToArray(plane, array, format));
  neighbours<<<height, width>>>(result, width);
  CHECK(cudaMemcpy(out.data(), result, n * sizeof(float), cudaMemcpyDeviceToHost));
  expect("left edge", out[width], host[width] + host[width + 1]);
  expect("right edge", out[n - 1], host[n - 2] + host[n - 1]);

  uchar4 *image;
  CHECK(cudaMalloc(&image, n * sizeof(uchar4)));
  CHECK(cudaMemcpy(image, pixels.data(), n * sizeof(uchar4), cudaMemcpyHostToDevice));
  CHECK(cudaBindTexture(0, colours, image));
  reds<<<1, n>>>(places);
  CHECK(cudaMemcpy(red.data(), places, n * sizeof(int), cudaMemcpyDeviceToHost));
  expect("red", red[77], 77);
  CHECK(cudaBindTexture2D(0, grey, image, width, height, width));
  greys<<<1, width>>>(result);
  CHECK(cudaMemcpy(out.data(), result, width * sizeof(float), cudaMemcpyDeviceToHost));
  expect("grey", out[1], 1 / 255.0f); // byte 41 of the pixels: the second component of pixel 10

  cudaResourceDesc linear = {}, rows = {};
  cudaTextureDesc how = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear = {device, format, 8 * sizeof(float)};
  rows.resType = cudaResourceTypeArray;
  rows.res.array.array = array;
  cudaTextureObject_t first, second;
  CHECK(cudaCreateTextureObject(&first, &linear, &how, nullptr));
  CHECK(cudaCreateTextureObject(&second, &rows, &how, nullptr));
  objects<<<1, width>>>(first, second, result);
  CHECK(cudaMemcpy(out.data(), result, width * sizeof(float), cudaMemcpyDeviceToHost));
  expect("objects", out[7], host[7] + host[2 * width + 7]);
  expect("behind an object", out[8], host[2 * width + 8]);
  how.borderColor[0] = 1;
  expect("border", cudaCreateTextureObject(&second, &rows, &how, nullptr), cudaErrorNotSupported);
  CHECK(cudaDestroyTextureObject(first));
  CHECK(cudaFreeArray(array));
  puts(failures == 0 ? "ok" : "failed");
  return failures;
}
