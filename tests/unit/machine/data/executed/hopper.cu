// Barriers in shared memory, bulk copies and wide atomics, sm_90.
using u32 = unsigned;
using u64 = unsigned long long;

__device__ u32 shared_address(const void* p) {
  return static_cast<u32>(__cvta_generic_to_shared(p));
}
__device__ void init(u64* barrier, u32 count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
__device__ u64 arrive(u64* barrier) {
  u64 token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(barrier)) : "memory");
  return token;
}
__device__ u64 arrive(u64* barrier, u32 count) {
  u64 token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(shared_address(barrier)), "r"(count)
               : "memory");
  return token;
}
__device__ void expect(u64* barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
__device__ bool is_over(u64* barrier, u64 token) {
  u32 over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(over)
               : "r"(shared_address(barrier)), "l"(token)
               : "memory");
  return over != 0;
}
__device__ bool is_parity_over(u64* barrier, u32 parity) {
  u32 over;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(over)
               : "r"(shared_address(barrier)), "r"(parity)
               : "memory");
  return over != 0;
}

/// Two boxes: copied in, changed, copied out.
extern "C" __global__ void bulk(const u32* in, u32* out, u32 tiles) {
  __shared__ alignas(128) u32 boxes[2][256];
  __shared__ u64 full[2];
  const u32 t = threadIdx.x, first = blockIdx.x * tiles;
  if (t == 0) {
    init(&full[0], 1);
    init(&full[1], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  for (u32 tile = 0; tile < tiles; ++tile) {
    u32* box = boxes[tile % 2];
    u64* barrier = &full[tile % 2];
    const u32* from = in + (first + tile) * 256;
    u32* to = out + (first + tile) * 256;
    if (t == 0) {
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      expect(barrier, 1024);
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(
                       shared_address(box)),
                   "l"(from), "r"(shared_address(barrier))
                   : "memory");
    }
    while (!is_parity_over(barrier, tile / 2 % 2))
      ;
    for (u32 i = t; i < 256; i += blockDim.x) box[i] = box[i] * 3 + tile;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(to), "r"(shared_address(box))
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// Rounds with two phases each; the last lanes leave the barrier after two rounds.
extern "C" __global__ void tokens(const u32* in, u32* out, u32 leaving) {
  __shared__ u64 barrier;
  __shared__ u32 box[256];
  const u32 t = threadIdx.x, n = blockDim.x;
  if (t == 0) init(&barrier, n);
  __syncthreads();
  u32 x = in[t];
#pragma unroll 1
  for (u32 round = 0; round < 5; ++round) {
    const u32 there = round < 2 ? n : n - leaving;
    box[t] = x;
    u64 token = arrive(&barrier);
    x ^= round * 77;
    while (!is_over(&barrier, token))
      ;
    const u32 y = box[(t + 1) % there];
    if (round == 1 && t >= n - leaving) {
      asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
      break;
    }
    token = arrive(&barrier);
    while (!is_over(&barrier, token))
      ;
    x = x * 5 + y;
  }
  out[t] = x;
}

/// Arrivals that count more than one, and how many are still to come.
extern "C" __global__ void counted(u32* out) {
  __shared__ u64 barrier;
  if (threadIdx.x == 0) {
    init(&barrier, 12);
    for (u32 i = 0; i < 6; ++i) {
      u32 count;
      const u64 token = arrive(&barrier, i % 3 + 1);
      asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
      out[i] = count + 100 * is_over(&barrier, token);
    }
  }
}

/// Copies of single words that arrive when they are made: counted by the barrier, or besides what it counts.
extern "C" __global__ void copies_arrive(const u32* in, u32* out) {
  __shared__ u64 barriers[2];
  __shared__ u32 box[256];
  const u32 t = threadIdx.x, n = blockDim.x;
  if (t == 0) {
    init(&barriers[0], n);
    init(&barriers[1], n);
  }
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&box[t])), "l"(in + t) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&barriers[0])) : "memory");
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(&barriers[1])) : "memory");
  arrive(&barriers[1]);
  while (!is_parity_over(&barriers[0], 0) || !is_parity_over(&barriers[1], 0))
    ;
  out[t] = box[n - 1 - t];
}

/// Each thread adds to four reals, and to eight halves; then they exchange 128 bits, and swap them where they are as expected.
extern "C" __global__ void wide_atomics(float* reals, unsigned short* halves, u64* words) {
  const float x = static_cast<float>(threadIdx.x + 1);
  asm volatile("red.global.v4.f32.add [%0], {%1, %2, %3, %4};" ::"l"(reals), "f"(x), "f"(2 * x), "f"(-x), "f"(0.5f)
               : "memory");
  const u32 ones = 0x3c003c00, twos = 0x40004000;
  asm volatile("red.global.v4.f16x2.add.noftz [%0], {%1, %2, %1, %2};" ::"l"(halves), "r"(ones), "r"(twos) : "memory");
  u64 low, high;
  asm volatile("{ .reg .b128 a, b; mov.b128 a, {%3, %4}; atom.global.exch.b128 b, [%2], a; mov.b128 {%0, %1}, b; }"
               : "=l"(low), "=l"(high)
               : "l"(words), "l"(u64{threadIdx.x}), "l"(u64{threadIdx.x + 1000})
               : "memory");
  words[4 + 2 * threadIdx.x] = low;
  words[5 + 2 * threadIdx.x] = high;
  asm volatile("{ .reg .b128 a, b, c; mov.b128 a, {%1, %2}; mov.b128 b, {%3, %4}; atom.global.cas.b128 c, [%0], a, b; }" ::"l"(
                   words + 2),
               "l"(u64{threadIdx.x}), "l"(~u64{threadIdx.x}), "l"(u64{threadIdx.x + 1}), "l"(~u64{threadIdx.x + 1})
               : "memory");
}
