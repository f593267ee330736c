extern "C" __global__ void scale(float *a) { a[threadIdx.x] *= 2; }
extern "C" __global__ void shift(float *a) { a[threadIdx.x] += 2; }
