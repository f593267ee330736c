// Shared memory through which a warp's threads may exchange values, in loops that are unrolled under conditions: the number of
// places where they meet grows with the square of B. The elimination is of unsigned integers, so that the host's is equal.
#include <cstdio>

template <int B>
__global__ void eliminate(unsigned* m) {
  __shared__ unsigned s[B][B];
  const int t = threadIdx.x;
  for (int j = 0; j < B; j++)
    if (t < B) s[t][j] = m[t * B + j];
  __syncthreads();
  for (int i = 0; i < B - 1; i++) {
    if (t > i && t < B) {
      for (int j = 0; j < i; j++) s[t][i] -= s[t][j] * s[j][i];
      s[t][i] ^= s[i][i];
    }
    __syncthreads();
  }
  for (int j = 0; j < B; j++)
    if (t < B) m[t * B + j] = s[t][j];
}

template <int B>
bool is_right() {
  unsigned expected[B][B], found[B][B];
  for (int i = 0; i < B * B; i++) expected[i / B][i % B] = i * 2654435761u;
  unsigned* m;
  cudaMalloc(&m, sizeof(expected));
  cudaMemcpy(m, expected, sizeof(expected), cudaMemcpyHostToDevice);
  eliminate<B><<<1, 32>>>(m);
  cudaMemcpy(found, m, sizeof(found), cudaMemcpyDeviceToHost);
  for (int i = 0; i < B - 1; i++)
    for (int t = i + 1; t < B; t++) {
      for (int j = 0; j < i; j++) expected[t][i] -= expected[t][j] * expected[j][i];
      expected[t][i] ^= expected[i][i];
    }
  for (int i = 0; i < B * B; i++)
    if (expected[i / B][i % B] != found[i / B][i % B]) return false;
  return cudaFree(m) == cudaSuccess;
}

int main() {
  printf("%d %d %d %d\n", is_right<4>(), is_right<8>(), is_right<13>(), is_right<20>());
}
