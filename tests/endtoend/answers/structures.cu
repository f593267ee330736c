// One number of an element goes to a scalar, a vector of two, a tensor of four and back to another number: components next to each other, or n apart.
__global__ void structures(double *in, double *scalar, double *v, double *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = in[3 * i];
    scalar[i] = a;
    for (int c = 0; c < 2; ++c) v[2 * i + c] = a;
    for (int c = 0; c < 4; ++c) t[4 * i + c] = a;
    in[3 * i + 1] = a;
}
__global__ void arrays(double *in, double *scalar, double *v, double *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = in[i];
    scalar[i] = a;
    for (int c = 0; c < 2; ++c) v[c * n + i] = a;
    for (int c = 0; c < 4; ++c) t[c * n + i] = a;
    in[n + i] = a;
}
