// CUDA in a .cpp file (-x cu) that becomes a shared library.
__device__ int bias = 3;

__global__ void add_bias(int* numbers, int count) {
  const int i = threadIdx.x;
  if (i >= count) return;
  __syncthreads();  // not all come: the threads have their own stacks
  numbers[i] += bias;
}

extern "C" int run_plugin(int* numbers, int count) {
  int* device = nullptr;
  if (cudaMalloc(&device, count * sizeof(int)) != cudaSuccess) return 1;
  cudaMemcpy(device, numbers, count * sizeof(int), cudaMemcpyHostToDevice);
  add_bias<<<1, 64>>>(device, count);
  const cudaError_t status = cudaMemcpy(numbers, device, count * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device);
  return status;
}
