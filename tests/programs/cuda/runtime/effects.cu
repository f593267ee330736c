// Kernels whose addresses follow from ids alone, with statements that boxes of work-items have to refuse.
#include <cassert>
#include <cstdio>

#define EFFECT(name, statement)                            \
  __global__ void name(int* p, int n) {                    \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;   \
    p[i] = i;                                              \
    statement;                                             \
    p[i] += 1;                                             \
  }

__device__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ void put(int* p, int x) {
  if (x != 12345) *p = x;
}

__device__ int counter;

EFFECT(prints, printf("thread %d\n", i))
EFFECT(prints_at_times, if (i == 3) printf("once: %s %f\n", "text", 1.5 * n))
EFFECT(asserts, assert(i < 1000))
EFFECT(might_trap, if (n == 1234) __trap())
EFFECT(might_trap_in_assembly, if (n == 1234) asm volatile("trap;"))
EFFECT(might_exit, if (i == 5) asm volatile("exit;"))
EFFECT(assembly, asm volatile("add.s32 %0, %0, 7;" : "+r"(n)); p[i] += n)
EFFECT(allocates, int* q = (int*)malloc(16); q[1] = i; p[i] = q[1]; free(q))
EFFECT(recursive, p[i] += fibonacci(n + i % 3))
EFFECT(calls, put(p + i, n + i))
EFFECT(counts, if (atomicAdd(&counter, 1) < 0) p[i] = 7)
EFFECT(waits, if (threadIdx.x < 1000) __syncthreads())
EFFECT(waits_apart, if (threadIdx.x < 32) __syncthreads(); else __syncthreads())
EFFECT(counts_together, p[i] += __syncthreads_count(i & 1))
EFFECT(shuffles, p[i] += __shfl_xor_sync(~0u, i, 1))
EFFECT(shuffles_apart, if (threadIdx.x < 32) p[i] += __shfl_xor_sync(~0u, i, 1))
EFFECT(volatile_shared, __shared__ volatile int s[64]; if (i & 1) s[threadIdx.x] = i; p[i] += i & 1 ? s[threadIdx.x] : 0)
EFFECT(looks_at_the_clock, if (clock64() == 0) p[i] = 0)
EFFECT(searches, for (int k = i; k != 1 && p[i] >= 0;) { k = k & 1 ? 1 : k / 2 + !k; p[i] += k; })
EFFECT(fences, __threadfence(); __threadfence_block())

int main() {
  int* p;
  cudaMalloc(&p, 128 * sizeof(int));
  void (*const kernels[])(int*, int) = {
      prints,  prints_at_times, asserts,       might_trap,  might_trap_in_assembly, might_exit,     assembly,
      allocates, recursive,     calls,         counts,      waits,                  waits_apart,    counts_together,
      shuffles, shuffles_apart, volatile_shared, looks_at_the_clock, searches,      fences};
  for (const auto kernel : kernels) {
    static int content[128];
    kernel<<<2, 64>>>(p, 3);
    unsigned sum = 0;
    const cudaError_t error = cudaMemcpy(content, p, sizeof(content), cudaMemcpyDeviceToHost);
    for (const int value : content) sum = sum * 31 + value;
    printf("%u %s\n", sum, cudaGetErrorName(error));
  }
}
