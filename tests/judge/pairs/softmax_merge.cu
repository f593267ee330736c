// Each thread goes once through its part of the row; then pairs of a largest number and a sum are merged.
__global__ void softmax(const float* in, float* out, int n) {
  __shared__ float2 part[2];
  const int item = threadIdx.x, first = blockIdx.x * n;
  float most = -INFINITY, sum = 0;
  for (int k = item; k < n; k += 64) {
    const float next = fmaxf(most, in[first + k]);
    sum = sum * expf(most - next) + expf(in[first + k] - next);
    most = next;
  }
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_down_sync(0xffffffff, most, step),
                add = __shfl_down_sync(0xffffffff, sum, step);
    const float next = fmaxf(most, other);
    sum = sum * expf(most - next) + add * expf(other - next);
    most = next;
  }
  if (item % 32 == 0) part[item / 32] = make_float2(most, sum);
  __syncthreads();
  const float2 a = part[0], b = part[1];
  most = fmaxf(a.x, b.x);
  sum = a.y * expf(a.x - most) + b.y * expf(b.x - most);
  for (int k = item; k < n; k += 64) out[first + k] = expf(in[first + k] - most) / sum;
}
