// malloc, free, new and delete in kernels: memory that stays between launches, up to a limit.
#include <cstdio>

struct Node {
  int value;
  Node* next;
  __device__ Node(int value, Node* next) : value(value), next(next) {}
};

__device__ int* blocks[64];
__device__ Node* list;

__global__ void give() {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  blocks[i] = (int*)malloc(10 * sizeof(int));
}
__global__ void fill() {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 10; ++k) blocks[i][k] = i + k;
}
__global__ void sum(int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int total = 0;
  for (int k = 0; k < 10; ++k) total += blocks[i][k];
  sums[i] = total;
  free(blocks[i]);
}
__global__ void chain(int* out) {
  for (int i = 0; i < 5; ++i) list = new Node(i, list);
  int total = 0;
  while (list != nullptr) {
    Node* const first = list;
    total += first->value;
    list = first->next;
    delete first;
  }
  double* const many = new double[100];
  many[99] = total;
  *out = int(many[99]);
  delete[] many;
}
// How many KiB fit: the rest of the program needs them back.
__global__ void most(int* out) {
  int count = 0;
  void* last = nullptr;
  for (;; ++count) {
    void** const block = (void**)malloc(1024);
    if (block == nullptr) break;
    *block = last;
    last = block;
  }
  while (last != nullptr) {
    void* const before = *(void**)last;
    free(last);
    last = before;
  }
  void* const none = malloc(0);
  out[0] = count;
  out[1] = malloc(size_t(1) << 40) == nullptr && none == nullptr;
}

static int value_of(const int* p) {
  int value;
  cudaMemcpy(&value, p, sizeof(value), cudaMemcpyDeviceToHost);
  return value;
}

int main(int argc, char**) {
  size_t limit = 0;
  cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
  printf("%zu\n", limit);
  if (argc > 1) printf("%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20)));
  int* sums;
  cudaMallocManaged(&sums, 64 * sizeof(int));
  give<<<2, 32>>>();
  fill<<<2, 32>>>();
  sum<<<2, 32>>>(sums);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 64; ++i) wrong += sums[i] != 10 * i + 45;
  chain<<<1, 1>>>(sums);
  printf("%d wrong, sum %d\n", wrong, value_of(sums));
  most<<<1, 1>>>(sums);
  printf("%d KiB, %d\n", value_of(sums), value_of(sums + 1));
  int* block = nullptr;
  give<<<2, 32>>>();
  cudaMemcpyFromSymbol(&block, blocks, sizeof(block));
  printf("%s\n", cudaGetErrorName(cudaMemcpy(sums, block, 4, cudaMemcpyDeviceToHost)));
  printf("%s\n", cudaGetErrorName(cudaFree(block)));
  printf("%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20)));
}
