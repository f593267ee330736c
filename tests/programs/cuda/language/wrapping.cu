// Addresses of shared memory have 32 bits on a GPU: s[~i] with an unsigned i is the element i + 1 in front of s. And a kernel
// whose name, with its template arguments, is longer than a file's may be.
#include <cstdio>

__global__ void backwards(const int* in, int* out, unsigned n) {
  __shared__ int tile[128];
  const unsigned i = threadIdx.x;
  tile[i] = in[i];
  __syncthreads();
  const int* behind = tile + n;
  out[i] = behind[~i];                      // tile[n - 1 - i]
  out[n + i] = (tile + i)[n - 2 * i - 1u];  // the same; the index wraps for the upper half
}

template <class Left, class Right, int Depth>
struct PairOfTwoTypesWithALongName {
  Left left;
  Right right;
};
template <class T>
__global__ void sum_of_members(T value, float* out) {
  *out = value.left.left.left + value.left.right.right + value.right.left.left + value.right.right.right;
}

int main() {
  constexpr int n = 128;
  int *in, *out;
  float* sum;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, 2 * n * sizeof(int));
  cudaMallocManaged(&sum, sizeof(float));
  for (int i = 0; i < n; ++i) in[i] = 1000 + i;
  backwards<<<1, n>>>(in, out, n);
  using Inner = PairOfTwoTypesWithALongName<float, double, 1000000001>;
  using Outer = PairOfTwoTypesWithALongName<Inner, Inner, 1000000002>;
  using Outermost = PairOfTwoTypesWithALongName<Outer, Outer, 1000000003>;
  sum_of_members<<<1, 1>>>(Outermost{{{1, 0}, {0, 2}}, {{3, 0}, {0, 4}}}, sum);
  cudaDeviceSynchronize();
  int wrong = *sum != 10 || cudaGetLastError() != cudaSuccess;
  for (int i = 0; i < 2 * n; ++i) wrong += out[i] != 1000 + n - 1 - i % n;
  printf("%d wrong\n", wrong);
}
