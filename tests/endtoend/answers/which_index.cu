// A naive multiplication whose row comes from x, the index that runs fastest, or from y. x must walk along rows.
__global__ void slow(int n, const float *a, const float *b, float *c) {
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; ++k) s += a[x * n + k] * b[k * n + y];
    c[x * n + y] = s;
}
__global__ void fast(int n, const float *a, const float *b, float *c) {
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; ++k) s += a[y * n + k] * b[k * n + x];
    c[y * n + x] = s;
}
