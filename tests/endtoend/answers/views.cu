// Components of an element next to each other, or n apart, which is coalesced.
__global__ void near(const double *in, double *v, double *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = in[2 * i], b = in[2 * i + 1];
    v[2 * i] = a; v[2 * i + 1] = b;
    t[4 * i] = a; t[4 * i + 1] = b; t[4 * i + 2] = a + b; t[4 * i + 3] = a - b;
}
__global__ void apart(const double *in, double *v, double *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = in[i], b = in[n + i];
    v[i] = a; v[n + i] = b;
    t[i] = a; t[n + i] = b; t[2 * n + i] = a + b; t[3 * n + i] = a - b;
}
