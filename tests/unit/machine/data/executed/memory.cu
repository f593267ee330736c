// Memory that code asks for, copies from global to shared memory of which lanes copy a part, or nothing, and constants of 64 bits.
using u32 = unsigned;

struct Node {
  Node* next;
  u32 value;
};

/// A list per thread, of `length` nodes; each third one is given back. null: how often there was no more memory.
extern "C" __global__ void lists(u32* out, u32* null, u32 length, u32 bytes) {
  Node* first = nullptr;
  for (u32 i = 0; i < length; ++i) {
    Node* node = static_cast<Node*>(malloc(bytes));
    if (node == nullptr) {
      atomicAdd(null, 1);
      continue;
    }
    node->value = i * (threadIdx.x + 1);
    node->next = first;
    first = node;
    if (i % 3 == 2) {
      first = node->next;
      free(node);
    }
  }
  u32 sum = 0;
  while (first != nullptr) {
    Node* next = first->next;
    sum = sum * 7 + first->value;
    free(first);
    first = next;
  }
  out[threadIdx.x] = sum;
}

/// kind 0: behind the end; 1: after it was given back; 2: given back twice
extern "C" __global__ void misused(u32* out, u32 kind) {
  u32* words = static_cast<u32*>(malloc(40));
  words[9] = 5;
  if (kind == 0) words[10] = 6;
  free(words);
  if (kind == 1) out[0] = *static_cast<volatile u32*>(words + 1);
  if (kind == 2) free(words);
}

/// ptxas keeps the upper half of such constants in the instruction.
extern "C" __global__ void constants(double* reals, float* singles) {
  asm("cvt.rn.f64.u64 %0, 0xc020000000000000;" : "=d"(reals[0]));
  asm("cvt.rn.f64.s64 %0, 0xc020000000000000;" : "=d"(reals[1]));
  asm("cvt.rn.f32.u64 %0, 0x4000000000000000;" : "=f"(singles[0]));
  asm("cvt.rn.f32.s64 %0, 0xc000000000000000;" : "=f"(singles[1]));
  asm("cvt.rn.f64.u64 %0, 0x0000000000000007;" : "=d"(reals[2]));
}

#if __CUDA_ARCH__ >= 800
/// 16 bytes of which `sizes` says how many are copied; then words that lanes below `limit` leave out. The rest becomes 0.
extern "C" __global__ void parts(const u32* in, const u32* sizes, u32* out, u32 limit) {
  __shared__ alignas(16) u32 box[64][4];
  __shared__ u32 words[64];
  const u32 t = threadIdx.x;
  for (u32 i = 0; i < 4; ++i) box[t][i] = ~0u;
  words[t] = ~0u;
  const u32 to = static_cast<u32>(__cvta_generic_to_shared(box[t]));
  const u32 word = static_cast<u32>(__cvta_generic_to_shared(&words[t]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in + 4 * t), "r"(sizes[t]) : "memory");
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %2, %3; cp.async.ca.shared.global [%0], [%1], 4, p; }" ::"r"(word),
               "l"(in + t), "r"(t), "r"(limit)
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  const u32 other = 63 - t;
  for (u32 i = 0; i < 4; ++i) out[other * 5 + i] = box[other][i];
  out[other * 5 + 4] = words[other];
}
#endif
