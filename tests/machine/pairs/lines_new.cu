extern "C" __global__ void lines(int n, const float *x, const float *w, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // The neighbour's value, too.
  float a = x[i] + x[i + 1];
  float b = w[i];
  if (i < n)
    y[i] = a * b;
}
