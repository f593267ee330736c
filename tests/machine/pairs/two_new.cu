extern "C" __global__ void scale(float *a) { a[threadIdx.x] *= a[0]; }
extern "C" __global__ void clear(float *a) { a[threadIdx.x] = 0; }
extern "C" __global__ void shift(float *a) { a[threadIdx.x] += 2; }
