// Warps reduce in registers; two of them meet in shared memory.
__global__ void softmax(const float* in, float* out, int n) {
  __shared__ float mosts[2], sums[2];
  const int item = threadIdx.x, first = blockIdx.x * n;
  float most = -INFINITY, sum = 0;
  for (int k = item; k < n; k += 64) most = fmaxf(most, in[first + k]);
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
  if (item % 32 == 0) mosts[item / 32] = most;
  __syncthreads();
  most = fmaxf(mosts[0], mosts[1]);
  for (int k = item; k < n; k += 64) sum += expf(in[first + k] - most);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  sums[item / 32] = sum;  // all lanes have it
  __syncthreads();
  for (int k = item; k < n; k += 64) out[first + k] = expf(in[first + k] - most) / (sums[0] + sums[1]);
}
