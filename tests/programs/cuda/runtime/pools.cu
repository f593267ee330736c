// Memory pools: what they count, and what they refuse.
#include <cstdint>
#include <cstdio>

__global__ void fill(int* to, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = value;
}

int failures = 0;
void expect(const char* what, cudaError_t got, cudaError_t wanted = cudaSuccess) {
  if (got == wanted) return;
  std::printf("%s: %s instead of %s\n", what, cudaGetErrorName(got), cudaGetErrorName(wanted));
  ++failures;
}
void expect_bytes(const char* what, cudaMemPool_t pool, cudaMemPoolAttr attribute, uint64_t wanted) {
  uint64_t got = 1;
  expect(what, cudaMemPoolGetAttribute(pool, attribute, &got));
  if (got == wanted) return;
  std::printf("%s: %llu bytes instead of %llu\n", what, (unsigned long long)got, (unsigned long long)wanted);
  ++failures;
}

int main() {
  cudaMemPool_t device_pool, own, now;
  cudaStream_t stream;
  int *a, *b, *c;
  expect("stream", cudaStreamCreate(&stream));
  expect("default", cudaDeviceGetDefaultMemPool(&device_pool, 0));
  expect("no device", cudaDeviceGetDefaultMemPool(&now, 1), cudaErrorInvalidDevice);
  uint64_t threshold = UINT64_MAX;
  expect("threshold", cudaMemPoolSetAttribute(device_pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  expect_bytes("threshold", device_pool, cudaMemPoolAttrReleaseThreshold, UINT64_MAX);
  expect("default's", cudaMallocAsync(&a, 4000, stream));
  expect_bytes("used", device_pool, cudaMemPoolAttrUsedMemCurrent, 4000);

  cudaMemPoolProps wanted = {};
  expect("no properties", cudaMemPoolCreate(&own, &wanted), cudaErrorInvalidValue);
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location.type = cudaMemLocationTypeDevice;
  expect("create", cudaMemPoolCreate(&own, &wanted));
  expect("from it", cudaMallocFromPoolAsync(&b, 1000, own, 0));
  expect("set", cudaDeviceSetMemPool(0, own));
  expect("get", cudaDeviceGetMemPool(&now, 0));
  expect("the device's now", cudaMallocAsync(&c, 24, NULL));
  expect_bytes("used of its own", now, cudaMemPoolAttrUsedMemCurrent, 1024);
  expect("free", cudaFreeAsync(b, stream));
  expect_bytes("used after that", own, cudaMemPoolAttrUsedMemCurrent, 24);
  expect_bytes("highest", own, cudaMemPoolAttrUsedMemHigh, 1024);
  uint64_t nothing = 0, more = 7;
  expect("reset", cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &nothing));
  expect_bytes("highest after that", own, cudaMemPoolAttrUsedMemHigh, 24);
  expect("not to another value", cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &more),
         cudaErrorInvalidValue);
  expect("trim", cudaMemPoolTrimTo(own, 0));

  fill<<<8, 128, 0, stream>>>(a, 1000, 5);
  int value = 0;
  expect("copy", cudaMemcpyAsync(&value, a + 999, sizeof(int), cudaMemcpyDeviceToHost, stream));
  if (value != 5) std::printf("%d instead of 5\n", value), ++failures;
  expect("free", cudaFreeAsync(a, stream));
  expect("free", cudaFree(c));
  expect("destroy", cudaMemPoolDestroy(own));
  expect("destroy again", cudaMemPoolDestroy(own), cudaErrorInvalidValue);
  expect("destroy the device's", cudaMemPoolDestroy(device_pool), cudaErrorInvalidValue);
  std::printf("%s\n", failures == 0 ? "ok" : "failed");
}
