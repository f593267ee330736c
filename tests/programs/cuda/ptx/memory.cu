// Inline PTX that accesses memory, and that of warps and blocks: each kernel twice, once in PTX and once in C++.
// Both give the host's results, and their captures have the same accesses.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kThreads = 128, kBlocks = 3, kCount = kThreads * kBlocks;
constexpr unsigned kAll = 0xffffffffu;

// Loads and stores with every kind of hint, of 1 to 16 bytes.
__global__ void copies_ptx(const float4* in, float4* out, unsigned char* bytes, double2* doubles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(in + i));
  asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out + i), "f"(v.w), "f"(v.z), "f"(v.y), "f"(v.x) : "memory");
  int small;
  asm volatile("ld.global.cg.s8 %0, [%1+1];" : "=r"(small) : "l"(bytes + 2 * i));
  asm volatile("st.global.wb.u8 [%0], %1;" ::"l"(bytes + 2 * i), "r"(small + 1) : "memory");
  asm volatile("{ .reg .f64 x, y; ld.volatile.global.v2.f64 {x, y}, [%0]; st.v2.f64 [%0], {y, x}; }" ::"l"(doubles + i) : "memory");
}
__global__ void copies_cpp(const float4* in, float4* out, unsigned char* bytes, double2* doubles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 v = __ldg(in + i);
  __stcs(out + i, make_float4(v.w, v.z, v.y, v.x));
  bytes[2 * i] = (signed char)__ldcg(bytes + 2 * i + 1) + 1;
  const double2 both = __ldcv(doubles + i);
  doubles[i] = make_double2(both.y, both.x);
}

// Shared memory by addresses of 32 bits, as cvta gives them, and a barrier.
__global__ void reverse_ptx(const int* in, int* out) {
  __shared__ int other[8], tile[kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned base;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(base) : "l"(tile));
  if (threadIdx.x < 8) other[threadIdx.x] = i;
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(base + 4 * threadIdx.x), "r"(in[i]) : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  int value;
  asm volatile("ld.shared.s32 %0, [%1+-4];" : "=r"(value) : "r"((unsigned)__cvta_generic_to_shared(tile + kThreads - threadIdx.x)));
  asm volatile("st.global.s32 [%0], %1;" ::"l"(out + i), "r"(value + other[threadIdx.x % 8]) : "memory");
}
__global__ void reverse_cpp(const int* in, int* out) {
  __shared__ int other[8], tile[kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 8) other[threadIdx.x] = i;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[kThreads - threadIdx.x - 1] + other[threadIdx.x % 8];
}

__global__ void atomics_ptx(unsigned* sums, unsigned long long* wide, float* real) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(sums), "r"(i) : "memory");
  asm volatile("red.relaxed.gpu.global.max.s32 [%0+4], %1;" ::"l"(sums), "r"(i) : "memory");
  asm volatile("{ .reg .b32 t; atom.cas.b32 t, [%0], %1, %2; }" ::"l"(sums + 2), "r"(0), "r"(i + 1) : "memory");
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %0, 100; @p red.global.add.u64 [%1], %2; }" ::"r"(i), "l"(wide), "l"((unsigned long long)i << 32) : "memory");
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(real), "f"(0.5f) : "memory");
  asm volatile("atom.inc.u32 %0, [%1], 1000;" : "=r"(old) : "l"(sums + 3) : "memory");
}
__global__ void atomics_cpp(unsigned* sums, unsigned long long* wide, float* real) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sums, i);
  atomicMax((int*)sums + 1, (int)i);
  atomicCAS(sums + 2, 0u, i + 1);
  if (i < 100) atomicAdd(wide, (unsigned long long)i << 32);
  atomicAdd(real, 0.5f);
  atomicInc(sums + 3, 1000);
}

// A scan as libraries have it, and the functions of a warp and of a block.
__global__ void warps_ptx(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = in[i];
  for (int by = 1; by < 32; by *= 2)
    asm volatile("{ .reg .s32 r0; .reg .pred p; shfl.sync.up.b32 r0|p, %1, %2, 0x0, 0xffffffff; @p add.s32 r0, r0, %1; mov.s32 %0, r0; @!p mov.s32 %0, %1; }"
                 : "=r"(sum)
                 : "r"(sum), "r"(by));
  unsigned lane, below, ballot, equal, total, count;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(ballot) : "r"(in[i] & 1));
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(equal) : "r"(in[i] % 5), "r"(kAll));
  asm volatile("redux.sync.max.s32 %0, %1, %2;" : "=r"(total) : "r"(sum), "n"(kAll));
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 3; bar.red.popc.u32 %0, 0, p; }" : "=r"(count) : "r"(in[i]));
  int quarter;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 3, 0x181f, -1;" : "=r"(quarter) : "r"(sum));
  int first;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, %4;" : "=r"(first) : "r"(sum), "r"(0), "r"(0x181f), "r"(kAll));
  int next;
  asm volatile("shfl.sync.down.b32 %0, %1, %2, %3, %4;" : "=r"(next) : "r"(sum), "r"(3), "r"(0x1f), "r"(kAll));
  int* const own = out + 8 * i;
  own[0] = sum, own[1] = lane + 100 * __popc(below & ballot), own[2] = equal, own[3] = total, own[4] = count, own[5] = quarter, own[6] = first, own[7] = next;
}
__global__ void warps_cpp(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int sum = in[i];
  for (int by = 1; by < 32; by *= 2) {
    const int other = __shfl_up_sync(kAll, sum, by);
    sum += lane >= by ? other : 0;
  }
  const unsigned ballot = __ballot_sync(kAll, in[i] & 1), equal = __match_any_sync(kAll, in[i] % 5);
  const int total = __reduce_max_sync(kAll, sum), count = __syncthreads_count(in[i] > 3);
  int* const own = out + 8 * i;
  own[0] = sum, own[1] = lane + 100 * __popc(ballot & ((1u << lane) - 1)), own[2] = equal, own[3] = total, own[4] = count;
  own[5] = __shfl_xor_sync(kAll, sum, 3, 8), own[6] = __shfl_sync(kAll, sum, 0, 8), own[7] = __shfl_down_sync(kAll, sum, 3);
}

// Threads that end in the middle of a function, behind which nothing of theirs happens.
__device__ void end_ptx(bool ends) { asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p exit; }" ::"r"((unsigned)ends)); }
__global__ void ends_ptx(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  end_ptx(i >= 200);
  out[i] = in[i];
}
__global__ void ends_cpp(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 200) return;
  out[i] = in[i];
}

static int failures = 0;
static void expect(bool holds, const char* what, int i) {
  if (holds) return;
  if (++failures < 20) printf("%s: wrong at %d\n", what, i);
}
template <class T> static T* managed(size_t count) {
  T* p;
  cudaMallocManaged(&p, count * sizeof(T));
  memset(p, 0, count * sizeof(T));
  return p;
}

template <class Kernel> static void copies(Kernel kernel, const char* name) {
  float4 *in = managed<float4>(kCount), *out = managed<float4>(kCount);
  unsigned char* bytes = managed<unsigned char>(2 * kCount);
  double2* doubles = managed<double2>(kCount);
  for (int i = 0; i < kCount; ++i) {
    in[i] = make_float4(i, i + 0.25f, i + 0.5f, -i);
    bytes[2 * i + 1] = (unsigned char)(7 * i);
    doubles[i] = make_double2(i, 0.5 * i);
  }
  kernel<<<kBlocks, kThreads>>>(in, out, bytes, doubles);
  cudaDeviceSynchronize();
  for (int i = 0; i < kCount; ++i)
    expect(out[i].x == -i && out[i].y == i + 0.5f && out[i].z == i + 0.25f && out[i].w == i &&
               bytes[2 * i] == (unsigned char)(7 * i + 1) && doubles[i].x == 0.5 * i && doubles[i].y == i,
           name, i);
}
template <class Kernel> static void reverse(Kernel kernel, const char* name) {
  int *in = managed<int>(kCount), *out = managed<int>(kCount);
  for (int i = 0; i < kCount; ++i) in[i] = 3 * i;
  kernel<<<kBlocks, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < kCount; ++i) {
    const int block = i / kThreads * kThreads, thread = i % kThreads;
    expect(out[i] == 3 * (block + kThreads - 1 - thread) + block + thread % 8, name, i);
  }
}
template <class Kernel> static void atomics(Kernel kernel, const char* name) {
  unsigned* sums = managed<unsigned>(4);
  unsigned long long* wide = managed<unsigned long long>(1);
  float* real = managed<float>(1);
  kernel<<<kBlocks, kThreads>>>(sums, wide, real);
  cudaDeviceSynchronize();
  expect(sums[0] == kCount * (kCount - 1) / 2 && sums[1] == kCount - 1 && sums[2] >= 1 && sums[2] <= kCount && sums[3] == kCount, name, 0);
  expect(*wide == 4950ull << 32 && *real == 0.5f * kCount, name, 1);
}
template <class Kernel> static void warps(Kernel kernel, const char* name) {
  int *in = managed<int>(kCount), *out = managed<int>(8 * kCount);
  for (int i = 0; i < kCount; ++i) in[i] = i * 7 % 11;
  kernel<<<kBlocks, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  std::vector<int> sums(kCount);
  for (int i = 0; i < kCount; ++i) sums[i] = in[i] + (i % 32 ? sums[i - 1] : 0);
  for (int i = 0; i < kCount; ++i) {
    const int lane = i % 32, warp = i - lane, block = i / kThreads * kThreads;
    int odd = 0, count = 0, total = sums[warp];
    unsigned equal = 0;
    for (int other = 0; other < 32; ++other) {
      odd += other < lane && in[warp + other] % 2;
      equal |= (unsigned)(in[warp + other] % 5 == in[i] % 5) << other;
      total = sums[warp + other] > total ? sums[warp + other] : total;
    }
    for (int thread = 0; thread < kThreads; ++thread) count += in[block + thread] > 3;
    const int* own = out + 8 * i;
    expect(own[0] == sums[i] && own[1] == lane + 100 * odd && own[2] == (int)equal && own[3] == total && own[4] == count &&
               own[5] == sums[i ^ 3] && own[6] == sums[i / 8 * 8] && own[7] == sums[lane + 3 < 32 ? i + 3 : i],
           name, i);
  }
}

template <class Kernel> static void ends(Kernel kernel, const char* name) {
  int *in = managed<int>(kCount), *out = managed<int>(kCount);
  for (int i = 0; i < kCount; ++i) in[i] = i + 1;
  kernel<<<kBlocks, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < kCount; ++i) expect(out[i] == (i < 200 ? i + 1 : 0), name, i);
}

int main() {
  copies(copies_ptx, "copies in PTX"), copies(copies_cpp, "copies in C++");
  reverse(reverse_ptx, "reverse in PTX"), reverse(reverse_cpp, "reverse in C++");
  atomics(atomics_ptx, "atomics in PTX"), atomics(atomics_cpp, "atomics in C++");
  warps(warps_ptx, "warps in PTX"), warps(warps_cpp, "warps in C++");
  ends(ends_ptx, "ends in PTX"), ends(ends_cpp, "ends in C++");
  if (cudaGetLastError() != cudaSuccess) ++failures;
  if (failures == 0) printf("ok\n");
  return failures != 0;
}
