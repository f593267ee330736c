// Copies of tensors by tensor maps (TMA), sm_90a.
using u32 = unsigned;
using u64 = unsigned long long;
struct alignas(64) Map {
  u64 words[16];
};

extern __shared__ unsigned char box[];

__device__ u32 shared_address(const void* p) {
  return static_cast<u32>(__cvta_generic_to_shared(p));
}
/// The box lies at a multiple of 1,024 bytes.
__device__ u32 box_address() {
  return (shared_address(box) + 1023) / 1024 * 1024;
}
__device__ void init(u64* barrier, u32 bytes) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
__device__ void wait(u64* barrier) {
  u32 over = 0;
  while (!over)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(shared_address(barrier))
                 : "memory");
}
__device__ void show(u32* out, u32 bytes) {
  for (u32 i = threadIdx.x; i < bytes / 4; i += blockDim.x)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(out[i]) : "r"(box_address() + i * 4) : "memory");
}
__device__ void set(const u32* in, u32 bytes) {
  for (u32 i = threadIdx.x; i < bytes / 4; i += blockDim.x)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(box_address() + i * 4), "r"(in[i]) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

#define C1 "{%2}"
#define C2 "{%2, %3}"
#define C3 "{%2, %3, %4}"
#define C4 "{%2, %3, %4, %5}"
#define C5 "{%2, %3, %4, %5, %6}"
#define WITH "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])
#define KERNELS(n)                                                                                                   \
  __device__ void load_box_##n(const void* map, const int* c, u64* barrier) {                                        \
    asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " \
                 C##n "], [%7];" ::"r"(box_address()), "l"(map), WITH, "r"(shared_address(barrier)) : "memory");     \
  }                                                                                                                  \
  extern "C" __global__ void load_##n(const __grid_constant__ Map map, const int* c, u32* out, u32 bytes) {          \
    __shared__ u64 barrier;                                                                                          \
    if (threadIdx.x == 0) {                                                                                          \
      init(&barrier, bytes);                                                                                         \
      load_box_##n(&map, c, &barrier);                                                                               \
    }                                                                                                                \
    __syncthreads();                                                                                                 \
    wait(&barrier);                                                                                                  \
    show(out, bytes);                                                                                                \
  }                                                                                                                  \
  extern "C" __global__ void store_##n(const __grid_constant__ Map map, const int* c, const u32* in, u32 bytes) {    \
    set(in, bytes);                                                                                                  \
    if (threadIdx.x != 0) return;                                                                                    \
    asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.tile.bulk_group [%1, " C##n "], [%0];" ::"r"(      \
                     box_address()), "l"(&map), WITH : "memory");                                                    \
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");                            \
  }
KERNELS(1)
KERNELS(2)
KERNELS(3)
KERNELS(4)
KERNELS(5)

#define REDUCTION(name)                                                                                              \
  extern "C" __global__ void reduce_##name(const __grid_constant__ Map map, const int* c, const u32* in, u32 bytes) { \
    set(in, bytes);                                                                                                  \
    if (threadIdx.x != 0) return;                                                                                    \
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." #name ".tile.bulk_group [%1, " C2 "], [%0];" ::"r"( \
                     box_address()), "l"(&map), "r"(c[0]), "r"(c[1]) : "memory");                                    \
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");                       \
  }
REDUCTION(add)
REDUCTION(max)
REDUCTION(xor)

/// Number 0 of each cluster of two loads a box for both.
extern "C" __global__ void __cluster_dims__(2, 1, 1) both(const __grid_constant__ Map map, const int* c, u32* out, u32 bytes) {
  __shared__ u64 barrier;
  u32 rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) init(&barrier, bytes);
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  if (rank == 0 && threadIdx.x == 0)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
            box_address()), "l"(&map), "r"(c[0] + static_cast<int>(blockIdx.x / 2)), "r"(c[1]), "r"(shared_address(&barrier)),
        "h"(static_cast<unsigned short>(3)) : "memory");
  wait(&barrier);
  show(out + blockIdx.x * bytes / 4, bytes);
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

/// A map that the kernel makes itself, of words like these: 8 bytes the address, 8 along dimension 1, 8 along dimension 2, sizes, boxes, steps (3 words each),
/// of 32-bit integers with a swizzle of 64 bytes.
extern "C" __global__ void made(const u64* words, const int* c, Map* map, u32* out, u32 bytes) {
  __shared__ u64 barrier;
  __shared__ Map made;
  if (threadIdx.x < 16) made.words[threadIdx.x] = 0x5555555555555555;
  __syncthreads();
  const u32 at = shared_address(&made);
  if (threadIdx.x == 0) {
#define REPLACE(field, type, constraint, value) \
  asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type ", %1;" ::"r"(at), constraint(value) : "memory")
    REPLACE("global_address", "b64 [%0]", "l", words[0]);
    REPLACE("global_stride", "b64 [%0], 0", "l", words[1]);
    REPLACE("global_stride", "b64 [%0], 1", "l", words[2]);
    REPLACE("rank", "b32 [%0]", "r", 2);
#define EACH(d)                                                                                          \
  REPLACE("global_dim", "b32 [%0], " #d, "r", static_cast<u32>(words[3 + d]));     \
  REPLACE("box_dim", "b32 [%0], " #d, "r", static_cast<u32>(words[6 + d]));        \
  REPLACE("element_stride", "b32 [%0], " #d, "r", static_cast<u32>(words[9 + d]));
    EACH(0) EACH(1) EACH(2)
    asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 2;" ::"r"(at) : "memory");
    asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(at) : "memory");
    asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 2;" ::"r"(at) : "memory");
    asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(at) : "memory");
  }
  __syncthreads();
  if (threadIdx.x < 16) map->words[threadIdx.x] = made.words[threadIdx.x];
  asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
    init(&barrier, bytes);
    load_box_3(map, c, &barrier);
  }
  __syncthreads();
  wait(&barrier);
  show(out, bytes);
}

/// For im2col: c has the offsets from [5] on.
#define PIXELS(n, offsets)                                                                                                       \
  extern "C" __global__ void load_pixels_##n(const __grid_constant__ Map map, const int* c, u32* out, u32 bytes) {                \
    __shared__ u64 barrier;                                                                                                      \
    if (threadIdx.x == 0) {                                                                                                      \
      init(&barrier, bytes);                                                                                                     \
      asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " C##n    \
                   "], [%7], " offsets ";" ::"r"(box_address()), "l"(&map), WITH, "r"(shared_address(&barrier)),                 \
                   "h"((short)c[5]), "h"((short)c[6]), "h"((short)c[7]) : "memory");                                             \
    }                                                                                                                            \
    __syncthreads();                                                                                                             \
    wait(&barrier);                                                                                                              \
    show(out, bytes);                                                                                                            \
  }                                                                                                                              \
  extern "C" __global__ void store_pixels_##n(const __grid_constant__ Map map, const int* c, const u32* in, u32 bytes) {         \
    set(in, bytes);                                                                                                              \
    if (threadIdx.x != 0) return;                                                                                                \
    asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.im2col_no_offs.bulk_group [%1, " C##n "], [%0];" ::"r"(        \
                     box_address()), "l"(&map), WITH : "memory");                                                                \
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");                                        \
  }
PIXELS(3, "{%8}")
PIXELS(4, "{%8, %9}")
PIXELS(5, "{%8, %9, %10}")
