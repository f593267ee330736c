// A shift by as many bits as a number has, or by more, leaves nothing of it but its sign: in every lane, as an operand of an atomic, by
// amounts that are known, that are the same in all lanes, and that are not.
#include <cstdint>
#include <cstdio>

constexpr int kThreads = 96;

struct Found {
  unsigned left, right, both;
  int sign;
  uint64_t wide;
};

__global__ void shift(const int* by, Found* found) {
  const int t = threadIdx.x, n = by[t];
  const unsigned x = 0x80000001u + t;
  found[t].left = x << n;
  atomicOr(&found[t].right, x >> n);
  atomicAdd(&found[t].both, (x << (32 - n)) + (x >> (31 + by[0])));
  found[t].sign = (int)x >> n;
  found[t].wide = (uint64_t{x} << 32) >> n;
}

int main() {
  int* by;
  Found* found;
  cudaMallocManaged(&by, kThreads * sizeof(int));
  cudaMallocManaged(&found, kThreads * sizeof(Found));
  cudaMemset(found, 0, kThreads * sizeof(Found));
  for (int t = 0; t < kThreads; t++) by[t] = t;
  by[0] = 1;
  shift<<<1, kThreads>>>(by, found);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int t = 0; t < kThreads; t++) {
    const int n = by[t];
    const uint64_t x = 0x80000001u + t;  // no bit is lost on the left of 64
    // 32 - n is a huge number where n is more than 32, as hardware takes it.
    const unsigned left = n < 32 ? unsigned(x << n) : 0, right = n < 32 ? unsigned(x >> n) : 0;
    const unsigned rest = n > 0 && n <= 32 ? unsigned(x << (32 - n)) : 0;
    const int sign = n < 32 ? int(-((0x100000000 - int64_t(x) + (int64_t{1} << n) - 1) >> n)) : -1;
    const uint64_t wide = n < 64 ? x << 32 >> n : 0;
    wrong += found[t].left != left || found[t].right != right || found[t].both != rest || found[t].sign != sign || found[t].wide != wide;
  }
  printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
}
