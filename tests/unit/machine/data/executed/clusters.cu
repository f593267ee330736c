// Clusters of work-groups, sm_90: their numbers, their barrier, shared memory of others.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
using u32 = unsigned;
using u64 = unsigned long long;

__device__ u32 shared_address(const void* p) {
  return static_cast<u32>(__cvta_generic_to_shared(p));
}
/// The same place in another work-group.
__device__ u32 of_group(u32 address, u32 rank) {
  u32 mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}
__device__ void init(u64* barrier, u32 count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
__device__ void expect(u64* barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
__device__ void wait(u64* barrier, u32 parity) {
  u32 over;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
  } while (over == 0);
}

/// What a work-group knows of its cluster: 16 numbers of each.
extern "C" __global__ void numbers(u32* out) {
  u32 v[16];
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(v[0]));
  asm volatile("mov.u32 %0, %%clusterid.y;" : "=r"(v[1]));
  asm volatile("mov.u32 %0, %%clusterid.z;" : "=r"(v[2]));
  asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(v[3]));
  asm volatile("mov.u32 %0, %%nclusterid.y;" : "=r"(v[4]));
  asm volatile("mov.u32 %0, %%nclusterid.z;" : "=r"(v[5]));
  asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(v[6]));
  asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(v[7]));
  asm volatile("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(v[8]));
  asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(v[9]));
  asm volatile("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(v[10]));
  asm volatile("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(v[11]));
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(v[12]));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(v[13]));
  asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(v[14]));
  v[15] = cg::this_cluster().num_threads();
  u32* own = out + 16 * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
  if (threadIdx.x == 0)
    for (u32 i = 0; i < 16; ++i) own[i] = v[i];
}

/// Each thread writes to all work-groups of the cluster, then reads what the next one has got, and asks what addresses are.
extern "C" __global__ void __cluster_dims__(2, 2, 1) everyone(const u32* in, u32* out) {
  __shared__ u32 padding[8];
  __shared__ u32 box[4][64];
  const cg::cluster_group cluster = cg::this_cluster();
  const u32 t = threadIdx.x, rank = cluster.block_rank();
  const u32 i = (blockIdx.x + gridDim.x * blockIdx.y) * 64 + t;
  if (t < 8) padding[t] = in[i];
  cluster.sync();
  for (u32 other = 0; other < 4; ++other) *cluster.map_shared_rank(&box[rank][t], other) = in[i] + other;
  cluster.sync();
  const u32 next = (rank + 1) % 4;
  const u32* there = cluster.map_shared_rank(&box[0][0], next);
  u32 sum = 0;
  for (u32 from = 0; from < 4; ++from) sum = sum * 3 + there[from * 64 + 63 - t];
  sum += box[rank][t] + 7 * padding[t % 8];
  const u32* asked = t % 2 ? there : &box[0][0];
  u32 of_cluster, own;
  asm volatile("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(of_cluster) : "l"(asked));
  asm volatile("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(own) : "l"(asked));
  cluster.sync();
  out[i] = sum + 1000 * of_cluster + 2000 * own + 5000 * cluster.query_shared_rank(asked);
}

/// A histogram whose bins are divided among the work-groups.
extern "C" __global__ void __cluster_dims__(4, 1, 1) histogram(const u32* in, u32 count, u32* bins) {
  __shared__ u32 part[64];
  const cg::cluster_group cluster = cg::this_cluster();
  const u32 t = threadIdx.x;
  part[t] = 0;
  cluster.sync();
  for (u32 i = blockIdx.x * 64 + t; i < count; i += gridDim.x * 64) {
    const u32 bin = in[i] % 256;
    atomicAdd(cluster.map_shared_rank(&part[bin % 64], bin / 64), 1u);
  }
  cluster.sync();
  atomicAdd(&bins[cluster.block_rank() * 64 + t], part[t]);
}

/// Rounds with a barrier in two halves: a number goes around, from the work-group before to the next one.
extern "C" __global__ void around(u32* out, u32 rounds) {
  __shared__ u32 box[2][32];
  const cg::cluster_group cluster = cg::this_cluster();
  const u32 t = threadIdx.x, rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
  u32 x = rank * 100 + t;
  for (u32 round = 0; round < rounds; ++round) {
    *cluster.map_shared_rank(&box[round % 2][t], next) = x;
    cluster.barrier_arrive();
    x ^= round;
    cluster.barrier_wait();
    x = x * 3 + box[round % 2][31 - t];
  }
  cluster.sync();
  out[blockIdx.x * 32 + t] = x;
}

/// Threads end before others come to the barrier, which does not wait for them.
extern "C" __global__ void __cluster_dims__(2, 1, 1) leaving(u32* out) {
  __shared__ u32 box[96];
  const cg::cluster_group cluster = cg::this_cluster();
  const u32 t = threadIdx.x, rank = cluster.block_rank();
  box[t] = rank * 96 + t;
  cluster.sync();
  if (t >= 40 && rank == 1) return;
  const u32 x = *cluster.map_shared_rank(&box[95 - t], 1 - rank);
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  out[rank * 96 + t] = x;
}

/// A token goes around by barriers in shared memory of others; each work-group changes it.
extern "C" __global__ void __cluster_dims__(4, 1, 1) tokens(u32* out, u32 rounds) {
  __shared__ u64 come;
  __shared__ u32 token;
  const cg::cluster_group cluster = cg::this_cluster();
  const u32 rank = cluster.block_rank(), next = (rank + 1) % 4;
  if (threadIdx.x == 0) init(&come, 1);
  token = blockIdx.x;
  cluster.sync();
  if (threadIdx.x == 0) {
    for (u32 round = 0; round < rounds; ++round) {
      if (rank != 0 || round != 0) wait(&come, (round - (rank == 0)) % 2);
      *cluster.map_shared_rank(&token, next) = token * 5 + rank;
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(of_group(shared_address(&come), next))
                   : "memory");
    }
    if (rank == 0) {
      wait(&come, (rounds - 1) % 2);
      out[blockIdx.x / 4] = token;
    }
  }
  cluster.sync();
}

/// Stores of 4, 8 and 16 bytes that report to a barrier of who gets them.
extern "C" __global__ void __cluster_dims__(2, 1, 1) async_stores(const u32* in, u32* out) {
  __shared__ alignas(16) u32 box[7 * 32];
  __shared__ u64 come;
  const cg::cluster_group cluster = cg::this_cluster();
  const u32 t = threadIdx.x, other = 1 - cluster.block_rank();
  if (t == 0) {
    init(&come, 1);
    expect(&come, 7 * 32 * 4);
  }
  cluster.sync();
  const u32* from = in + (blockIdx.x * 32 + t) * 7;
  const u32 barrier = of_group(shared_address(&come), other);
  const u32 one = of_group(shared_address(&box[t]), other), two = of_group(shared_address(&box[32 + 2 * t]), other);
  const u32 four = of_group(shared_address(&box[96 + 4 * t]), other);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(one), "r"(from[0]), "r"(barrier)
               : "memory");
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];" ::"r"(two), "r"(from[1]),
               "r"(from[2]), "r"(barrier)
               : "memory");
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(four), "r"(from[3]),
               "r"(from[4]), "r"(from[5]), "r"(from[6]), "r"(barrier)
               : "memory");
  wait(&come, 0);
  for (u32 i = t; i < 7 * 32; i += 32) out[blockIdx.x * 7 * 32 + i] = box[i];
}

/// Bulk copies: from global memory to several work-groups at once, then from one to the next.
extern "C" __global__ void __cluster_dims__(4, 1, 1) copies(const u32* in, u32* out) {
  __shared__ alignas(128) u32 boxes[3][64];
  __shared__ u64 come[2];
  const cg::cluster_group cluster = cg::this_cluster();
  const u32 t = threadIdx.x, rank = cluster.block_rank(), next = (rank + 1) % 4;
  boxes[0][t] = boxes[1][t] = boxes[2][t] = 0;
  if (t == 0) {
    init(&come[0], 1);
    init(&come[1], 1);
    expect(&come[0], rank % 2 ? 512 : 256);
    expect(&come[1], 256);
  }
  cluster.sync();
  if (t == 0 && (rank == 0 || rank == 3))  // 0 gives to all, 3 to 1 and 3
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;" ::"r"(
                     shared_address(boxes[rank == 0 ? 0 : 1])),
                 "l"(in + (blockIdx.x + rank) * 64), "r"(shared_address(&come[0])),
                 "h"(static_cast<unsigned short>(rank == 0 ? 15 : 10))
                 : "memory");
  wait(&come[0], 0);
  boxes[0][t] += rank;
  __syncthreads();
  if (t == 0) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                     of_group(shared_address(boxes[2]), next)),
                 "r"(shared_address(boxes[0])), "r"(of_group(shared_address(&come[1]), next))
                 : "memory");
  }
  wait(&come[1], 0);
  cluster.sync();
  for (u32 box = 0; box < 3; ++box) out[(blockIdx.x * 3 + box) * 64 + t] = boxes[box][t];
}

/// What goes wrong. kind 0: the first work-group reads from one that has ended; 1: from one that is not there; 2: stores as its own what is of another;
/// 3: waits for what nobody sends.
extern "C" __global__ void __cluster_dims__(2, 1, 1) wrong(u32* out, volatile u32* flag, u32 kind) {
  __shared__ u32 box;
  __shared__ u64 come;
  const cg::cluster_group cluster = cg::this_cluster();
  const u32 rank = cluster.block_rank();
  box = 5;
  init(&come, 1);
  cluster.sync();
  if (kind == 0) {
    if (rank == 1) {
      *flag = 1;
      return;
    }
    while (*flag == 0)
      ;
    for (u32 i = 0; i < 1000 && out[2] == 0; ++i) out[1] = i * i;
    *out = *cluster.map_shared_rank(&box, 1);
  } else if (kind == 1) {
    *out = *cluster.map_shared_rank(&box, 5);
  } else if (kind == 2) {
    asm volatile("st.shared.u32 [%0], 1;" ::"r"(of_group(shared_address(&box), 1 - rank)) : "memory");
  } else if (rank == 0) {
    wait(&come, 0);
  }
  cluster.sync();
}
