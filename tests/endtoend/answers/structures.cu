// One number of an element goes to seven fields and back to another one: a structure per element, or an array per field.
__global__ void structures(double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = (float)in[3 * i];
    for (int field = 0; field < 7; ++field) out[7 * i + field] = a;
    in[3 * i + 1] = a;
}
__global__ void arrays(double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = (float)in[i];
    for (int field = 0; field < 7; ++field) out[field * n + i] = a;
    in[n + i] = a;
}
